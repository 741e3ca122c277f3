"""Processes that are kept alive, and when that is given up."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from errno import ENOSPC
from pathlib import Path

import pytest

from ladder.embedded.supervisor import ServiceError, Supervisor
from ladder.local.guardian import Guardian
from referee import processes
from referee.processes import ChildProcess
from tests.e2e.processes import started_by, until

LIVES_ON = "import time; print('alive', flush=True); time.sleep(600)"
TELLS = """
import signal, sys, time
def tell(*_):
    with open(end, "a") as file:
        file.write(name + "\\n")
    time.sleep(0.2)  # a second signal would come now, and be written, too
    sys.exit()
signal.signal(signal.SIGTERM, tell)
print("alive", flush=True)
signal.pause()
"""
TALKS = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("ready", flush=True)
while True:
    signal.sigwait([signal.SIGUSR1])
    print(open("WORD").read() + "......", flush=True)
"""
SILENT = "import time; time.sleep(600)"
STARTED_AGAIN = "The sleeper ended (exit code -9) and was started again."
ENDS_AT_ONCE = "import sys; print('no rum left'); sys.exit(7)"


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Guardian() as guardian:
        supervisor = Supervisor(tmp_path, guardian)
        yield supervisor
        supervisor.stop()


def python(code: str) -> Callable[[Path], ChildProcess]:
    return lambda log: ChildProcess([sys.executable, "-c", code], {}, log)


def pids(code: str) -> list[int]:
    """The processes of this test that run this code."""
    return [one.pid for one in started_by(os.getpid()) if code in one.command]


def test_what_ends_is_started_again(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is guarded no longer: another process may get its number."""
    forget, forgotten = Guardian.forget, list[int]()

    def forget_too(guardian: Guardian, group: int) -> None:
        forgotten.append(group)
        forget(guardian, group)

    monkeypatch.setattr(Guardian, "forget", forget_too)
    supervisor.add("sleeper", python(LIVES_ON))
    until(lambda: (tmp_path / "sleeper.log").read_text() == "alive\n")
    assert supervisor.check() == []
    (before,) = pids(LIVES_ON)
    os.kill(before, signal.SIGKILL)
    until(lambda: not pids(LIVES_ON))
    assert supervisor.check() == [f"{STARTED_AGAIN} It said last: alive"]
    until(lambda: (tmp_path / "sleeper.log").read_text() == "alive\nalive\n")
    assert pids(LIVES_ON) != [before]
    assert forgotten == [before]


def test_what_a_part_said_before_it_was_started_is_not_its_last_word(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    """Even if its log has been removed."""
    log = tmp_path / "sleeper.log"
    log.write_text("said long ago\n")
    supervisor.add("sleeper", python(SILENT))
    for _ in range(2):
        (process,) = pids(SILENT)
        os.kill(process, signal.SIGKILL)
        until(lambda: not pids(SILENT))
        assert supervisor.check() == [STARTED_AGAIN]
        log.unlink()


def test_what_ends_at_once_again_and_again_is_given_up_with_its_last_words(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier service has said is not among them."""
    monkeypatch.setattr("ladder.embedded.supervisor._SHORT_LIFE", 600.0)  # on a busy machine
    (tmp_path / "drinker.log").write_text("said long ago\n")
    supervisor.add("drinker", python(ENDS_AT_ONCE))
    with pytest.raises(ServiceError) as given_up:
        until(lambda: not supervisor.check() and False)
    first, *last_words = str(given_up.value).splitlines()
    assert first == "The drinker ended (exit code 7) again and again. Its last words:"
    assert last_words == ["no rum left (3 times)"]


def test_all_end_with_it_those_that_others_need_last(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "STOP_WITHIN", 600.0)  # on a busy machine
    for name, needed in (("needed", True), ("one", False), ("also needed", True), ("two", False)):
        code = f"name, end = {name!r}, {str(tmp_path / 'ends')!r}\n{TELLS}"
        supervisor.add(name, python(code), needed=needed)
        until((tmp_path / f"{name}.log").read_text)
    supervisor.stop()
    assert pids(TELLS) == []
    ended = (tmp_path / "ends").read_text().splitlines()
    assert set(ended[:2]) == {"one", "two"}
    assert set(ended[2:]) == {"needed", "also needed"}


def test_the_last_words_of_an_earlier_run_stay(supervisor: Supervisor, tmp_path: Path) -> None:
    log = tmp_path / "sleeper.log"
    log.write_text("no rum left\n")
    supervisor.add("sleeper", python(LIVES_ON))
    until(lambda: log.read_text() == "no rum left\nalive\n")


def test_a_large_log_is_rotated_and_its_process_goes_on(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.embedded.supervisor._LARGEST_LOG", 10)
    log, *old = (tmp_path / f"talker.log{end}" for end in ("", ".1", ".2", ".3"))
    code = TALKS.replace("WORD", str(tmp_path / "word"))
    supervisor.add("talker", python(code))
    until(lambda: "ready" in log.read_text())
    (talker,) = pids(code)
    for word in ("whisky", "brandy", "absinthe", "vermouth", "rum"):
        (tmp_path / "word").write_text(word)
        os.kill(talker, signal.SIGUSR1)
        until(lambda: word in log.read_text())  # noqa: B023
        supervisor.check()
    assert [file.read_text().strip("\n.") for file in (log, *old)] == [
        "rum",
        "vermouth",
        "absinthe",
        "brandy",
    ]


def test_a_full_disk_or_a_removed_log_ends_nothing(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the older logs stay as they are, however often it is tried."""

    def fill(_: Path, to: Path) -> None:
        to.write_text("half")
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("ladder.embedded.supervisor._LARGEST_LOG", 3)
    monkeypatch.setattr("ladder.embedded.supervisor.shutil.copyfile", fill)
    supervisor.add("sleeper", python(LIVES_ON))
    log, old = tmp_path / "sleeper.log", tmp_path / "sleeper.log.1"
    until(lambda: "alive" in log.read_text())
    old.write_text("older")
    for _ in range(3):
        assert supervisor.check() == []
    assert {file.name: file.read_text() for file in tmp_path.glob("sleeper.*")} == {
        "sleeper.log": "alive\n",
        "sleeper.log.1": "older",
    }
    log.unlink()
    assert supervisor.check() == []
