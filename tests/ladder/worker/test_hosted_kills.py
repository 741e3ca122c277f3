"""SIGKILL of the host, and of the worker, in the middle of build, check and match."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from signal import SIGKILL

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from ladder.model import Bot, BuildLine, Holding, Job, Match, Replay, Version
from referee.hosting.packages import pack
from referee.hosting.parts import python
from referee.hosting.trees import trees
from tests.e2e.processes import PROC, Process, process, still_there, until
from tests.ladder.bots.authors import author, start_cup
from tests.ladder.bots.uploads import registered
from tests.ladder.databases import on_sqlite
from tests.ladder.ledgers import check_ledger
from tests.ladder.service import Start, end_leases
from tests.ladder.worker.test_hosted import close_ladders, states, stored, uploaded
from tests.referee.hosting.hosts import BOT, PATIENT, reachable, running

Sessions = sessionmaker[Session]
FOR_EVER = "sleep 3600"
"""What a build does until it is woken, twice."""
DECISION = 0.02  # seconds: a check, or a match, lasts until one of its processes is killed


class HostProcess:
    """A host that can be killed, and starts again in the same folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        first = 300_000 + 100 * (os.getpid() % 1000)
        self._uids = range(first, first + 100)
        self._killed: list[int] = []
        self._old: set[tuple[int, int]] = set()
        self.start()

    def start(self) -> None:
        settings = {"SANTIAGO_SANDBOX_UIDS": f"{self._uids[0]}-{self._uids[-1]}"}
        entered = running(self._folder, settings=settings)
        self.address, self._process = self._stack.enter_context(entered)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._killed.append(self._process.pid)

    def close(self) -> None:
        self._stack.close()

    def left(self) -> list[str]:
        """What should not stay: files in its folder, groups of hosts that were killed."""
        kept = {"blobs", "bundles", "coming", "parts"}
        files = [file for file in (self._folder / "host").iterdir() if file.name not in kept]
        folders = {tree.folder for tree in trees().values()}
        killed = [
            group
            for folder in folders
            for pid in self._killed
            for group in folder.glob(f"santiago-*-{pid}-*")
        ]
        return sorted(map(str, files + killed))

    def processes(self) -> list[Process]:
        """The processes of its sandboxes."""
        entries = (entry for entry in PROC.iterdir() if entry.name.isdigit())
        mine = [process(int(entry.name)) for entry in entries if _user(entry) in self._uids]
        return [one for one in mine if one is not None]

    def awake(self, happened: Callable[[], bool]) -> Callable[[], bool]:
        """As `happened`, but builds that sleep go on before it looks."""

        def looks() -> bool:
            for one in self.processes():
                if one.command.split() == FOR_EVER.split():
                    with suppress(ProcessLookupError):  # it has just ended
                        os.kill(one.pid, SIGKILL)
            return happened()

        return looks

    def set_apart(self) -> None:
        """Wait for none of those that run now: a bot stays for half a minute after its worker."""
        self._old = {(one.pid, one.started) for one in self.processes()}

    def wait_for_build(self) -> None:
        """Return once a build sleeps: its sandbox is set up."""
        until(lambda: any(one.command.split() == FOR_EVER.split() for one in self._new()))

    def wait_for_bots(self, number: int, sessions: Sessions) -> None:
        """Return once so many bots run: bubblewrap, killed in its first moments, leaves a child.

        Where a version is rejected none will run: that fails, with the reason.
        """
        until(
            lambda: (
                sum(one.command.startswith(python()) for one in self._new()) >= number
                or "rejected" in states(sessions)
            )
        )
        with sessions() as session:
            rejected = Version.state == "rejected"
            reasons = select(Version.reason, Version.report).where(rejected)
            assert session.execute(reasons).all() == []

    def _new(self) -> list[Process]:
        return [one for one in self.processes() if (one.pid, one.started) not in self._old]


def _user(entry: Path) -> int:
    """Whose process an entry of /proc is; -1 if it has ended."""
    try:
        return entry.stat().st_uid
    except OSError:
        return -1


