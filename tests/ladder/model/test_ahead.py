"""After the database's clock was set back, nothing waits until it has caught up."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.config import Settings
from ladder.errors import SettingsError
from ladder.jobs import attempts, dispatch, workers
from ladder.matches.job import MATCHES
from ladder.model import Version
from ladder.model.ahead import LONGEST_LEASE
from ladder.wiring import KINDS
from tests.ladder.league import claimed, job_of, match_ids, register_bots, set_job, start_tournament

HOUR = timedelta(hours=1)


def drawn_in(session: Session) -> int:
    count = model.draw_in(session)
    session.commit()
    return count


def in_an_hour(session: Session) -> datetime:
    """A time that was written before the clock was set back by an hour."""
    return model.now(session) + HOUR


def is_due(session: Session) -> bool:
    return bool(dispatch.waiting(session, KINDS, message_age=60))


def test_what_lies_ahead_as_it_may_stays(session: Session) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    claimed(session, first, lease=LONGEST_LEASE.total_seconds())
    at = model.now(session)
    set_job(session, second, not_before=at + timedelta(minutes=5), sent_at=at)
    workers.beat(session, "tester", places=1)
    session.commit()
    assert drawn_in(session) == 0


def test_no_lease_may_be_longer_than_the_longest() -> None:
    longest = str(LONGEST_LEASE.total_seconds())
    urls = {"DATABASE_URL": "sqlite://", "REDIS_URL": "redis://host"}
    assert Settings.from_environment({**urls, "SANTIAGO_LEASE": longest}).lease == float(longest)
    with pytest.raises(SettingsError):
        Settings.from_environment({**urls, "SANTIAGO_LEASE": longest + "1"})


@pytest.mark.parametrize("column", ["not_before", "sent_at"])
def test_a_job_waits_no_hour_for_its_time_or_another_message(session: Session, column: str) -> None:
    start_tournament(session)
    set_job(session, None, **{column: in_an_hour(session)})
    assert drawn_in(session) == 2
    set_job(session, sent_at=None)
    assert is_due(session)


def test_the_job_of_a_dead_worker_is_taken_back_after_the_longest_lease(session: Session) -> None:
    start_tournament(session)
    first = match_ids(session)[0]
    claimed(session, first)
    set_job(session, first, lease_until=in_an_hour(session))
    assert drawn_in(session) == 1
    until = job_of(session, first).lease_until
    assert until is not None
    assert until <= model.now(session) + LONGEST_LEASE


def test_a_living_worker_keeps_its_job(session: Session) -> None:
    start_tournament(session)
    claim = claimed(session, match_ids(session)[0])
    set_job(session, claim.match_id, lease_until=in_an_hour(session))
    drawn_in(session)
    attempts.renew(session, claim.held, lease=15)
    session.commit()
    assert attempts.reap(session, MATCHES) == []


def test_a_dead_worker_does_not_count_as_alive(session: Session) -> None:
    workers.beat(session, "tester", places=1)
    worker = session.get_one(model.Worker, "tester")
    worker.seen_at = in_an_hour(session)
    session.commit()
    assert drawn_in(session) == 1
    session.refresh(worker)
    assert worker.seen_at <= model.now(session)


def test_a_bot_that_is_offline_is_looked_for(session: Session) -> None:
    register_bots(session, 2)
    version_id = session.scalars(select(Version.id)).first()
    assert version_id is not None
    reach.lost(session, version_id)
    version = session.get_one(Version, version_id)
    version.offline_since = version.probe_at = in_an_hour(session)
    session.commit()
    assert reach.look(session) is None
    assert drawn_in(session) == 2
    assert reach.look(session)
