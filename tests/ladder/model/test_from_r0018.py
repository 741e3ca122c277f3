"""A database of the first release: its matches and checks under way go on as jobs."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, MetaData, select, text
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import checking
from ladder.bots.checking import CHECKS
from ladder.bots.versions import CHECK
from ladder.jobs import attempts, workers
from ladder.jobs.kinds import Attempt
from ladder.matches import results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.states import JOB
from ladder.model import Holding, Job, Match, MatchState, Version, VersionState
from referee.clock import Clock
from tests.ladder.bots.authors import GOOD
from tests.ladder.databases import session_on
from tests.ladder.league import claimed, ranked

AT = datetime.now(UTC)
LATER = AT + timedelta(hours=1)
EARLIER = AT - timedelta(hours=1)
QUEUED, RUNNING, DELAYED, FINISHED = range(1, 5)
ACTIVE, CHECKED_NOW, SUBMITTED = (1, 2), 3, 4


def version(number: int, state: str, **values: object) -> dict[str, Any]:
    """A version, of a bot with the same number, as r0018 stores it."""
    row = {"id": number, "bot_id": number, "name": "1", "address": "bot.example:443"}
    attempt = {"check_attempt": 0, "check_token": None, "check_lease_until": None}
    return row | {"state": state, "created_at": AT, **attempt, "check_sent_at": None, **values}


def match(number: int, state: str, **values: object) -> dict[str, Any]:
    """A match of the ladder as r0018 stores it."""
    row = {"id": number, "deal_id": number, "rotation": 0, "kind": "ladder", "seats": 2}
    clock = {"move_limit_ms": 10_000, "bank_ms": 60_000, "increment_ms": 500}
    counts = {"attempt": 0, "interruptions": 0, "interruptions_alone": 0, "unreached": 0}
    attempt = {"token": None, "claimed_by": None, "lease_until": None, "started_at": None}
    row |= {"state": state, "rated": True, "created_at": AT, "result_number": None, **clock}
    return row | {**counts, **attempt, "sent_at": None, "not_before": None, **values}


ROWS: dict[str, list[dict[str, Any]]] = {
    "users": [{"id": n, "name": f"ana {n}", "role": "author", "created_at": AT} for n in (1, 2, 3)],
    "bots": [
        {"id": n, "user_id": max(1, n - 1), "name": f"bot {n}", "created_at": AT}
        for n in (*ACTIVE, CHECKED_NOW, SUBMITTED)
    ],
    "versions": [
        *(version(number, "active") for number in ACTIVE),
        version(
            CHECKED_NOW,
            "checking",
            check_attempt=2,
            check_token="second",
            check_lease_until=EARLIER,
            check_sent_at=EARLIER,
        ),
        version(SUBMITTED, "submitted", check_attempt=1),
    ],
    "deals": [{"id": n, "layout_seed": n} for n in (QUEUED, RUNNING, DELAYED, FINISHED)],
    "matches": [
        match(QUEUED, "queued", sent_at=EARLIER),
        match(
            RUNNING,
            "running",
            attempt=3,
            token="third",
            claimed_by="havana",
            lease_until=LATER,
            interruptions=2,
            started_at=EARLIER,
        ),
        match(DELAYED, "queued", attempt=1, not_before=LATER),
        match(FINISHED, "finished", attempt=1, result_number=1),
    ],
    "seats": [
        {"match_id": n, "seat": seat, "bot_id": bot, "version_id": bot}
        for n in (QUEUED, RUNNING, DELAYED, FINISHED)
        for seat, bot in enumerate(ACTIVE)
    ],
}


def fill(connection: Connection) -> None:
    tables = MetaData()
    tables.reflect(connection, only=list(ROWS))
    for name, rows in ROWS.items():
        connection.execute(tables.tables[name].insert(), rows)
    connection.execute(text("UPDATE ledger SET last_result = 1"))


@pytest.fixture(scope="module")
def filled_once(shared_empty_url: str) -> str:
    """The address of a database that was filled at r0018 and then upgraded."""
    model.upgrade(shared_empty_url, "r0018")
    engine = model.engine(shared_empty_url)
    with engine.begin() as connection:
        fill(connection)
    engine.dispose()
    model.upgrade(shared_empty_url)
    return shared_empty_url


@pytest.fixture
def upgraded(filled_once: str, copied: Callable[[str], str]) -> Iterator[Session]:
    """A session on a copy of it."""
    with session_on(copied(filled_once)) as session:
        workers.beat(session, "tester", places=32)
        session.commit()
        yield session


def test_what_waits_or_runs_has_a_job(upgraded: Session) -> None:
    jobs = {(job.kind, job.subject): job for job in upgraded.scalars(select(Job))}
    assert jobs.keys() == {
        *((JOB, number) for number in (QUEUED, RUNNING, DELAYED)),
        *((CHECK, number) for number in (CHECKED_NOW, SUBMITTED)),
    }
    assert {job.queue for (kind, _), job in jobs.items() if kind == JOB} == {"ladder"}
    running = jobs[JOB, RUNNING]
    assert (running.number, running.token, running.worker) == (3, "third", "havana")
    assert (running.lease_until, running.alone) == (LATER, True)
    waiting = jobs[JOB, QUEUED]
    assert (waiting.number, waiting.token, waiting.lease_until) == (0, None, None)
    assert (waiting.sent_at, waiting.alone) == (EARLIER, False)
    delayed = jobs[JOB, DELAYED]
    assert (delayed.number, delayed.not_before) == (1, LATER)
    checked = jobs[CHECK, CHECKED_NOW]
    assert (checked.queue, checked.number, checked.token) == (CHECK, 2, "second")
    assert (checked.lease_until, checked.sent_at) == (EARLIER, EARLIER)
    submitted = jobs[CHECK, SUBMITTED]
    assert (submitted.number, submitted.token, submitted.lease_until) == (1, None, None)
    held = upgraded.scalars(select(Holding).order_by(Holding.party)).all()
    assert [(one.subject, one.party, one.holds) for one in held] == [
        (RUNNING, bot, True) for bot in ACTIVE
    ]


def test_matches_that_waited_or_ran_are_played(upgraded: Session) -> None:
    first = claimed(upgraded, QUEUED)
    assert (first.attempt, [player.bot_id for player in first.players]) == (1, list(ACTIVE))
    held = Attempt(JOB, RUNNING, 3, "third", alone=True, latest=LATER, worker="w")
    attempts.renew(upgraded, held, lease=60)  # by a worker that went on meanwhile
    running = MatchClaim(held, layout_seed=RUNNING, clock=Clock(), players=first.players)
    numbers = [results.finish(upgraded, claim, ranked(1, 2)) for claim in (first, running)]
    upgraded.commit()
    assert numbers == [2, 3]
    states = dict(upgraded.execute(select(Match.id, Match.state)).all())
    assert states == {
        QUEUED: MatchState.FINISHED,
        RUNNING: MatchState.FINISHED,
        DELAYED: MatchState.QUEUED,
        FINISHED: MatchState.FINISHED,
    }
    assert attempts.claim(upgraded, MATCHES, DELAYED, "tester", lease=60) is None
    assert list(upgraded.scalars(select(Holding.subject))) == []


def test_versions_that_waited_or_were_checked_are_checked(upgraded: Session) -> None:
    assert attempts.reap(upgraded, CHECKS) == [CHECKED_NOW]  # its worker is dead
    upgraded.commit()
    for number, attempt in ((CHECKED_NOW, 3), (SUBMITTED, 2)):
        check = attempts.claim(upgraded, CHECKS, number, "tester", lease=60)
        assert check is not None
        assert check.held.number == attempt
        checking.finish(upgraded, check, GOOD)
        upgraded.commit()
    checked = select(Version.state).where(Version.id.in_((CHECKED_NOW, SUBMITTED)))
    assert set(upgraded.scalars(checked)) == {VersionState.ACTIVE}  # alone on the ladder
