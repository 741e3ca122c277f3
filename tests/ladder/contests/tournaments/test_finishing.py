"""A tournament is over: the scheduler finishes it, with the standings of all its results."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.cross_table import CrossTable, cross_table
from ladder.contests.tournaments import correcting, lifecycle, lookup, rounds
from ladder.matches import results
from ladder.model import Match, Notice
from ladder.ratings import ledger
from tests.ladder.contests.tournaments.cups import go_on, gone_on, play, queued, running_cup
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import claimed, ranked
from tests.ladder.test_concurrency import at_once

Change = Callable[[Session, int], object]


def played(session: Session, count: int = 3) -> int:
    """A round robin all of whose matches are over; its first bots won."""
    cup = running_cup(session, format="round_robin", count=count)
    for match_id in queued(session, cup):
        play(session, match_id)
    return cup


def told(session: Session) -> list[str]:
    """What authors were told at the end."""
    found = session.scalars(select(Notice.sentence).order_by(Notice.id))
    over = [sentence for sentence in found if "is over" in sentence]
    session.commit()
    return over


ALL_TOLD = [
    "The tournament Copa is over: ada has rank 1 of 3.",
    "The tournament Copa is over: bela has rank 2 of 3.",
    "The tournament Copa is over: caro has rank 3 of 3.",
]


@on_sqlite
def test_no_result_waits_for_the_end_which_a_scheduler_that_is_killed_leaves_to_the_next(
    session: Session,
) -> None:
    cup = played(session)
    assert lookup.tournament(session, cup).state == "running"
    session.commit()
    assert rounds.due(session) == [cup]
    assert lifecycle.go_on(session, cup) == 0
    session.rollback()
    assert told(session) == []
    ended = gone_on(session, cup)
    assert (ended.state, ended.finished_at is None) == ("finished", False)
    assert go_on(session) == []
    assert told(session) == ALL_TOLD


def test_schedulers_at_the_same_time_finish_it_once(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        cup = played(session)

    def finish(_: int) -> None:
        with sessions.begin() as own:
            lifecycle.go_on(own, cup)

    at_once(finish, 2)
    with sessions() as session:
        assert lookup.tournament(session, cup).state == "finished"
        assert told(session) == ALL_TOLD


def annul_first(session: Session, cup: int) -> None:
    ledger.lock(session)
    of_cup = select(Match).where(Match.tournament_id == cup).order_by(Match.id)
    for match in session.scalars(of_cup.limit(2)).all():
        results.annul(session, match, None, "for this test")


def withdraw_first(session: Session, cup: int) -> None:
    (first, *_) = rounds.entered_versions(session, cup)
    correcting.withdraw(session, cup, first)


@pytest.fixture
def meanwhile(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[Session], object]], None]:
    """Have something done by another once the final table is computed, which sees nothing of it."""

    def arrange(change: Callable[[Session], object]) -> None:
        def compute(session: Session, tournament_id: int, **_: int) -> CrossTable:
            monkeypatch.undo()
            found = cross_table(session, tournament_id)
            with sessions.begin() as other:
                change(other)
            return found

        monkeypatch.setattr(lifecycle, "cross_table", compute)

    return arrange


@pytest.mark.parametrize("change", [annul_first, withdraw_first])
def test_what_changes_while_the_table_is_computed_counts(
    session: Session, meanwhile: Callable[..., None], change: Change
) -> None:
    cup = played(session)
    meanwhile(lambda other: change(other, cup))
    assert gone_on(session, cup).state == "running"
    assert told(session) == []
    assert gone_on(session, cup).state == "finished"
    rows = [row for row in cross_table(session, cup).rows if not row.withdrew]
    said = {f"The tournament Copa is over: {row.name} has rank {row.rank} of 3." for row in rows}
    assert set(told(session)) == said


@pytest.mark.parametrize(
    ("step", "state"), [(lifecycle.pause, "paused"), (lifecycle.cancel, "cancelled")]
)
def test_a_step_while_the_table_is_computed_goes_first(
    session: Session, meanwhile: Callable[..., None], step: Change, state: str
) -> None:
    cup = played(session)
    meanwhile(lambda other: step(other, cup))
    assert gone_on(session, cup).state == state
    assert told(session) == []


def test_other_results_are_written_while_the_table_is_computed(
    session: Session, meanwhile: Callable[..., None]
) -> None:
    cup = played(session)
    elsewhere = claimed(session, queued(session, running_cup(session, format="swiss", count=2))[0])
    meanwhile(lambda other: results.finish(other, elsewhere, ranked(1, 2)))
    assert gone_on(session, cup).state == "finished"
    assert told(session) == ALL_TOLD


@on_postgresql
def test_the_ledger_is_locked_for_the_same_few_statements_however_many_bots_there_are(
    session: Session,
) -> None:
    def with_ledger(count: int) -> int:
        """How many statements follow the lock."""
        cup = played(session, count)
        statements: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            statements.append(statement)

        event.listen(session.get_bind(), "before_cursor_execute", note)
        lifecycle.go_on(session, cup)
        event.remove(session.get_bind(), "before_cursor_execute", note)
        session.commit()
        locked = max(n for n, one in enumerate(statements) if "FROM ledger" in one)
        return len(statements) - locked

    assert with_ledger(2) == with_ledger(6)
