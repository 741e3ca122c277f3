"""Find puzzles: propose decisions of analysed matches, and search them deeper as a job."""

import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.analyses.engine import LONGEST, PART, EngineKind
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Needs, Queue
from ladder.jobs.runner import Settle
from ladder.model import Job, Puzzle, PuzzleState, Replay, now, write
from referee.analysis import Decision, GameAnalysis
from referee.analysis.puzzles import Question, Solution, proposals
from referee.engine import VERSION
from referee.rules import move_text

PUZZLE: Final = "puzzle"
"""The kind of the job, and its queue."""

MOST_A_DAY: Final = 4
"""How many puzzles of each kind of decision are proposed in a day, so that all kinds occur."""
_DAY: Final = timedelta(days=1)


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

    def needs(self, session: Session, subject: int) -> Needs[PuzzleClaim] | None:
        query = select(Puzzle, Replay.data).join(Replay, Replay.match_id == Puzzle.match_id)
        row = session.execute(query.where(Puzzle.id == subject)).one_or_none()
        if row is None or row[0].state is PuzzleState.RETIRED:
            attempts.drop(session, PUZZLE, subject)
            return None
        puzzle, data = row
        question = Question(puzzle.moment, puzzle.move, missed=puzzle.missed)
        return Needs(LONGEST, lambda attempt: PuzzleClaim(attempt, question, data))

    def give_up(self, session: Session, attempt: Attempt, why: str, *, for_good: bool) -> None:  # noqa: ARG002
        """Let it go, unless it is open: what broke off says nothing against it."""
        puzzle = session.get_one(Puzzle, attempt.subject)
        if for_good or puzzle.state is not PuzzleState.OPEN:
            _let_go(session, puzzle)


PUZZLES: Final = Puzzles()


async def check(claim: PuzzleClaim, *, by: Solve) -> Settle[PuzzleClaim]:
    """Check a puzzle; return what settles the job."""
    return await PUZZLES.do(claim, by(claim.replay, claim.question), finish)


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


def propose(session: Session, match_id: int, analysis: GameAnalysis) -> None:
    """Propose decisions of a match by its analysis. The caller commits.

    It follows when an analysis is stored; a decision that is a puzzle already stays one.
    """
    known = set(session.scalars(select(Puzzle.moment).where(Puzzle.match_id == match_id)))
    decisions = proposals(analysis, known)
    if not decisions:
        return
    lately = _lately(session)
    fresh = [one for one in decisions if lately[one.kind] < MOST_A_DAY]
    rows = list(_rows(session, match_id, analysis, fresh))
    session.add_all(rows)
    session.flush()
    attempts.enqueue(session, PUZZLE, PUZZLE, [row.id for row in rows])


def tend(session: Session) -> int | None:
    """Have any puzzle that an older engine has opened checked again; return its id.

    One waits at a time; one whose check breaks off holds up no others. The scheduler repeats it;
    the caller commits.
    """
    waits = select(Job.subject).where(Job.queue == PUZZLE).limit(1)
    if session.scalar(waits) is not None:
        return None
    old = Puzzle.state == PuzzleState.OPEN, Puzzle.engine != VERSION
    puzzle_id = session.scalar(select(Puzzle.id).where(*old).order_by(func.random()).limit(1))
    if puzzle_id is not None:
        write(session)
        attempts.enqueue(session, PUZZLE, PUZZLE, [puzzle_id])
    return puzzle_id


def _stored(solution: Solution) -> dict[str, Any]:
    values = [[move, round(1000 * share)] for move, share in solution.values]
    return {"values": values, "line": solution.line}


def _let_go(session: Session, puzzle: Puzzle) -> None:
    """Retire a puzzle that people may have met; delete one that was only proposed."""
    if puzzle.state is PuzzleState.OPEN:
        puzzle.state, puzzle.engine = PuzzleState.RETIRED, VERSION
    else:
        session.delete(puzzle)


def _lately(session: Session) -> Counter[str]:
    """Count the puzzles of the last day by the kind of their decision."""
    query = select(Puzzle.kind, func.count()).where(Puzzle.proposed_at > now(session) - _DAY)
    return Counter(dict(session.execute(query.group_by(Puzzle.kind)).all()))


def _rows(
    session: Session, match_id: int, analysis: GameAnalysis, decisions: Iterable[Decision]
) -> Iterable[Puzzle]:
    at = now(session)
    for decision in decisions:
        yield Puzzle(
            match_id=match_id,
            moment=decision.moment,
            state=PuzzleState.PROPOSED,
            seats=analysis.players,
            seat=decision.seat,
            kind=decision.kind,
            phase=decision.phase.value,
            move=move_text(decision.values[0].move),
            missed=decision.cost > 0,
            engine=analysis.engine,
            proposed_at=at,
        )
