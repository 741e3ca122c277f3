"""How long matches may take, by their clocks."""

from datetime import timedelta

from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.model import Match
from referee.clock import Clock
from tests.ladder.league import claimed, first_match, job_of


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
