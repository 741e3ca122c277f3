"""Puzzles of analysed matches: proposed, checked by a deeper search, shown, and retired."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from sqlalchemy import delete, event, insert, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.analyses import queue
from ladder.analyses.engine import ATTEMPTS, Analysed, NotAnalysed, run_solver
from ladder.analyses.job import ANALYSES
from ladder.errors import NotFound, Stale
from ladder.jobs import attempts, workers
from ladder.model import Job, Puzzle, PuzzleState
from ladder.puzzles import reading, solving
from ladder.puzzles.solving import PUZZLE, PUZZLES, PuzzleClaim, Solve, check
from referee.analysis import GameAnalysis, pack
from referee.analysis.puzzles import Question, Solution
from referee.engine import VERSION
from referee.replay import write
from referee.rules import move_text
from tests.ladder.databases import meanwhile, on_sqlite, plan
from tests.ladder.league import LEASE, finished, match_ids, ranked, start_tournament
from tests.referee.analysis.games import analysis_of, replay_of

Sessions = sessionmaker[Session]

REPLAY = write(replay_of("two"))


@cache
def analysed() -> GameAnalysis:
    """The analysis of a game in which a drive and a tribute are clear as day."""
    game, found = analysis_of("two"), []
    for number, kind in enumerate(("drive", "tribute")):
        one = next(d for d in game.decisions if d.kind == kind and len(d.values) >= 4)
        best = replace(one.values[0], share=0.9)
        rest = [replace(value, share=0.3) for value in one.values[1:]]
        found.append(replace(one, turn=50 * number, values=(best, *rest)))
    return replace(game, decisions=tuple(found))


@pytest.fixture
def match_id(session: Session) -> int:
    """A match that is over."""
    start_tournament(session)
    first = match_ids(session)[0]
    finished(session, first, replace(ranked(1, 2), replay=REPLAY))
    return first


def proposed(session: Session, match_id: int) -> list[int]:
    """The ids of the puzzles of a match, once its analysis is stored."""
    solving.propose(session, match_id, analysed())
    session.commit()
    return list(session.scalars(select(Puzzle.id).order_by(Puzzle.id)))


def claimed(session: Session, puzzle_id: int) -> PuzzleClaim:
    claim = attempts.claim(session, PUZZLES, puzzle_id, "tester", lease=LEASE)
    session.commit()
    assert claim is not None
    return claim


def attempted(session: Session, puzzle_id: int, solve: Solve) -> None:
    """Make an attempt as a worker does; committed."""
    attempts.bring_forward(session, PUZZLE, puzzle_id)
    claim = claimed(session, puzzle_id)
    settle = asyncio.run(check(claim, by=solve))
    settle(session, claim)
    session.commit()
    session.expire_all()


def opened(session: Session, match_id: int) -> list[int]:
    """The ids of the match's puzzles, all of them open."""
    ids = proposed(session, match_id)
    for puzzle_id in ids:
        attempted(session, puzzle_id, agreeing)
    return ids


async def agreeing(replay: bytes, question: Question) -> Solution | None:
    assert replay == REPLAY
    values = ((question.move, 0.9), ("pass", 0.3), ("drive 7", 0.2))
    return Solution(2, 9, values, (question.move, "visit bank"))


async def disagreeing(replay: bytes, question: Question) -> Solution | None:
    return None


async def broken(replay: bytes, question: Question) -> Solution | None:
    raise NotAnalysed("The engine was ended by signal 9.")


async def damaged(replay: bytes, question: Question) -> Solution | None:
    raise NotAnalysed("The replay is damaged.", for_good=True)


def jobs(session: Session) -> list[int]:
    return list(session.scalars(select(Job.subject).where(Job.kind == PUZZLE)))


def test_an_analysis_proposes_puzzles_that_nobody_sees_yet(session: Session, match_id: int) -> None:
    ids = proposed(session, match_id)
    assert len(ids) == 2
    assert jobs(session) == ids
    assert reading.page(session).puzzles == ()
    assert reading.of_day(session, date(2026, 1, 1)) is None
    with pytest.raises(NotFound, match=f"there is no puzzle {ids[0]}"):
        reading.puzzle(session, ids[0])


@on_sqlite
def test_puzzles_follow_from_an_analysis_that_is_stored(session: Session, match_id: int) -> None:
    queue.ask(session, match_id)
    claim = attempts.claim(session, ANALYSES, match_id, "tester", lease=LEASE)
    assert claim is not None
    ANALYSES.finish(session, claim, Analysed(VERSION, 2, pack(analysed())))
    assert len(jobs(session)) == 2


