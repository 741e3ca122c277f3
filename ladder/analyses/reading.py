"""How the analysis of a match stands: one answer for pages, API and commands."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from ladder.analyses.job import ANALYSIS
from ladder.errors import NotFound
from ladder.model import Analysis, Job, Match
from referee.engine import VERSION


class AnalysisState(StrEnum):
    """How an analysis stands; `none`: nobody asked for one yet."""

    NONE = "none"
    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AnalysisRow:
    """How the analysis of a match stands, and the newest one, packed.

    There may be an older engine's `data` in any state: it is shown until it is made anew.
    """

    match_id: int
    state: AnalysisState
    engine: int | None
    made_at: datetime | None
    reason: str | None
    """Why the last attempt failed, and when; only if the state is `failed`."""
    failed_at: datetime | None
    data: bytes | None = field(repr=False)

    @property
    def outdated(self) -> bool:
        """True if an older engine than this release's made the analysis."""
        return self.engine is not None and self.engine != VERSION


@dataclass(frozen=True, slots=True)
class AnalysisQueue:
    """How many analyses wait, are being made, and have failed for good."""

    waiting: int
    running: int
    failed: int


def queue_state(session: Session) -> AnalysisQueue:
    """Count what waits, runs and has failed."""
    runs = Job.lease_until.is_not(None)
    jobs = select(runs, func.count()).where(Job.queue == ANALYSIS).group_by(runs)
    counts = dict(session.execute(jobs).all())
    failed = select(func.count()).where(Analysis.failed.is_not(None))
    return AnalysisQueue(counts.get(False, 0), counts.get(True, 0), session.scalar(failed) or 0)


def analysis(session: Session, match_id: int) -> AnalysisRow:
    """Return how the analysis of a match stands. Raises NotFound if there is no such match."""
    query = (
        select(Match.id, Job.subject, Job.lease_until, Analysis)
        .outerjoin(Job, and_(Job.kind == ANALYSIS, Job.subject == Match.id))
        .outerjoin(Analysis, Analysis.match_id == Match.id)
        .where(Match.id == match_id)
    )
    found = session.execute(query).one_or_none()
    if found is None:
        raise NotFound("there is no match %(match)s", match=match_id)
    _, job, lease_until, stored = found
    row = stored or Analysis()
    state = _state(row)
    if job is not None:
        state = AnalysisState.WAITING if lease_until is None else AnalysisState.RUNNING
    reason, failed_at = None, None
    if state is AnalysisState.FAILED:
        reason, failed_at = row.failed, row.failed_at
    return AnalysisRow(match_id, state, row.engine, row.made_at, reason, failed_at, data=row.data)


def _state(row: Analysis) -> AnalysisState:
    if row.failed is not None and row.failed_engine == VERSION:
        return AnalysisState.FAILED
    return AnalysisState.NONE if row.data is None else AnalysisState.READY
