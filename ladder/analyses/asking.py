"""Decide who may have a match analysed, and which matches are analysed by themselves.

Anybody may ask for the analysis of a finished match; the queue has its bounds. The games of
tournaments are analysed by themselves, and others as time allows, the newest first.
"""

from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, func, select
from sqlalchemy.orm import Session

from ladder.analyses.job import ANALYSIS
from ladder.analyses.reading import AnalysisRow, AnalysisState, analysis
from ladder.errors import Refused
from ladder.jobs import workers
from ladder.model import Analysis, Job, Match, MatchKind, MatchState, Replay, Upsert, now, write

MOST_WAITING: Final = 50
"""How many analyses may wait before no more can be asked for."""
AFTER_FAILURE: Final = timedelta(days=1)
"""How long an analysis that failed can't be asked for again."""
_NEWEST: Final = {MatchKind.TOURNAMENT: 5000, MatchKind.LADDER: 500}
"""Among how many of the newest matches of each kind one is looked for that has no analysis."""
_HOUR: Final = timedelta(hours=1)


def ask(session: Session, match_id: int) -> AnalysisRow:
    """Have a match analysed, unless it is or soon will be; return how that stands.

    An analysis that an older engine made is made anew. Raises NotFound and Refused; the caller
    commits.
    """
    found = analysis(session, match_id)
    if _is_under_way(found) or (found.state is AnalysisState.READY and not found.outdated):
        return found
    write(session)
    if found.failed_at is not None and found.failed_at > now(session) - AFTER_FAILURE:
        raise Refused("the analysis of this match failed: ask for it again tomorrow")
    if session.get(Replay, match_id) is None:
        raise Refused("only finished matches can be analysed")
    waiting = select(func.count()).where(Job.queue == ANALYSIS, Job.lease_until.is_(None))
    if (session.scalar(waiting) or 0) >= MOST_WAITING:
        raise Refused("too many analyses wait already: try again later")
    _enqueue(session, match_id)
    return analysis(session, match_id)


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
    found = _newest(session, MatchKind.TOURNAMENT)
    if found is None and _has_time(session, pace):
        found = _newest(session, MatchKind.LADDER)
    if found is not None:
        write(session)
        _enqueue(session, found)
    return found


def _is_under_way(row: AnalysisRow) -> bool:
    return row.state in (AnalysisState.WAITING, AnalysisState.RUNNING)


def _enqueue(session: Session, match_id: int) -> None:
    """Put the job into its queue, unless it has one: two may ask at the same time."""
    row = {"kind": ANALYSIS, "subject": match_id, "queue": ANALYSIS, "number": 0}
    _JOB.put(session, row)


def _newest(session: Session, kind: MatchKind) -> int | None:
    """Return the newest finished match of a kind that has no analysis, and none that failed."""
    newest = (
        select(Match.id)
        .where(Match.kind == kind, Match.state == MatchState.FINISHED)
        .order_by(Match.id.desc())
        .limit(_NEWEST[kind])
        .subquery()
    )
    query = select(newest.c.id).where(~_known(newest.c.id)).order_by(newest.c.id.desc())
    return session.scalar(query.limit(1))


def _known(match_id: ColumnElement[int]) -> ColumnElement[bool]:
    analysed = exists().where(Analysis.match_id == match_id)
    asked = exists().where(and_(Job.kind == ANALYSIS, Job.subject == match_id))
    return analysed | asked


def _has_time(session: Session, pace: float) -> bool:
    lately = select(func.count()).where(Analysis.made_at > now(session) - _HOUR)
    if (session.scalar(lately) or 0) >= pace:
        return False
    running = select(func.count()).where(Job.lease_until.is_not(None))
    return (session.scalar(running) or 0) < workers.places(session)


_JOB: Final = Upsert(Job)