def test_the_same_analysis_proposes_nothing_again(session: Session, match_id: int) -> None:
    assert proposed(session, match_id) == proposed(session, match_id)


def test_no_kind_has_more_than_a_few_a_day(
    session: Session, match_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "MOST_A_DAY", 1)
    solving.propose(session, match_id, analysed())
    session.execute(update(Puzzle).values(moment=Puzzle.moment + 10_000))
    solving.propose(session, match_id, analysed())
    assert len(session.scalars(select(Puzzle.id)).all()) == 2


@on_sqlite
def test_a_deeper_search_opens_a_puzzle(session: Session, match_id: int) -> None:
    first, _ = opened(session, match_id)
    found, decision = reading.puzzle(session, first), analysed().decisions[0]
    assert (found.match_id, found.moment, found.kind) == (match_id, decision.moment, "drive")
    assert (found.seats, found.seat, found.level, found.margin) == (2, decision.seat, 2, 0.6)
    assert found.move == move_text(decision.values[0].move)
    assert found.values[:2] == ((found.move, 0.9), ("pass", 0.3))
    assert found.line == (found.move, "visit bank")
    assert found.missed is (decision.move != decision.values[0].move)
    assert not found.retired
    assert jobs(session) == []


def test_what_the_search_does_not_confirm_is_gone(session: Session, match_id: int) -> None:
    first, second = proposed(session, match_id)
    attempted(session, first, disagreeing)
    assert session.scalars(select(Puzzle.id)).all() == [second]
    assert jobs(session) == [second]


def test_a_check_that_fails_is_not_made_for_ever(session: Session, match_id: int) -> None:
    first, second = proposed(session, match_id)
    for _ in range(ATTEMPTS):
        assert first in jobs(session)
        attempted(session, first, broken)
    assert session.scalars(select(Puzzle.id)).all() == [second]


def test_an_attempt_that_is_over_writes_nothing(session: Session, match_id: int) -> None:
    first, _ = proposed(session, match_id)
    claim = claimed(session, first)
    attempts.void(session, PUZZLE, first)
    with pytest.raises(Stale):
        solving.finish(session, claim, None)
    session.rollback()
    assert session.get_one(Puzzle, first).state is PuzzleState.PROPOSED


def test_an_open_puzzle_outlives_checks_that_break_off(session: Session, match_id: int) -> None:
    first, _ = opened(session, match_id)
    attempts.enqueue(session, PUZZLE, PUZZLE, [first])
    for _ in range(ATTEMPTS):
        attempted(session, first, broken)
    assert jobs(session) == []
    assert not reading.puzzle(session, first).retired
    attempts.enqueue(session, PUZZLE, PUZZLE, [first])
    attempted(session, first, damaged)
    assert reading.puzzle(session, first).retired


def test_two_workers_do_not_both_get_the_last_place(
    sessions: Sessions, session: Session, match_id: int
) -> None:
    first, second = proposed(session, match_id)
    for worker in ("one", "other"):
        workers.beat(session, worker, places=1)
    session.commit()
    assert attempts.claim(session, PUZZLES, first, "one", lease=LEASE) is not None

    def take(other: Session) -> PuzzleClaim | None:
        return attempts.claim(other, PUZZLES, second, "other", lease=LEASE)

    assert meanwhile(sessions, session, take) is None


def test_two_schedulers_may_tend_at_once(
    sessions: Sessions, session: Session, match_id: int
) -> None:
    first, _ = opened(session, match_id)
    session.execute(update(Puzzle).where(Puzzle.id == first).values(engine=VERSION - 1))
    session.commit()
    assert solving.tend(session) == first
    meanwhile(sessions, session, solving.tend)
    assert jobs(session) == [first]


def test_a_newer_engine_checks_open_puzzles_one_by_one(session: Session, match_id: int) -> None:
    ids = opened(session, match_id)
    assert solving.tend(session) is None
    session.execute(update(Puzzle).values(engine=VERSION - 1))
    second = solving.tend(session)
    assert second in ids
    (first,) = set(ids) - {second}
    assert solving.tend(session) is None
    session.commit()
    attempted(session, second, agreeing)
    assert session.get_one(Puzzle, second).engine == VERSION
    assert solving.tend(session) == first
    session.commit()
    attempted(session, first, disagreeing)
    assert reading.puzzle(session, first).retired
    assert [one.id for one in reading.page(session).puzzles] == [second]
    session.execute(update(Puzzle).where(Puzzle.id == first).values(engine=VERSION - 1))
    assert solving.tend(session) is None, "what is retired stays so"
    attempts.enqueue(session, PUZZLE, PUZZLE, [first])
    session.commit()
    assert attempts.claim(session, PUZZLES, first, "tester", lease=LEASE) is None
    assert jobs(session) == []


