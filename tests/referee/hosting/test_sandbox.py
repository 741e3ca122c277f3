"""A command in the sandbox, on this machine's real bubblewrap and seccomp."""

import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep

import pytest

from referee.errors import InvalidSetting
from referee.hosting import bubblewrap, seccomp
from referee.hosting.bubblewrap import Bubblewrap, Mount, end_orphans, own_account
from referee.hosting.guards import guards
from referee.hosting.processes import Processes
from referee.hosting.sandbox import UIDS, Sandbox
from referee.hosting.settings import MB
from referee.hosting.trees import GroupTree, name_prefix, remove, trees
from referee.hosting.usage import SandboxLimits, watcher
from tests.conftest import PROJECT, missing
from tests.e2e.processes import until
from tests.referee.hosting.hosts import NO_GROUP

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
        assert sandbox.wait(300) is not None
    return sandbox.output().stdout


def test_environment_holds_only_what_was_given() -> None:
    names = {line.split("=")[0] for line in printed("env").splitlines()}
    assert names == {"SANTIAGO_ADDRESS", "HOME", "PATH", "LANG", "PWD"}


def test_name_of_the_machine_is_not_told() -> None:
    assert printed("uname -n") == "sandbox\n"


def test_sandbox_starts_without_room_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    seccomp._program.cache_clear()
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert printed("echo here") == "here\n"


def test_only_one_place_can_be_written_to_and_it_is_bounded() -> None:
    fill = "for f in / /dev /usr; do touch $f/x && echo $f; done; head -c 300M /dev/zero > /tmp/x"
    with shell(f"{fill}; stat -c %s /tmp/x", SandboxLimits(files=1 << 20)) as sandbox:
        sandbox.wait(300)
    assert sandbox.output().stdout == f"{1 << 20}\n"


def test_host_reaches_the_socket_inside() -> None:
    with Sandbox.start(["/usr/bin/python3", "-c", LISTEN], mounts=MOUNTS) as sandbox:
        while (path := sandbox.socket_path()) is None:
            assert sandbox.exit_code is None
        with socket.socket(socket.AF_UNIX) as caller:
            while caller.connect_ex(path) != 0:
                assert sandbox.exit_code is None
            assert caller.recv(9) == b"here"


def test_bot_is_the_first_to_go_and_waits_for_few_signals() -> None:
    """If the machine has no memory left, the kernel ends bots, however small each process is."""
    lines = printed("cat /proc/self/oom_score_adj /proc/self/limits").splitlines()
    assert lines[0] == "1000"
    limits = {line[:26].strip(): line[26:].split()[:2] for line in lines[1:]}
    assert limits["Max pending signals"] == ["256", "256"]
    assert limits["Max realtime priority"] == limits["Max nice priority"] == ["0", "0"]


