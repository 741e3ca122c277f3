"""The numbers of the queue and of the workers."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.analyses.job import ANALYSIS
from ladder.jobs import attempts, workers
from ladder.matches.queue import queue_state
from ladder.model import Match, MatchKind, Tournament
from ladder.operating.metrics import Gauges
from tests.ladder.league import claimed, first_match, set_job, start_tournament


def told(sessions: sessionmaker[Session]) -> dict[tuple[str, ...], float]:
    """By name, and kind if there is one."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for metric in Gauges(sessions).collect()
        for sample in metric.samples
    }


def test_where_there_is_nothing_all_is_nought(sessions: sessionmaker[Session]) -> None:
    assert set(told(sessions).values()) == {0.0}


def test_matches_are_counted_by_kind(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        start_tournament(session, count=3)
        first, second, third, *_ = session.scalars(select(Match.id).order_by(Match.id))
        session.execute(update(Match).where(Match.id == first).values(kind="ladder"))
        failed = {"state": "failed", "finished_at": Match.created_at}
        session.execute(update(Match).where(Match.id == second).values(failed))
        attempts.enqueue(session, ANALYSIS, ANALYSIS, [first])
        session.commit()
        claimed(session, third)
    numbers = told(sessions)
    assert numbers["santiago_queued", "analysis"] == 1
    assert numbers["santiago_queued", "ladder"] == 1
    assert numbers["santiago_queued", "tournament"] == 3
    assert numbers["santiago_running", "tournament"] == 1
    assert numbers[("santiago_failed",)] == 1


def test_the_oldest_that_waits_tells_how_long(session: Session) -> None:
    match_id = first_match(session)
    match = session.get_one(Match, match_id)
    match.created_at -= timedelta(minutes=5)
    session.execute(update(Tournament).values(started_at=match.created_at))
    session.commit()
    assert queue_state(session).oldest_waiting >= 300
    set_job(session, match.id, not_before=match.created_at + timedelta(days=1))
    session.commit()
    assert queue_state(session).oldest_waiting < 60
    assert queue_state(session).queued[MatchKind.TOURNAMENT] == 2


def test_a_draft_waits_from_its_start(session: Session) -> None:
    match = session.get_one(Match, first_match(session))
    match.created_at -= timedelta(days=1)
    session.execute(update(Tournament).values(started_at=model.now(session) - timedelta(hours=1)))
    assert 3600 <= queue_state(session).oldest_waiting < 3660


def test_workers_and_their_places(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        workers.beat(session, "havana", places=4, lag_ms=20)
        workers.beat(session, "trinidad", places=8, lag_ms=500)
    numbers = told(sessions)
    assert numbers[("santiago_workers",)] == 2
    assert numbers[("santiago_places",)] == 12
    assert numbers[("santiago_worst_lag_seconds",)] == 0.5


def test_a_scrape_goes_on_without_the_database(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    engine = model.engine(f"sqlite:///{tmp_path}/away/ladder.db")
    assert told(model.session_factory(engine)) == {}
    assert [record.getMessage() for record in caplog.records] == [
        "no gauges: the database does not answer: unable to open database file"
    ]
    engine.dispose()
