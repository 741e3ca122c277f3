"""Ask for the analysis of a game, and say how it stands: one answer for pages, API and commands.

Anybody may ask for the analysis of a finished match, and who has the address of a seat for that of
a casual game; the queues have their bounds. The games of tournaments are analysed by themselves,
and others as time allows, the newest first.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, func, literal, select
from sqlalchemy.orm import Session

from ladder.analyses.job import ANALYSES, ANALYSIS, CASUAL_ANALYSIS, Analyses
from ladder.errors import NotFound, Refused
from ladder.jobs import attempts, workers
from ladder.matches.reading import WITHOUT_GAME
from ladder.model import (
    Analysis,
    AnalysisColumns,
    CasualAnalysis,
    Job,
    Match,
    MatchKind,
    MatchState,
    now,
    write,
)
from referee.engine import VERSION

MOST_WAITING: Final = 50
"""How many analyses may wait before no more can be asked for."""
AFTER_FAILURE: Final = timedelta(days=1)
"""How long an analysis that failed can't be asked for again."""
_NEWEST: Final = {MatchKind.TOURNAMENT: 5000, MatchKind.LADDER: 500}
"""Among how many of the newest matches of each kind one is looked for that has no analysis."""
_HOUR: Final = timedelta(hours=1)
_QUEUES: Final = (ANALYSIS, CASUAL_ANALYSIS)


class AnalysisState(StrEnum):
    """How an analysis stands; `none`: nobody asked for one yet."""

    NONE = "none"
    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AnalysisRow:
    """How the analysis of a game stands, and the newest one, packed.

    There may be an older engine's `data` in any state: it is shown until it is made anew.
    """

    game_id: int
    """The id of the match, or of the casual game."""
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


@dataclass(frozen=True, slots=True)
class FailedAnalysis:
    """An analysis that was given up: of a match, or of a casual game if `casual`."""

    game_id: int
    casual: bool
    reason: str
    failed_at: datetime


def failures(session: Session, *, limit: int) -> list[FailedAnalysis]:
    """Return the analyses that were given up last, the newest first."""
    each = [
        select(table_id, literal(casual), table.failed, table.failed_at)
        .where(table.failed.is_not(None))
        .order_by(table.failed_at.desc())
        .limit(limit)
        for table, table_id, casual in (
            (Analysis, Analysis.match_id, False),
            (CasualAnalysis, CasualAnalysis.game_id, True),
        )
    ]
    found = [
        FailedAnalysis(game_id, casual, reason, at)
        for query in each
        for game_id, casual, reason, at in session.execute(query)
        if reason is not None and at is not None
    ]
    return sorted(found, key=lambda one: one.failed_at, reverse=True)[:limit]


def queue_state(session: Session) -> AnalysisQueue:
    """Count what waits, runs and has failed."""
    runs = Job.lease_until.is_not(None)
    jobs = select(runs, func.count()).where(Job.queue.in_(_QUEUES)).group_by(runs)
    counts = dict(session.execute(jobs).all())
    failed = sum(
        session.scalar(select(func.count()).where(table.failed.is_not(None))) or 0
        for table in (Analysis, CasualAnalysis)
    )
    return AnalysisQueue(counts.get(False, 0), counts.get(True, 0), failed)


def analysis(session: Session, game_id: int, kind: Analyses = ANALYSES) -> AnalysisRow:
    """Return how the analysis of a match, or of a casual game, stands. Raises NotFound."""
    query = (
        select(Job.subject, Job.lease_until, kind.table)
        .select_from(kind.game_id.parent)
        .outerjoin(Job, and_(Job.kind == kind.name, Job.subject == kind.game_id))
        .outerjoin(kind.table, kind.key == kind.game_id)
        .where(kind.game_id == game_id)
    )
    joined = session.execute(query).one_or_none()
    if joined is None:
        raise NotFound("there is no match %(match)s", match=game_id)
    job, lease_until, stored = joined
    row: AnalysisColumns = stored or kind.table()
    state = _state(row)
    if job is not None:
        state = AnalysisState.WAITING if lease_until is None else AnalysisState.RUNNING
    reason, failed_at = None, None
    if state is AnalysisState.FAILED:
        reason, failed_at = row.failed, row.failed_at
    return AnalysisRow(game_id, state, row.engine, row.made_at, reason, failed_at, data=row.data)


