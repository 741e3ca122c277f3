from datetime import timedelta
from typing import Any

from sqlalchemy import event, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.jobs import dispatch
from ladder.jobs.dispatch import waiting
from ladder.model import Bot, Match, MatchKind
from ladder.ratings import ledger
from ladder.wiring import KINDS
from tests.ladder.databases import on_postgresql, on_sqlite, plan
from tests.ladder.league import claimed, job_of, match_ids, set_job, start_tournament


def due(session: Session, limit: int = 99) -> list[int]:
    found = dispatch.due(session, KINDS, MatchKind.TOURNAMENT, limit=limit, message_age=60)
    session.commit()
    return found


def grow_old(session: Session, match_id: int) -> None:
    """As if the match's message had been sent two minutes ago."""
    sent_at = job_of(session, match_id).sent_at
    assert sent_at is not None
    set_job(session, match_id, sent_at=sent_at - timedelta(minutes=2))


@on_sqlite
def test_every_queued_match_gets_one_message(session: Session) -> None:
    start_tournament(session, count=3)
    every = match_ids(session)
    session.commit()
    assert [queue.name for _, queue in waiting(session, KINDS, message_age=60)] == [
        MatchKind.TOURNAMENT
    ]
    assert due(session) == every
    assert not waiting(session, KINDS, message_age=60)
    assert not due(session)


def test_a_message_that_is_old_may_be_lost(session: Session) -> None:
    start_tournament(session)
    first, _ = due(session)
    grow_old(session, first)
    assert due(session) == [first]


def test_whoever_had_no_message_comes_before_who_may_have_lost_one(session: Session) -> None:
    start_tournament(session, count=3)
    first, second, third = due(session, limit=3)
    for match_id in (first, second, third):
        grow_old(session, match_id)
    fresh = due(session, limit=3)
    assert set(fresh).isdisjoint({first, second, third})
    assert due(session) == [first, second, third]


@on_sqlite
def test_to_send_a_few_messages_not_all_that_waits_is_looked_at(session: Session) -> None:
    """Only without a sort does SQLite stop once it has found enough."""
    start_tournament(session, count=3)
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    assert len(due(session, limit=7)) == 6, "after the first look there is room for one more"
    looks = [one for one in asked if one[0].startswith("SELECT jobs.subject")]
    assert len(looks) == 2
    for statement, values in looks:
        steps = plan(session, statement, values)
        assert steps[0] == "SEARCH jobs USING INDEX ix_jobs_waiting (queue=?)"
        assert not any("ORDER BY" in step for step in steps)


@on_postgresql
def test_the_matches_of_jobs_are_looked_at_one_by_one(session: Session) -> None:
    """Joined, PostgreSQL would read the seats of all matches to find the few that fit."""
    start_tournament(session, count=3)
    asked: list[tuple[str, Any]] = []

    def note(*args: Any) -> None:
        asked.append(args[2:4])

    event.listen(session.get_bind(), "before_cursor_execute", note)
    assert len(due(session, limit=7)) == 6, "after the first look there is room for one more"
    event.remove(session.get_bind(), "before_cursor_execute", note)
    looks = [one for one in asked if one[0].startswith("SELECT jobs.subject")]
    assert len(looks) == 2
    for statement, values in looks:
        steps = session.connection().exec_driver_sql(f"EXPLAIN {statement}", values).scalars()
        assert not any("Semi Join" in step for step in steps)


def test_what_is_played_needs_no_message(session: Session) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    claimed(session, first)
    assert due(session) == [second]


def test_nothing_is_due_where_nothing_is_queued(session: Session) -> None:
    assert due(session) == []
    start_tournament(session)
    session.execute(update(Match).values(state="cancelled"))
    session.commit()
    assert due(session) == []


def test_to_look_for_matches_that_can_be_played_waits_for_no_result(
    sessions: sessionmaker[Session],
) -> None:
    """In a large tournament whose bots are all busy that takes a while."""
    with sessions() as session:
        start_tournament(session)
        session.execute(update(Bot).values(state="paused"))
        session.commit()
    with sessions() as writing, sessions() as session:
        ledger.lock(writing)
        assert due(session) == []
