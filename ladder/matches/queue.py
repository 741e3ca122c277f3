"""How the queue stands, for the operator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from ladder.matches.job import goes_on
from ladder.matches.kinds import Kind
from ladder.matches.states import JOB
from ladder.model import Job, Match, MatchState, now


@dataclass(frozen=True, slots=True)
class QueueState:
    """`queued` and `running` are by kind; matches of tournaments that do not run are not counted as
    queued. `oldest_waiting`: seconds since the oldest match was made that waits though it may be
    played; 0 where none does. `failed`: all that were ever given up."""

    queued: dict[Kind, int]
    running: dict[Kind, int]
    oldest_waiting: float
    failed: int


def queue_state(session: Session) -> QueueState:
    """How the queue stands now."""
    at = now(session)
    counted = or_(
        Match.state.in_((MatchState.RUNNING, MatchState.FAILED)),
        and_(Match.state == MatchState.QUEUED, goes_on()),
    )
    query = select(Match.state, Match.kind, func.count()).group_by(Match.state, Match.kind)
    counts: Counter[tuple[str, str]] = Counter()
    for state, kind, count in session.execute(query.where(counted)):
        counts[state, kind] = count
    oldest = session.scalar(
        select(func.min(Match.created_at))
        .join(Job, and_(Job.kind == JOB, Job.subject == Match.id))
        .where(
            Match.state == MatchState.QUEUED, or_(Job.not_before.is_(None), Job.not_before <= at)
        )
        .where(goes_on())
    )
    return QueueState(
        queued={kind: counts[MatchState.QUEUED, kind] for kind in Kind},
        running={kind: counts[MatchState.RUNNING, kind] for kind in Kind},
        oldest_waiting=(at - oldest).total_seconds() if oldest else 0.0,
        failed=sum(counts[MatchState.FAILED, kind] for kind in Kind),
    )
