"""Uploaded bots from the upload to the match, with a real host, worker and scheduler."""

import re
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import packages, submitting, versions
from ladder.bots.submitting import Package
from ladder.matches import queue
from ladder.model import BuildLine, HostRow, Ladder, Match, MatchKind, SeatOutput, Version, write
from ladder.people.accounts import Account
from referee.bot import Bot, Decision
from referee.hosting.packages import read
from referee.rules import Move
from tests.e2e.processes import until
from tests.ladder.bots.authors import author, start_cup
from tests.ladder.bots.uploads import registered
from tests.ladder.databases import on_sqlite
from tests.ladder.service import Start
from tests.referee.games import served
from tests.referee.hosting.hosts import PATIENT, bundle, reachable, running

Sessions = sessionmaker[Session]


class Hasty(Bot):
    """Is dialled."""

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with reachable() as folder, running(folder) as (address, _):
        yield address


def written(file: Path, data: bytes) -> Path:
    """The file, with this in it."""
    file.write_bytes(data)
    return file


def stored(session: Session, file: Path, user_id: int, name: str) -> Package:
    """A package in the database, for a bot of this name."""
    manifest = read(file)
    with file.open("rb") as stream:
        sha256 = packages.store(session, stream, user_id=user_id)
    return Package(sha256, file.name, name, manifest.version, manifest.runtime)


def uploaded(session: Session, account: Account, name: str, file: Path) -> int:
    """A version of a package, as a bot of this name; committed."""
    made = submitting.submit_package(session, account, stored(session, file, account.id, name))
    session.commit()
    return made.version_id


def close_ladders(session: Session) -> None:
    """The ladders make no more matches; committed."""
    session.commit()  # what was read before may have changed since
    write(session)
    session.execute(update(Ladder).values(open=False))
    session.commit()


def challenged(session: Session, table: Sequence[Version]) -> None:
    """A match between these versions alone; committed."""
    close_ladders(session)
    write(session)  # before anything is read: what is read may be outdated when we write
    seats = [(version.bot_id, version.id) for version in table]
    queue.queue_unrated(session, MatchKind.CHALLENGE, seats)
    session.commit()


def states(sessions: Sessions) -> list[str]:
    with sessions() as session:
        return list(session.scalars(select(Version.state).order_by(Version.id)))


@on_sqlite
def test_uploaded_bots_are_built_checked_and_play(
    start: Start, sessions: Sessions, tmp_path: Path, address: str
) -> None:
    start("worker", SANTIAGO_HOSTS=address)
    start("scheduler")
    loud = bundle(choose='print("asked", self.asked); print("hm", file=sys.stderr)')
    with sessions() as session:
        ana, bela = author(session), author(session, "bela")
        uploaded(session, ana, "zorro", written(tmp_path / "zorro.tar.gz", loud))
        quiet = written(tmp_path / "gato.tar.gz", bundle())
        registered(session, stored(session, quiet, bela.id, "gato"))
    until(lambda: states(sessions) == ["active", "active"])
    with sessions() as session:
        bots = session.scalars(select(Version.bot_id).order_by(Version.id)).all()
        lines = session.scalars(select(BuildLine.text).order_by(BuildLine.number)).all()
        assert any("Nothing to build" in line for line in lines)
        assert any(
            re.match(r"The check used \d+ MB of memory, \d+\.\d s of CPU time; ", one)
            for one in lines
        )
        close_ladders(session)
        with served(Hasty, f"unix:{tmp_path}/dialled") as dialled:
            made = versions.register(
                session, name="perro", author="caro", address=dialled, version="1"
            )
            start_cup(session, *bots, made.id, clock=PATIENT)
            until(lambda: played(sessions))
    with sessions() as session:
        outputs = session.scalars(select(SeatOutput)).all()
        assert len(outputs) >= 8  # of six matches: two between hosted bots, four mixed ones
        assert any(one.output.startswith(b"asked 1\nasked 2\n") for one in outputs)
        assert any(b"\nhm\nhm\n" in one.errors for one in outputs)
        assert all(one.peak_memory and one.cpu_ms for one in outputs)
        assert session.scalars(select(HostRow)).one().lanes > 0


@on_sqlite
def test_a_bot_that_does_not_start_is_rejected_and_its_author_reads_why(
    start: Start, sessions: Sessions, tmp_path: Path, address: str
) -> None:
    start("worker", SANTIAGO_HOSTS=address)
    start("scheduler")
    dead = written(tmp_path / "dead.tar.gz", bundle(rest="raise SystemExit('no such file')"))
    with sessions() as session:
        ana = author(session)
        uploaded(session, ana, "zorro", dead)
        good = written(tmp_path / "good.tar.gz", bundle())
        registered(session, stored(session, dead, ana.id, "gato"))
        registered(session, stored(session, good, ana.id, "perro"))
    until(lambda: states(sessions) == ["rejected", "active", "active"])
    with sessions() as session:
        rejected, *active = session.scalars(select(Version).order_by(Version.id)).all()
        assert rejected.reason is not None
        assert "The check start failed: The bot did not start" in rejected.reason
        assert "no such file" in rejected.reason
        lines = session.scalars(select(BuildLine.text).where(BuildLine.version_id == rejected.id))
        assert "no such file" in lines.all()
        challenged(session, active)
    until(lambda: matches(sessions) == {"cancelled"})
    with sessions() as session:
        output = session.get_one(SeatOutput, (1, 0))
        assert output.output == b""
        assert output.errors.startswith(b"no such file\nThe bot did not start")
        assert output.peak_memory is None
        assert session.get_one(Version, active[0].id).offline_since is None


@on_sqlite
def test_a_worker_without_hosts_leaves_hosted_matches_to_others(
    start: Start, sessions: Sessions, tmp_path: Path, address: str
) -> None:
    with sessions() as session:
        ana = author(session)
        file = written(tmp_path / "zorro.tar.gz", bundle())
        registered(session, stored(session, file, ana.id, "zorro"))
        registered(session, stored(session, file, ana.id, "gato"))
        challenged(session, session.scalars(select(Version)).all())
    other = start("worker")
    start("scheduler")
    here = start("worker", SANTIAGO_HOSTS=address)
    until(lambda: are_built(sessions))
    here.send_signal(signal.SIGTERM)
    here.wait()
    with sessions() as session:
        assert session.scalars(select(Match.interruptions)).all() == [0]
    start("worker", SANTIAGO_HOSTS=address)
    other.send_signal(signal.SIGTERM)
    until(lambda: matches(sessions) == {"finished"})
    with sessions() as session:
        assert session.scalars(select(Match.interruptions)).all() == [0]


def are_built(sessions: Sessions) -> bool:
    with sessions() as session:
        return None not in session.scalars(select(Version.bundle)).all()


def matches(sessions: Sessions) -> set[str]:
    """The states of all matches."""
    with sessions() as session:
        return set(session.scalars(select(Match.state)))


def played(sessions: Sessions) -> bool:
    return matches(sessions) == {"finished"}