def ask(session: Session, game_id: int, kind: Analyses = ANALYSES) -> AnalysisRow:
    """Have a match, or a casual game, analysed, unless it is or will be; return how that stands.

    An analysis that an older engine made is made anew. Raises NotFound and Refused; the caller
    commits.
    """
    found = analysis(session, game_id, kind)
    under_way = found.state in (AnalysisState.WAITING, AnalysisState.RUNNING)
    if under_way or (found.state is AnalysisState.READY and not found.outdated):
        return found
    write(session)
    if found.failed_at is not None and found.failed_at > now(session) - AFTER_FAILURE:
        raise Refused("the analysis of this match failed: ask for it again tomorrow")
    if kind.replay(session, game_id) is None:
        raise Refused("only a game that was played to its end can be analysed")
    if _waiting(session, kind) >= MOST_WAITING:
        raise Refused("too many analyses wait already: try again later")
    attempts.enqueue(session, kind.name, kind.name, [game_id])
    return analysis(session, game_id, kind)


def is_crowded(session: Session, kind: Analyses = ANALYSES) -> bool:
    """Return True if half as many analyses wait as may."""
    return _waiting(session, kind) >= MOST_WAITING // 2


def tend(session: Session, pace: float) -> int | None:
    """Have one more match analysed that nobody asked for, if none waits; return its id.

    A tournament's goes first. Of the ladders' at most `pace` an hour are analysed so, only while
    a worker has a place left; with 0 none at all. The scheduler repeats it; the caller commits.
    """
    if not pace:
        return None
    waits = select(Job.subject).where(Job.queue == ANALYSIS, Job.lease_until.is_(None))
    if session.scalar(waits.limit(1)) is not None:
        return None
    match_id = _newest(session, MatchKind.TOURNAMENT)
    if match_id is None and _has_time(session, pace):
        match_id = _newest(session, MatchKind.LADDER)
    if match_id is not None:
        write(session)
        attempts.enqueue(session, ANALYSIS, ANALYSIS, [match_id])
    return match_id


def _waiting(session: Session, kind: Analyses) -> int:
    waiting = select(func.count()).where(Job.queue == kind.name, Job.lease_until.is_(None))
    return session.scalar(waiting) or 0


def _state(row: AnalysisColumns) -> AnalysisState:
    if row.failed is not None and row.failed_engine == VERSION:
        return AnalysisState.FAILED
    return AnalysisState.NONE if row.data is None else AnalysisState.READY


def _newest(session: Session, kind: MatchKind) -> int | None:
    """Return the newest finished match of a kind that has no analysis, and none that failed."""
    newest = (  # their index has all of it: that most are known is seen without reading a match
        select(Match.id)
        .where(Match.kind == kind, Match.state == MatchState.FINISHED)
        .order_by(Match.id.desc())
        .limit(_NEWEST[kind])
        .subquery()
    )
    was_played = exists().where(Match.id == newest.c.id, Match.reason.not_in(WITHOUT_GAME))
    query = select(newest.c.id).where(~_known(newest.c.id), was_played)
    return session.scalar(query.order_by(newest.c.id.desc()).limit(1))


def _known(match_id: ColumnElement[int]) -> ColumnElement[bool]:
    analysed = exists().where(Analysis.match_id == match_id)
    queued = exists().where(and_(Job.kind == ANALYSIS, Job.subject == match_id))
    return analysed | queued


def _has_time(session: Session, pace: float) -> bool:
    at = now(session)
    lately = select(func.count()).where(Analysis.made_at.between(at - _HOUR, at))
    if (session.scalar(lately) or 0) >= pace:
        return False
    running = select(func.count()).where(Job.lease_until.is_not(None))
    return (session.scalar(running) or 0) < workers.places(session)
