"""The deeper search of a puzzle as a job: whether the best move is still the best, by far."""

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.analyses.thinking import LONGEST, PART, EngineKind
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Queue, Wanted
from ladder.jobs.runner import Lease, Settle
from ladder.model import Puzzle, PuzzleState, Replay, now, write
from referee.analysis.puzzles import Question, Solution
from referee.engine import VERSION

PUZZLE: Final = "puzzle"
"""The kind of the job, and its queue."""


@dataclass(frozen=True, slots=True)
class PuzzleClaim:
    """One attempt at a puzzle: the right to check it, the question, and the match's replay file."""

    held: Attempt
    question: Question
    replay: bytes = field(repr=False)


Solve = Callable[[bytes, Question], Coroutine[None, None, Solution | None]]
"""Looks deeper; returns None if the search does not agree. Raises NotAnalysed."""


class Puzzles(EngineKind[PuzzleClaim]):
    """Puzzles that are to be checked."""

    name = PUZZLE
    queues = (Queue(PUZZLE, part=PART),)

    def wanted(self, session: Session, subject: int) -> Wanted[PuzzleClaim] | None:
        query = select(Puzzle, Replay.data).join(Replay, Replay.match_id == Puzzle.match_id)
        found = session.execute(query.where(Puzzle.id == subject)).one_or_none()
        if found is None or found[0].state is PuzzleState.RETIRED:
            attempts.drop(session, PUZZLE, subject)
            return None
        puzzle, data = found
        question = Question(puzzle.moment, puzzle.move, missed=puzzle.missed)
        return Wanted(LONGEST, partial(_begin, question, data))

    def give_up(self, session: Session, attempt: Attempt, why: str) -> None:  # noqa: ARG002
        _let_go(session, session.get_one(Puzzle, attempt.subject))


PUZZLES: Final = Puzzles()


def solving_by(
    solve: Solve,
) -> Callable[[PuzzleClaim, Lease], Coroutine[None, None, Settle[PuzzleClaim]]]:
    """Make the function that checks a puzzle, and returns what settles it."""
    return PUZZLES.done_by(lambda claim: solve(claim.replay, claim.question), finish)


def finish(session: Session, claim: PuzzleClaim, solution: Solution | None) -> None:
    """Open a puzzle, or let it go if the search does not agree. Raises Stale."""
    write(session)
    attempts.end(session, claim.held)
    puzzle = session.get_one(Puzzle, claim.held.subject)
    if solution is None:
        _let_go(session, puzzle)
        return
    puzzle.state, puzzle.engine, puzzle.looks = PuzzleState.OPEN, VERSION, solution.looks
    puzzle.level, puzzle.margin_milli = solution.level, round(1000 * solution.margin)
    puzzle.answer = json.dumps(_stored(solution), separators=(",", ":"))
    puzzle.opened_at = puzzle.opened_at or now(session)


def _stored(solution: Solution) -> dict[str, Any]:
    values = [[move, round(1000 * share)] for move, share in solution.values]
    return {"values": values, "line": solution.line}


def _let_go(session: Session, puzzle: Puzzle) -> None:
    """Retire a puzzle that people may have met; delete one that was only proposed."""
    if puzzle.state is PuzzleState.OPEN:
        puzzle.state, puzzle.engine = PuzzleState.RETIRED, VERSION
    else:
        session.delete(puzzle)


def _begin(
    question: Question,
    data: bytes,
    attempt: Attempt,
    worker: str,  # noqa: ARG001
    at: datetime,  # noqa: ARG001
) -> PuzzleClaim:
    return PuzzleClaim(attempt, question, data)
