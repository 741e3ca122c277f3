"""Propose decisions of analysed matches as puzzles, and have open ones checked by newer engines."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.model import Job, Puzzle, PuzzleState, now, write
from ladder.puzzles.solving import PUZZLE
from referee.analysis import GameAnalysis
from referee.analysis.puzzles import proposals
from referee.analysis.results import Decision
from referee.engine import VERSION
from referee.rules import move_text

MOST_A_DAY: Final = 4
"""How many puzzles of each kind of decision are proposed in a day, so that all kinds occur."""
_DAY: Final = timedelta(days=1)


def propose(session: Session, match_id: int, analysis: GameAnalysis) -> None:
    """Propose decisions of a match by its analysis. The caller commits.

    It follows when an analysis is stored; a decision that is a puzzle already stays one.
    """
    found = proposals(analysis)
    if not found:
        return
    lately = _lately(session)
    known = set(session.scalars(select(Puzzle.moment).where(Puzzle.match_id == match_id)))
    fresh = [one for one in found if lately[one.kind] < MOST_A_DAY and one.moment not in known]
    rows = list(_rows(session, match_id, analysis, fresh))
    session.add_all(rows)
    session.flush()
    attempts.enqueue(session, PUZZLE, PUZZLE, [row.id for row in rows])


def tend(session: Session) -> int | None:
    """Have a puzzle that an older engine has opened checked again; return its id.

    One waits at a time. The scheduler repeats it; the caller commits.
    """
    waits = select(Job.subject).where(Job.queue == PUZZLE).limit(1)
    if session.scalar(waits) is not None:
        return None
    old = Puzzle.state == PuzzleState.OPEN, Puzzle.engine != VERSION
    found = session.scalar(select(Puzzle.id).where(*old).order_by(Puzzle.id.desc()).limit(1))
    if found is not None:
        write(session)
        asked = exists().where(Job.kind == PUZZLE, Job.subject == found)
        if not session.scalar(select(asked)):
            attempts.enqueue(session, PUZZLE, PUZZLE, [found])
    return found


def _lately(session: Session) -> Counter[str]:
    """Count the puzzles of the last day by the kind of their decision."""
    query = select(Puzzle.kind, func.count()).where(Puzzle.proposed_at > now(session) - _DAY)
    return Counter(dict(session.execute(query.group_by(Puzzle.kind)).all()))


def _rows(
    session: Session, match_id: int, analysis: GameAnalysis, found: Iterable[Decision]
) -> Iterable[Puzzle]:
    at = now(session)
    for decision in found:
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
