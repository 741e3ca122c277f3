"""Processes are counted and stopped, whatever they call themselves."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.hosting import bubblewrap, trees
from referee.hosting.processes import Processes
from tests.conftest import missing
from tests.referee.hosting.hosts import NO_GROUP

RENAMED = """
import sys
with open("/proc/self/comm", "wb") as own:
    own.write(bytes.fromhex(sys.argv[1]))
print("renamed", flush=True)
sys.stdin.read()
"""


LEADERLESS = """
import ctypes, sys, threading
def hold():
    held = b"x" * (64 << 20)
    first.join(0.5)  # it ends without a word to Python
    print("held", flush=True)
    sys.stdin.read()
first = threading.main_thread()
threading.Thread(target=hold).start()
ctypes.CDLL(None).syscall(60, 0)
"""
"""The first thread ends (exit, not exit_group) while another holds 64 MB."""


@contextmanager
def called(name: bytes) -> Iterator[int]:
    """A process of this name, as the bot in a sandbox may choose it; its id."""
    command = [sys.executable, "-I", "-S", "-c", RENAMED, name.hex()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"renamed\n"
        yield process.pid
        process.kill()


@pytest.mark.parametrize(
    "name", [b"\xff) R (", b"\x0bVmPTE: -999999", b"\rVmPTE: -999999", b"a\nb"]
)
def test_no_name_hides_a_process(name: bytes) -> None:
    if not Path("/proc/self/comm").exists():
        missing("/proc")
    with called(name) as process:
        found = Processes(process, NO_GROUP)
        assert found.memory() > 0
        found.freeze()
        assert found.cpu_seconds() > 0
        assert bubblewrap._parent(Path(f"/proc/{process}")) > 0
        found.close()


def test_memory_counts_although_the_first_thread_has_ended() -> None:
    if not Path("/proc/self/smaps_rollup").exists():
        missing("/proc")
    command = [sys.executable, "-I", "-S", "-c", LEADERLESS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        found = Processes(process.pid, NO_GROUP)
        assert found.memory() > 64 << 20
        assert found.exact_memory() > 64 << 20
        found.close()
        process.kill()


def test_what_is_mounted_may_have_any_name(tmp_path: Path) -> None:
    file = tmp_path / "mountinfo"
    file.write_bytes(b"1 2 0:3 / /media/M\xfcll\x0ber rw - tmpfs none rw\n4 5 0:6 / /b rw\n")
    assert [line[:7] for line in trees.kernel_lines(file)] == ["1 2 0:3", "4 5 0:6"]
    file.write_bytes(b"")  # as for a process that is just changing its root
    assert trees.kernel_lines(file) == []