def test_lists_are_filtered_and_paged(session: Session, match_id: int) -> None:
    first, second = opened(session, match_id)
    page = reading.page(session, limit=1)
    assert ([one.id for one in page.puzzles], page.next_before) == ([second], second)
    page = reading.page(session, limit=1, before=second)
    assert ([one.id for one in page.puzzles], page.next_before) == ([first], None)
    assert [one.id for one in reading.page(session, kind="drive").puzzles] == [first]
    assert reading.page(session, level=3).puzzles == reading.page(session, seats=4).puzzles == ()
    assert dict(reading.counts(session)) == {"drive": 1, "tribute": 1}
    assert (reading.after(session, second), reading.after(session, first)) == (first, second)


def test_a_day_has_one_puzzle_and_the_next_day_another(session: Session, match_id: int) -> None:
    ids = opened(session, match_id)
    days = [date(2026, 11, day) for day in range(1, 11)]
    session.execute(update(Puzzle).values(opened_at=datetime(2026, 1, 1, tzinfo=UTC)))
    found = [one.id for day in days if (one := reading.of_day(session, day))]
    assert set(found) == set(ids)
    for day, puzzle_id in zip(days, found, strict=True):
        other = update(Puzzle).where(Puzzle.id != puzzle_id)
        session.execute(other.values(state=PuzzleState.RETIRED))
        again = reading.of_day(session, day)
        assert again is not None
        assert again.id == puzzle_id
        session.execute(other.values(state=PuzzleState.OPEN))


def test_all_puzzles_have_their_days_about_equally_often(session: Session, match_id: int) -> None:
    first = session.get_one(Puzzle, opened(session, match_id)[0])
    shown = {column.key: getattr(first, column.key) for column in Puzzle.__table__.columns}
    shown["opened_at"] = datetime(2026, 1, 1, tzinfo=UTC)
    session.execute(delete(Puzzle))
    rows = [{**shown, "id": number, "moment": number} for number in range(1, 6)]
    session.execute(insert(Puzzle), rows)
    days = [date(2026, 1, 2) + timedelta(days=day) for day in range(200)]
    found = Counter(one.id for day in days if (one := reading.of_day(session, day)))
    assert len(found) == 5
    assert all(20 < times < 60 for times in found.values())


def test_the_first_day_has_the_first_puzzle(session: Session, match_id: int) -> None:
    ids = opened(session, match_id)
    for first in ids:  # that was open first: it may have been proposed after others
        opened_at = datetime(2026, 1, 1, tzinfo=UTC)
        session.execute(update(Puzzle).where(Puzzle.id == first).values(opened_at=opened_at))
        found = reading.of_day(session, date(2020, 1, 1))
        assert found is not None
        assert found.id == first
        session.execute(update(Puzzle).values(opened_at=datetime(2026, 1, 2, tzinfo=UTC)))


@on_sqlite
def test_the_puzzle_of_a_day_is_chosen_without_reading_all_answers(
    session: Session, match_id: int
) -> None:
    opened(session, match_id)
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    assert reading.of_day(session, date(2020, 1, 1)) is not None
    assert reading.of_day(session, date(2099, 1, 1)) is not None
    assert reading.counts(session)
    assert queue.queue_state(session).failed == 0
    steps = [
        step
        for statement, values in asked
        for step in plan(session, statement, values)
        if "puzzles" in step or " analyses" in step
    ]
    assert steps
    for step in steps:
        assert "COVERING INDEX" in step or "PRIMARY KEY" in step or "ix_analyses_failed" in step


async def test_the_engine_checks_in_a_process_of_its_own() -> None:
    one = analysed().decisions[0]
    question = Question(one.moment, move_text(one.values[0].move), missed=False)
    found = await run_solver(REPLAY, question, looks=2)
    assert found is None or found.values[0][0] == question.move
    with pytest.raises(NotAnalysed, match="no decision at moment 9999"):
        await run_solver(REPLAY, replace(question, moment=9999), looks=2)