def test_nothing_is_left_behind() -> None:
    shell("true").stop()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with shell("sleep 100 & sleep 100"):
        pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_nothing_is_left_of_one_that_is_killed_before_its_command_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its folder stayed open, and the watcher looked at it until the host ended."""
    shell("true").stop()
    before, watched = len(os.listdir("/proc/self/fd")), set(watcher()._watched)  # noqa: PTH208
    go = Bubblewrap.go

    def killed(starting: Bubblewrap) -> None:
        os.kill(starting.first, SIGKILL)
        starting.process.wait()
        go(starting)

    monkeypatch.setattr(Bubblewrap, "go", killed)
    with pytest.raises(OSError, match=r"Broken pipe|No such process"):
        shell("true")
    assert watcher()._watched == watched
    until(lambda: len(os.listdir("/proc/self/fd")) == before)  # noqa: PTH208


def test_a_mount_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidSetting, match="Can't find source path /nowhere"):
        Sandbox.start(["/bin/true"], mounts=[*MOUNTS, Mount(Path("/nowhere"), "/bot")])


def test_command_that_is_not_there_says_so_on_stderr() -> None:
    with Sandbox.start(["/bin/nothing"], mounts=MOUNTS) as sandbox:
        assert sandbox.wait(300) == 1
    assert "/bin/nothing" in sandbox.output().stderr


def test_exit_code_is_the_commands_and_a_signal_counts_from_128() -> None:
    for script, code in (("exit 7", 7), ("kill -9 $$", 137)):
        with shell(script) as sandbox:
            assert sandbox.wait(300) == code


def test_output_is_kept_from_both_ends_and_begins_anew_with_a_match() -> None:
    many = "i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done; read x < /run/santiago/go"
    with shell(f"mkfifo /run/santiago/go; {many}; echo more", SandboxLimits(output=100)) as sandbox:
        while "1999\n" not in (text := sandbox.output().stdout):
            assert sandbox.exit_code is None
        assert text.startswith("0\n1\n2\n")
        assert "bytes left out" in text
        sandbox.begin_match()
        assert sandbox.output().stdout == ""


def test_frozen_sandbox_can_be_stopped_and_reports_stay() -> None:
    with shell("echo here; while :; do :; done") as sandbox:
        while not sandbox.output().stdout:
            assert sandbox.exit_code is None
        sandbox.freeze()
        used = sandbox.cpu_seconds()
    assert sandbox.cpu_seconds() >= used > 0
    assert sandbox.peak_memory() > 0
    assert sandbox.output().stdout == "here\n"
    assert sandbox.over is None
    sandbox.freeze()
    sandbox.thaw()
    sandbox.stop()


WAITS_FOR_VFORK = """
import ctypes, os, signal
os.fork() or ctypes.CDLL(None).syscall(56, 0x4000 | signal.SIGCHLD, 0, 0, 0, 0) or signal.pause()
print("here", flush=True)
signal.pause()
"""
"""A process waits in the kernel for a child of its own (CLONE_VFORK) that never goes on."""


def test_who_waits_in_the_kernel_for_ever_does_not_hold_up_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.hosting.sandbox.make_group", lambda *_: NO_GROUP)
    monkeypatch.setattr("referee.hosting.processes._FEWEST_PASSES", 10_000)
    passes: list[int] = []
    all_of = Processes.__iter__

    def counted(processes: Processes) -> Iterator[int]:
        passes.append(1)
        return all_of(processes)

    monkeypatch.setattr(Processes, "__iter__", counted)
    command = ["/usr/bin/python3", "-c", WAITS_FOR_VFORK]
    with Sandbox.start(command, mounts=MOUNTS) as sandbox:
        until = monotonic() + 300
        while not sandbox.output().stdout:
            assert monotonic() < until
        sleep(0.2)  # the one waits by now
        passes.clear()
        sandbox.freeze()
        assert len(passes) < 10_000


EATS = "exec dd if=/dev/zero of=/dev/null bs=200M count=1"


@pytest.fixture
def in_a_small_group(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All sandboxes together have 64 MB of memory, however much each of them may use."""
    found = trees()
    if "memory" not in found:
        missing("control groups that may be written to")
    tree = found["memory"]
    folder = tree.folder / f"{name_prefix()}{os.getpid()}-small"
    folder.mkdir()
    try:
        name = "memory.max" if tree.version == 2 else "memory.limit_in_bytes"
        (folder / name).write_text(str(64 * MB))
        if tree.version == 2:
            (folder / "cgroup.subtree_control").write_text("+memory +pids")
        small = {**found, "memory": GroupTree(folder, tree.version)}
        monkeypatch.setattr("referee.hosting.groups.trees", lambda: small)
        yield
    finally:
        remove([folder])


@pytest.mark.usefixtures("in_a_small_group")
@pytest.mark.parametrize(("limit", "starved"), [(512, True), (32, False)])
def test_whose_memory_was_short_is_told_apart(limit: int, *, starved: bool) -> None:
    """The kernel kills the process either way, and bubblewrap ends with the same exit code."""
    with shell(EATS, SandboxLimits(memory=limit * MB)) as sandbox:
        assert sandbox.wait(300) == 137
    assert sandbox.killed_from_outside == starved
    assert sandbox.over == (None if starved else "It used more than its 32 MB of memory.")


def test_sandbox_whose_bubblewrap_is_killed_is_not_to_blame() -> None:
    with shell("sleep 1000") as sandbox:
        assert not sandbox.killed_from_outside
        sandbox._process.kill()
        sandbox.wait(300)
        assert sandbox.killed_from_outside


def test_sandbox_that_is_slow_to_end_gives_all_back_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.hosting.sandbox._ENDS_WITHIN", 0.0)
    shell("true").stop()
    until(lambda: not any(thread.name == "sandbox's end" for thread in threading.enumerate()))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with shell("for i in 1 2 3 4 5 6 7 8; do sleep 100 & done; sleep 100") as sandbox:
        group = sandbox._group._folders()
    until(lambda: len(os.listdir("/proc/self/fd")) == before)  # noqa: PTH208
    until(lambda: not any(folder.exists() for folder in group))
    assert sandbox.exit_code == 137


def test_sandbox_that_cannot_be_set_up_to_its_end_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was waited for in vain held up the thread that starts all of them, for ever."""
    firsts: list[int] = []
    opened = Bubblewrap._open_shared

    def fail(bubblewrap: Bubblewrap) -> int:
        os.close(opened(bubblewrap))
        firsts.append(os.pidfd_open(bubblewrap.first))
        raise InvalidSetting("it has not mounted it")

    with monkeypatch.context() as patched:
        patched.setattr(Bubblewrap, "_open_shared", fail)
        with pytest.raises(InvalidSetting, match="has not mounted"):
            shell("sleep 1000")
    assert select.select(firsts, [], [], 60)[0] == firsts
    os.close(firsts[0])
    assert printed("echo here") == "here\n"


def test_sandbox_that_mounts_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "_SET_UP_WITHIN", 0.0)
    with pytest.raises(InvalidSetting, match="starts no sandbox: it has not mounted it"):
        shell("sleep 1000")


FILLS_SOCKETS = """
import os, socket
kept = []
for _ in range(20):
    if os.fork() == 0:
        break
