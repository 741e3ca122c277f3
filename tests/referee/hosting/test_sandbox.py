"""A command in the sandbox, on this machine's real bubblewrap and seccomp."""

import os
import socket
from pathlib import Path

import pytest

from referee.hosting.guards import guards
from referee.hosting.sandbox import Mount, Sandbox, SandboxLimits
from tests.conftest import missing

MOUNTS = [Mount(Path(part), part) for part in ("/usr", "/bin", "/lib", "/lib64")]
LISTEN = (
    "import socket; s = socket.socket(socket.AF_UNIX); s.bind('/run/santiago/bot.sock'); "
    "s.listen(); s.accept()[0].send(b'here')"
)


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    if guards().missing:
        missing("bubblewrap")
    return


def shell(script: str, limits: SandboxLimits | None = None) -> Sandbox:
    return Sandbox.start(["/bin/sh", "-c", script], mounts=MOUNTS, limits=limits)


def printed(script: str) -> str:
    with shell(script) as sandbox:
        assert sandbox.wait(30) is not None
    return sandbox.output().stdout


def test_environment_holds_only_what_was_given() -> None:
    names = {line.split("=")[0] for line in printed("env").splitlines()}
    assert names == {"SANTIAGO_ADDRESS", "HOME", "PATH", "LANG", "PWD"}


def test_only_one_place_can_be_written_to_and_it_is_bounded() -> None:
    fill = "for f in / /dev /usr; do touch $f/x && echo $f; done; head -c 300M /dev/zero > /tmp/x"
    with shell(f"{fill}; stat -c %s /tmp/x", SandboxLimits(files=1 << 20)) as sandbox:
        sandbox.wait(30)
    assert sandbox.output().stdout == f"{1 << 20}\n"


def test_host_reaches_the_socket_inside() -> None:
    with Sandbox.start(["/usr/bin/python3", "-c", LISTEN], mounts=MOUNTS) as sandbox:
        while (path := sandbox.socket_path()) is None:
            assert sandbox.exit_code is None
        with socket.socket(socket.AF_UNIX) as caller:
            while caller.connect_ex(path) != 0:
                assert sandbox.exit_code is None
            assert caller.recv(9) == b"here"


def test_nothing_is_left_behind() -> None:
    shell("true").stop()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with shell("sleep 100 & sleep 100"):
        pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
