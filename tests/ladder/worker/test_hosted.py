"""Uploaded bots from the upload to the match, with a real host, worker and scheduler."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import packages, submitting
from ladder.bots.submitting import Package
from ladder.model import BuildLine, HostRow, Match, SeatOutput, Version
from ladder.people.accounts import Account
from referee.hosting.guards import guards
from referee.hosting.packages import read
from tests.conftest import missing
from tests.e2e.processes import until
from tests.ladder.bots.authors import author, start_cup
from tests.ladder.databases import on_sqlite
from tests.ladder.service import Start
from tests.referee.hosting.hosts import bundle, reachable, running

Sessions = sessionmaker[Session]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if guards().missing:
        missing("bubblewrap")
    with reachable() as folder, running(folder) as (address, _):
        yield address


def written(file: Path, data: bytes) -> Path:
    """The file, with this in it."""
    file.write_bytes(data)
    return file


def stored(session: Session, file: Path, user_id: int) -> Package:
    """A package in the database."""
    manifest = read(file)
    with file.open("rb") as stream:
        sha256 = packages.store(session, stream, packages.limits(), user_id=user_id)
    return Package(sha256, file.name, manifest.name, manifest.version, manifest.runtime)


def uploaded(session: Session, account: Account, name: str, file: Path) -> int:
    """A version of a package, as a bot of this name; committed."""
    package = replace(stored(session, file, account.id), name=name)
    made = submitting.submit_package(session, account, package)
    session.commit()
    return made.version_id


def states(sessions: Sessions) -> list[str]:
    with sessions() as session:
        return list(session.scalars(select(Version.state).order_by(Version.id)))


@on_sqlite
def test_uploaded_bots_are_built_checked_and_play(
    start: Start, sessions: Sessions, tmp_path: Path, address: str
) -> None:
    start("worker", SANTIAGO_HOSTS=address)
    start("scheduler")
    loud = bundle(choose='print("asked", self.asked)')
    with sessions() as session:
        ana, bela = author(session), author(session, "bela")
        uploaded(session, ana, "zorro", written(tmp_path / "zorro.tar.gz", loud))
        uploaded(session, bela, "gato", written(tmp_path / "gato.tar.gz", bundle()))
    until(lambda: states(sessions) == ["active", "active"])
    with sessions() as session:
        bots = session.scalars(select(Version.bot_id).order_by(Version.id)).all()
        lines = session.scalars(select(BuildLine.text).order_by(BuildLine.number)).all()
        assert any("Nothing to build" in line for line in lines)
        assert any("The check used" in line for line in lines)
        start_cup(session, *bots)
    until(lambda: played(sessions))
    with sessions() as session:
        outputs = session.scalars(select(SeatOutput)).all()
        assert len(outputs) >= 4  # the ladder plays, too
        assert any(one.output.startswith(b"asked 1\nasked 2\n") for one in outputs)
        assert all(one.peak_memory and one.cpu_ms for one in outputs)
        assert session.scalars(select(HostRow)).one().lanes > 0


def played(sessions: Sessions) -> bool:
    with sessions() as session:
        found = session.scalars(select(Match.state)).all()
        return set(found) == {"finished"}