while True:
    try:
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
        while True:
            kept[-1][0].send(bytes(65536))
    except OSError:
        pass
"""


def test_what_waits_in_sockets_counts_without_control_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.hosting.sandbox.make_group", lambda *_: NO_GROUP)
    command = ["/usr/bin/python3", "-c", FILLS_SOCKETS]
    limits = SandboxLimits(memory=300 << 20)
    with Sandbox.start(command, mounts=MOUNTS, limits=limits) as sandbox:
        assert sandbox.wait(300) == 137
        assert sandbox.over == "It used more than its 300 MB of memory."


FLOODS_ITSELF = """
import socket
server, kept, sent = socket.create_server(("127.0.0.1", 0), backlog=100), [], 0
for _ in range(40):
    kept += [socket.create_connection(server.getsockname()), server.accept()[0]]
    kept[-2].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
    kept[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    kept[-2].settimeout(0.05)
    try:
        while True:
            sent += kept[-2].send(bytes(65536))
    except TimeoutError:
        pass
print(sent)
"""


def test_what_waits_in_tcp_sockets_is_bounded() -> None:
    limits = SandboxLimits(memory=64 << 20)
    command = ["/usr/bin/python3", "-c", FLOODS_ITSELF]
    with Sandbox.start(command, mounts=MOUNTS, limits=limits) as sandbox:
        assert sandbox.wait(300) is not None
        assert sandbox.over or int(sandbox.output().stdout) < limits.memory


def test_a_user_id_is_for_one_sandbox_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "has_own_users", lambda _: True)
    account = bubblewrap.own_account(range(900_003, 900_004))
    assert account is not None
    with pytest.raises(InvalidSetting, match=r"900003-900003, are in use: .*SANDBOX_UIDS"):
        bubblewrap.own_account(range(900_003, 900_004))
    account.release()
    again = bubblewrap.own_account(range(900_003, 900_004))
    assert again is not None
    assert again.user == 900_003
    again.release()


def test_nothing_is_looked_at_once_a_sandbox_has_ended() -> None:
    sandbox = shell("sleep 100")
    sandbox.stop()
    with tempfile.TemporaryFile() as file, socket.socket() as other:  # they get its numbers
        assert file
        assert other
        sandbox._usage.look()
    assert sandbox.over is None
    assert sandbox.peak_memory() < SandboxLimits().memory


def test_sandboxes_end_with_a_host_that_is_killed_even_frozen_ones() -> None:
    code = (
        "import sys; from tests.referee.hosting.test_sandbox import shell; "
        "boxes = [shell('echo; sleep 1000'), shell('echo; while :; do :; done')]\n"
        "while not all(box.output().stdout for box in boxes): pass\n"
        "boxes[1].freeze(); "
        "print(*(box._processes.first for box in boxes), flush=True); sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT, **pipes) as host:  # type: ignore[call-overload]
        firsts = [os.pidfd_open(int(first)) for first in host.stdout.readline().split()]
        host.kill()
    for first in firsts:
        assert select.select([first], [], [], 60)[0]
        os.close(first)
    assert len(firsts) == 2


def test_orphans_of_a_host_that_was_killed_are_ended() -> None:
    """A process of a user whom no sandbox has, and that nobody started; others are left alone."""
    uids = range(UIDS.stop + 100, UIDS.stop + 102)
    started = "sleep 600 >/dev/null & echo $!"
    orphans = [
        int(subprocess.check_output(["setpriv", f"--reuid={user}", "sh", "-c", started]))
        for user in uids
    ]
    account = own_account(uids)
    assert account is not None
    assert account.user == uids[0]
    child = subprocess.Popen(["setpriv", f"--reuid={uids[1]}", "sleep", "600"])
    end_orphans(uids)
    until(lambda: [_runs(orphan) for orphan in orphans] == [True, False])
    assert child.poll() is None
    child.kill()
    child.wait()
    account.release()
    end_orphans(uids)
    until(lambda: not _runs(orphans[0]))


def test_orphans_without_a_user_of_their_own_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.hosting.bubblewrap.has_own_users", lambda _: False)
    monkeypatch.setattr("referee.hosting.sandbox.make_group", lambda *_: NO_GROUP)
    go, killed = Bubblewrap.go, list[Bubblewrap]()

    def die(bubblewrap: Bubblewrap) -> None:
        bubblewrap.process.kill()
        bubblewrap.process.wait()
        go(bubblewrap)  # the same to it as the end of the host, which closes the pipe
        killed.append(bubblewrap)

    with shell("sleep 1000") as other, monkeypatch.context() as patched:
        patched.setattr(Bubblewrap, "go", die)
        orphan = shell("sleep 1000")
        first = os.pidfd_open(killed[0].first)
        assert not select.select([first], [], [], 0.5)[0]
        end_orphans(UIDS)
        assert select.select([first], [], [], 60)[0]
        os.close(first)
        orphan.stop()
        assert other.exit_code is None


def _runs(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
