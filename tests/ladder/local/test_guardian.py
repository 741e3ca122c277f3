"""What a command that is killed has started does not outlive it."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from ladder.local import guardian
from ladder.local.guardian import Guardian, socket_folder
from tests.e2e.processes import process, started_by, until

TIMEOUT = 300.0
OBEDIENT = "sleep 600 & echo $!; wait"  # a process and its child, in a group of their own
STUBBORN = "trap '' TERM; sleep 600 & echo $!; wait"
STARTS_AND_IS_KILLED = """
import os, signal, subprocess, sys
from pathlib import Path
from ladder.local.guardian import Guardian
guardian = Guardian()
guardian.guard_folder(Path(sys.argv[1]))
group = subprocess.Popen(["sh", "-c", sys.argv[2]], start_new_session=True, stdout=subprocess.PIPE)
guardian.guard(group.pid)
print(group.pid, int(group.stdout.readline()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def group() -> Iterator[subprocess.Popen[str]]:
    """A process that does not end when it is asked to, with a child."""
    words = ["sh", "-c", STUBBORN]
    with subprocess.Popen(words, start_new_session=True, stdout=subprocess.PIPE, text=True) as sh:
        assert sh.stdout is not None
        sh.stdout.readline()
        yield sh
        if sh.poll() is None:
            os.killpg(sh.pid, signal.SIGKILL)


def test_groups_and_folders_go_with_a_command_that_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "with spaces\tand tabs"
    folder.mkdir()
    (folder / "socket").touch()
    ended = subprocess.run(
        [sys.executable, "-c", STARTS_AND_IS_KILLED, str(folder), OBEDIENT],
        stdout=subprocess.PIPE,
        timeout=TIMEOUT,
    )
    assert ended.returncode == -signal.SIGKILL
    parent, child = map(int, ended.stdout.split())
    until(lambda: process(parent) is None and process(child) is None, TIMEOUT)
    until(lambda: not folder.exists(), TIMEOUT)
    assert tmp_path.exists()


def test_who_does_not_end_is_made_to_end(
    group: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guardian, "_END_WITHIN", 0.1)
    (child,) = started_by(group.pid)
    guardian.main([b"+%d\n" % group.pid])
    assert group.wait(TIMEOUT) == -signal.SIGKILL
    until(lambda: process(child.pid) is None, TIMEOUT)


def test_what_has_ended_before_is_let_be(group: subprocess.Popen[str]) -> None:
    guardian.main([b"+%d\n" % group.pid, b"-%d\n" % group.pid])
    assert group.poll() is None


def test_folders_are_removed_and_no_trouble_if_they_are_gone(tmp_path: Path) -> None:
    folder = tmp_path / "a\udcff"
    folder.mkdir()
    guardian.main([os.fsencode(f"{path}\n") for path in (tmp_path / "gone", folder)])
    assert list(tmp_path.iterdir()) == []


def test_a_group_that_is_gone_is_no_trouble() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as gone:
        gone.wait(TIMEOUT)
    guardian.main([b"+%d\n" % gone.pid])


def test_a_command_goes_on_without_its_guardian() -> None:
    with Guardian() as guard:
        (watcher,) = [one for one in started_by(os.getpid()) if "guardian.py" in one.command]
        os.kill(watcher.pid, signal.SIGKILL)
        until(lambda: process(watcher.pid) is None, TIMEOUT)
        guard.guard(12345)
        guard.forget(12345)


@pytest.mark.parametrize(
    ("name", "is_used"), [("x" * 35, True), ("x" * 85, False), ("my files", False), ("a,b", False)]
)
def test_the_folder_of_sockets_is_private_and_its_path_short_and_plain(
    name: str, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = mkdtemp(suffix=name, dir="/tmp")
    monkeypatch.setattr("tempfile.tempdir", temporary)
    with socket_folder() as folder:
        assert Path(folder).is_relative_to(temporary) is is_used
        assert len(folder) < 80
        assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
    Path(temporary).rmdir()
