"""The checks of new versions that a worker makes, whatever befalls it."""

import asyncio
import logging
from collections.abc import Iterator
from functools import partial
from threading import Thread

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from ladder import config
from ladder.bots import versions
from ladder.bots.checking import CHECKS
from ladder.bots.reports import CheckClaim, Report
from ladder.bots.versions import CHECK
from ladder.config import Settings
from ladder.jobs.runner import Handler, Runner
from ladder.jobs.stage import Stage
from ladder.model import Job, Version
from ladder.worker import Examine, check
from tests.e2e.processes import until
from tests.ladder.bots.authors import BAD, GOOD, author, checks_due, submitted

SETTINGS = Settings("unused", "unix:///unused", lease=60.0, renew=0.02)
Sessions = sessionmaker[Session]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(SETTINGS.renew)
    yield stage
    stage.close()


@pytest.fixture
def version_id(session: Session, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv(config.SECRET_KEY, Fernet.generate_key().decode())
    return submitted(session, author(session)).version_id


def reporting(report: Report) -> Examine:
    async def examine(check: CheckClaim) -> Report:
        return report

    return examine


def runner(sessions: Sessions, stage: Stage, examine: Examine) -> Runner:
    handler = Handler(CHECKS, partial(check, by=examine))
    return Runner(SETTINGS, sessions, stage, [handler], "runner")


async def examine_for_ever(check: CheckClaim) -> Report:
    await asyncio.Event().wait()
    raise AssertionError


async def fail(check: CheckClaim) -> Report:
    raise RuntimeError("a bug")


def row(sessions: Sessions, version_id: int) -> Version:
    with sessions() as session:
        return session.scalars(select(Version).where(Version.id == version_id)).one()


def lease_until(sessions: Sessions, version_id: int) -> object:
    with sessions() as session:
        return session.get_one(Job, (CHECK, version_id)).lease_until


@pytest.mark.parametrize(("report", "passed"), [(GOOD, True), (BAD, False)])
def test_what_a_check_finds_is_kept(
    stage: Stage, sessions: Sessions, version_id: int, report: Report, passed: bool
) -> None:
    assert runner(sessions, stage, reporting(report)).work(CHECK, version_id)
    checked = row(sessions, version_id)
    assert (checked.state == "rejected") != passed
    assert checked.checked_at is not None


def test_a_second_message_checks_nothing(stage: Stage, sessions: Sessions, version_id: int) -> None:
    checked: list[int] = []

    async def examine(check: CheckClaim) -> Report:
        checked.append(check.held.number)
        return BAD

    checks = runner(sessions, stage, examine)
    assert checks.work(CHECK, version_id)
    assert checks.work(CHECK, version_id)
    assert checked == [1]


def test_what_fails_here_is_left_to_another_worker_and_logged(
    stage: Stage, sessions: Sessions, version_id: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert runner(sessions, stage, fail).work(CHECK, version_id)
    assert row(sessions, version_id).state == "submitted"
    assert "a bug" in caplog.text
    with sessions() as session:
        assert checks_due(session, 0.0) == [], "after a while"
    end_pause(sessions)
    with sessions() as session:
        assert checks_due(session, 0.0) == [version_id]


def test_a_database_that_is_lost_meanwhile_is_told_in_one_line(
    stage: Stage, sessions: Sessions, version_id: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A bundle for a host is read from the database, for example."""

    async def lose(check: CheckClaim) -> Report:
        raise OperationalError("SELECT", None, Exception("connection timeout\nexpired"))

    assert runner(sessions, stage, lose).work(CHECK, version_id)
    assert row(sessions, version_id).state == "submitted"
    (line,) = (one for one in caplog.records if one.levelno >= logging.WARNING)
    assert line.getMessage() == f"check {version_id}, attempt 1 failed: connection timeout expired"
    assert line.exc_info is None


def end_pause(sessions: Sessions) -> None:
    with sessions.begin() as session:
        session.execute(update(Job).values(not_before=None))


def test_what_fails_again_and_again_is_given_up(
    stage: Stage, sessions: Sessions, version_id: int
) -> None:
    for _ in range(versions.ATTEMPTS):
        end_pause(sessions)
        assert row(sessions, version_id).state == "submitted"
        assert runner(sessions, stage, fail).work(CHECK, version_id)
    found = row(sessions, version_id)
    assert found.state == "rejected"
    assert found.reason == (
        "We could not check it in 5 tries; that is no fault of the version. Submit it again "
        "later, or tell the operator."
    )


def test_at_the_end_a_check_is_given_back(
    stage: Stage, sessions: Sessions, version_id: int
) -> None:
    checks = runner(sessions, stage, examine_for_ever)
    thread = Thread(target=checks.work, args=(CHECK, version_id))
    thread.start()
    until(lambda: row(sessions, version_id).state == "checking")
    first = lease_until(sessions, version_id)
    until(lambda: lease_until(sessions, version_id) != first)  # it is renewed
    stage.stop()
    thread.join(60)
    assert row(sessions, version_id).state == "submitted"
    assert not checks.work(CHECK, version_id)