@pytest.fixture
def host() -> Iterator[HostProcess]:
    with reachable() as folder:
        host = HostProcess(folder)
        yield host
        host.close()


def package(folder: Path, name: str) -> Path:
    """A package whose build, check and matches take a while."""
    (folder / name).mkdir()
    choose = f"time.sleep({DECISION})"
    (folder / name / "mine.py").write_text(BOT.format(choose=choose, rest=""))
    (folder / name / "santiago.toml").write_text(
        f'name = "{name}"\nversion = "1"\nruntime = "python"\nentry = "mine:Mine"\n'
        f'build = "{FOR_EVER}; date > when; rm when"\n'
    )
    file = folder / f"{name}.tar.gz"
    pack(folder / name, file)
    return file


def under_way(sessions: Sessions, kind: str, attempt: int) -> bool:
    with sessions() as session:
        runs = select(Job.subject).where(Job.kind == kind, Job.lease_until.is_not(None))
        return session.scalar(runs.where(Job.number >= attempt).limit(1)) is not None


def begun(sessions: Sessions, kind: str, attempt: int) -> Callable[[], bool]:
    """Returns a function that tells if the middle of such an attempt has come."""

    def middle() -> bool:
        with sessions() as session:
            said = session.scalar(select(func.count()).select_from(BuildLine))
        return under_way(sessions, kind, attempt) and (kind != "build" or bool(said))

    return middle


@on_sqlite
def test_nothing_is_lost_and_nothing_is_left(
    start: Start, sessions: Sessions, tmp_path: Path, host: HostProcess
) -> None:
    """Of each job first the worker dies and, in the next attempt, the host."""
    settings = {"SANTIAGO_HOSTS": host.address, "SANTIAGO_PLACES": "2"}
    worker = start("worker", **settings)
    start("scheduler", **settings)

    def kill_host() -> None:
        host.kill()
        left = host.processes()
        host.start()
        until(lambda: still_there(left) == [])

    def kill_worker() -> None:
        nonlocal worker
        worker.kill()
        worker.wait()
        host.set_apart()
        with sessions() as session:
            end_leases(session)
        worker = start("worker", **settings)

    with sessions() as session:
        account = author(session)
        uploaded(session, account, "zorro", package(tmp_path, "zorro"))
    for attempt, kill in enumerate((kill_worker, kill_host), 1):
        until(begun(sessions, "build", attempt))
        host.wait_for_build()
        kill()
    for attempt, kill in enumerate((kill_worker, kill_host), 1):
        until(host.awake(begun(sessions, "check", attempt)))
        host.wait_for_bots(1, sessions)
        kill()
    until(lambda: states(sessions) == ["active"])
    with sessions() as session:
        close_ladders(session)
        other = package(tmp_path, "gato")
        gato = registered(session, stored(session, other, account.id, "gato"))
        zorro = session.scalars(select(Bot.id).where(Bot.name == "zorro")).one()
        session.commit()
    for kill in (kill_worker, kill_host):  # each in a tournament of its own
        with sessions() as session:
            start_cup(session, zorro, gato, clock=PATIENT)
        until(host.awake(begun(sessions, "match", 1)))
        host.wait_for_bots(2, sessions)
        kill()
        until(lambda: over(sessions))
    with sessions() as session:
        matches = session.scalars(select(Match).where(Match.kind == "tournament")).all()
        assert {match.state for match in matches} == {"finished"}
        assert all(seat.fault is None for match in matches for seat in match.table)
        finished = session.scalars(select(Match.id).where(Match.state == "finished")).all()
        assert session.scalar(select(func.count()).select_from(Replay)) == len(finished)
        assert session.scalars(select(Holding)).all() == []
        assert session.scalars(select(Version.unreached_since)).all() == [None, None]
        check_ledger(session)
    assert host.left() == []
    host.close()
    assert host.processes() == []


def over(sessions: Sessions) -> bool:
    """True if nothing runs or waits."""
    with sessions() as session:
        return session.scalars(select(Job.kind)).all() == []
