"""Many who submit, check and take over at the same instant."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import availability, submitting, versions
from ladder.bots.checking import CHECKS
from ladder.errors import Refused
from ladder.jobs import attempts, workers
from ladder.matches.job import MATCHES
from ladder.model import Bot, Match, RatingChange, Seat, Version
from ladder.ratings import ledger
from tests.e2e.processes import until
from tests.ladder.bots.authors import (
    LEASE,
    SECRET,
    active,
    author,
    house_bot,
    start_cup,
    state,
    submitted,
)
from tests.ladder.databases import on_postgresql, waits
from tests.ladder.league import match_ids
from tests.ladder.test_concurrency import THREADS, at_once

Sessions = sessionmaker[Session]


def test_one_of_many_submissions_of_a_version_is_taken(sessions: Sessions) -> None:
    with sessions() as session:
        ana = author(session)

    def submit(_: int) -> bool:
        try:
            with sessions.begin() as session:
                submitting.submit(
                    session,
                    ana,
                    name="zorro",
                    version="1",
                    address="bot.example:443",
                    secret=SECRET,
                )
        except Refused:
            return False
        return True

    assert sorted(at_once(submit)) == [False] * (THREADS - 1) + [True]
    with sessions() as session:
        assert session.scalar(select(func.count()).select_from(Version)) == 1
        assert session.scalar(select(func.count()).select_from(Bot)) == 1


@pytest.mark.parametrize("submits_first", [True, False])
def test_no_version_is_submitted_to_a_bot_while_it_retires(
    sessions: Sessions, submits_first: bool
) -> None:
    with sessions() as session:
        ana = author(session)
        made = active(session, ana)

    def submit(session: Session) -> None:
        submitting.submit(session, ana, name="zorro", version="2", address="bot.example:443")

    def retire(session: Session) -> None:
        availability.retire(session, ana, made.bot_id)

    first, second = (submit, retire) if submits_first else (retire, submit)
    with sessions() as session:
        first(session)
        session.flush()
        if session.get_bind().dialect.name == "postgresql":
            assert is_made_to_wait(sessions, second)
        session.commit()
    if submits_first:
        with sessions.begin() as session:
            retire(session)
    else:
        with sessions.begin() as session, pytest.raises(Refused, match="retired"):
            submit(session)
    with sessions() as session:
        states = set(session.scalars(select(Version.state)))
    assert states == ({"active", "rejected"} if submits_first else {"active"})


def is_made_to_wait(sessions: Sessions, deed: Callable[[Session], None]) -> bool:
    """Whether somebody else's transaction holds a lock that this needs."""
    with sessions() as session:
        session.execute(text("SET LOCAL lock_timeout = '50ms'"))
        try:
            deed(session)
            session.flush()
        except OperationalError:
            return True
    return False


def test_one_of_many_workers_gets_a_check_and_no_more_than_there_is_room(
    sessions: Sessions,
) -> None:
    with sessions() as session:
        workers.beat(session, "worker", places=20)
        made = [submitted(session, author(session, f"author-{n}")) for n in range(THREADS)]

    def claim(number: int) -> list[int]:
        got = []
        for one in [*made[number:], *made[:number]]:
            with sessions.begin() as session:
                if (
                    attempts.claim(session, CHECKS, one.version_id, "tester", lease=60.0)
                    is not None
                ):
                    got.append(one.version_id)
        return got

    got = [version for claims in at_once(claim) for version in claims]
    assert len(got) == len(set(got)) == 2


def test_a_version_takes_over_once(sessions: Sessions) -> None:
    with sessions() as session:
        ana = author(session)
        first = active(session, ana)
        second = submitted(session, ana, version="2")

    def take_over(_: int) -> None:
        with sessions.begin() as session:
            versions.take_over(session, second.version_id)

    at_once(take_over)
    with sessions() as session:
        assert state(session, first.version_id) == "superseded"
        assert state(session, second.version_id) == "active"
        assert session.scalar(select(func.count()).select_from(RatingChange)) == 0


def test_who_claims_a_match_while_a_version_takes_over_plays_the_one_that_counts(
    sessions: Sessions,
) -> None:
    with sessions() as session:
        ana = author(session)
        first = active(session, ana)
        start_cup(session, first.bot_id, house_bot(session))
        second = submitted(session, ana, version="2")
        session.execute(update(Match).values(kind="ladder", tournament_id=None))
        session.commit()
        early, late = match_ids(session)
        session.commit()
        claim = attempts.claim(session, MATCHES, early, "worker", lease=LEASE)
        assert claim is not None
        if session.get_bind().dialect.name == "sqlite":  # there writers wait for one another
            session.commit()
        with sessions.begin() as other:
            versions.take_over(other, second.version_id)
        session.commit()
        assert first.version_id in {player.version_id for player in claim.players}
        own = select(Seat.match_id, Seat.version_id).where(Seat.bot_id == first.bot_id)
        seated = dict(session.execute(own).all())
        assert seated == {early: first.version_id, late: second.version_id}


def test_pauses_and_claims_at_once_lock_nobody_out(sessions: Sessions) -> None:
    with sessions() as session:
        ana = author(session)
        made = active(session, ana)

    def act(number: int) -> None:
        for _ in range(5):
            with sessions.begin() as session:
                (availability.pause if number % 2 else availability.resume)(
                    session, ana, made.bot_id
                )

    at_once(act)


@on_postgresql
def test_a_claim_that_waits_for_the_ledger_holds_up_no_heartbeat(sessions: Sessions) -> None:
    with sessions() as session:
        workers.beat(session, "tester", places=20)
        made = submitted(session, author(session))

    def claim() -> bool:
        with sessions.begin() as session:
            taken = attempts.claim(session, CHECKS, made.version_id, "tester", lease=LEASE)
            return taken is not None

    with ThreadPoolExecutor(1) as pool:
        with sessions.begin() as session:
            ledger.lock(session)
            claimed = pool.submit(claim)
            until(lambda: waits(sessions))
            held_up = is_made_to_wait(
                sessions, lambda other: workers.beat(other, "tester", places=20)
            )
        assert claimed.result()
    assert not held_up
