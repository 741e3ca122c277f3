"""How long matches may take, by the clocks that are in use."""

from datetime import timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs import attempts
from ladder.matches.queue import longest
from ladder.model import Ladder, Match
from referee.clock import Clock
from tests.ladder.league import claimed, first_match, job_of, register_bots

SLOW = Clock(bank=3600.0)


def test_the_longest_match_is_that_of_the_largest_table_and_the_slowest_clock(
    session: Session,
) -> None:
    assert longest(session) == Clock().longest_match(4)
    session.execute(update(Ladder).where(Ladder.seats == 3).values(bank_ms=3_600_000))
    assert longest(session) == SLOW.longest_match(3)


def test_tournaments_count_until_they_are_over(session: Session) -> None:
    made = creating.create(
        session, None, name="Copa", seats=2, bot_ids=register_bots(session, 2), deals=1, clock=SLOW
    )
    session.commit()
    assert longest(session) == SLOW.longest_match(2)
    lifecycle.cancel(session, made.id)
    session.commit()
    assert longest(session) == Clock().longest_match(4)


def test_where_nothing_is_set_the_usual_clock_holds(session: Session) -> None:
    for row in session.query(Ladder):
        session.delete(row)
    session.flush()
    assert longest(session) == Clock().longest_match(4)


def test_no_lease_lasts_longer_than_the_match_may(session: Session) -> None:
    match_id = first_match(session)
    held = claimed(session, match_id, lease=10**6)
    row = session.get_one(Match, match_id, populate_existing=True)
    assert row.started_at is not None
    latest = row.started_at + timedelta(seconds=Clock().longest_match(2) + 30)
    assert job_of(session, match_id).lease_until == held.held.latest == latest
    session.commit()
    attempts.renew(session, held.held, lease=10**6)
    session.commit()
    assert job_of(session, match_id).lease_until == latest
