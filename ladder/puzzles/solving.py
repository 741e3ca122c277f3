"""The deeper search of a puzzle as a job: whether the best move is still the best, by far.

It goes after everything else. The match of a puzzle is over, so no lock is needed beside the job's.
"""

import json
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.analyses.engine import NotAnalysed
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Kind, Queue, Wanted
from ladder.jobs.runner import Lease, Settle
from ladder.model import Puzzle, PuzzleState, Replay, now, write
from referee.analysis.puzzles import Question, Solution
from referee.engine import VERSION

_log = logging.getLogger(__name__)

PUZZLE: Final = "puzzle"
"""The kind of the job, and its queue."""
ATTEMPTS: Final = 3
LONGEST: Final = 1800.0
"""Seconds that an attempt may take on a machine that is always busy."""
_PART: Final = 8  # puzzles take one place in this many
_PAUSE: Final = timedelta(seconds=30)
_INTERRUPTED: Final = "Its worker was interrupted."


@dataclass(frozen=True, slots=True)
class PuzzleClaim:
    """One attempt at a puzzle: the right to check it, the question, and the match's replay file."""

    held: Attempt
    question: Question
    replay: bytes = field(repr=False)


Solve = Callable[[bytes, Question], Coroutine[None, None, Solution | None]]
"""Looks deeper; returns None if the search does not agree. Raises NotAnalysed."""


class Puzzles(Kind[PuzzleClaim]):
    """Puzzles that are to be checked."""

    name = PUZZLE
    queues = (Queue(PUZZLE, part=_PART),)

    def wanted(self, session: Session, subject: int) -> Wanted[PuzzleClaim] | None:
        query = select(Puzzle, Replay.data).join(Replay, Replay.match_id == Puzzle.match_id)
        found = session.execute(query.where(Puzzle.id == subject)).one_or_none()
        if found is None or found[0].state is PuzzleState.RETIRED:
            attempts.drop(session, PUZZLE, subject)
            return None
        puzzle, data = found
        question = Question(puzzle.moment, puzzle.move, missed=puzzle.missed)
        return Wanted(LONGEST, partial(_begin, question, data))

    def give_back(self, session: Session, claim: PuzzleClaim) -> None:
        attempts.release(session, claim.held, counts=False)

    def fail(self, session: Session, claim: PuzzleClaim, why: str) -> None:
        _again(session, claim.held, why)

    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> None:  # noqa: ARG002
        _again(session, attempt, _INTERRUPTED)

    def lock(self, session: Session) -> None:
        write(session)


PUZZLES: Final = Puzzles()


def solving_by(
    solve: Solve,
) -> Callable[[PuzzleClaim, Lease], Coroutine[None, None, Settle[PuzzleClaim]]]:
    """Make the function that checks a puzzle, and returns what settles it."""

    async def solving(claim: PuzzleClaim, lease: Lease) -> Settle[PuzzleClaim]:  # noqa: ARG001
        try:
            return partial(finish, solution=await solve(claim.replay, claim.question))
        except NotAnalysed as error:
            return partial(_end if error.for_good else PUZZLES.fail, why=str(error))

    return solving


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


def _again(session: Session, attempt: Attempt, why: str) -> None:
    """Try again after a while, but not for ever."""
    write(session)
    if attempt.number < ATTEMPTS:
        attempts.release(session, attempt, not_before=now(session) + attempt.number * _PAUSE)
    else:
        _give_up(session, attempt, why)


def _end(session: Session, claim: PuzzleClaim, why: str) -> None:
    """Give a check up that would fail again."""
    write(session)
    _give_up(session, claim.held, why)


def _give_up(session: Session, attempt: Attempt, why: str) -> None:
    _log.warning("puzzle %d is let go: %s", attempt.subject, why)
    attempts.end(session, attempt)
    _let_go(session, session.get_one(Puzzle, attempt.subject))
