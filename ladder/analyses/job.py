"""The analysis of a match as a job: it goes after everything else, and is never tried for ever.

The match is over, so nothing about it can change any more but its analysis: no lock is needed
beside the job's own.
"""

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.analyses import profiles
from ladder.analyses.engine import Analysed, NotAnalysed
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Kind, Queue, Wanted
from ladder.jobs.runner import Lease, Settle
from ladder.model import Analysis, Replay, Upsert, now, write
from referee.engine import VERSION

_log = logging.getLogger(__name__)

ANALYSIS: Final = "analysis"
"""The kind of the job, and its queue."""
ATTEMPTS: Final = 3
"""How often an analysis is begun before it counts as failed."""
LONGEST: Final = 1800.0
"""Seconds that an attempt may take on a machine that is always busy."""
_PART: Final = 8  # analyses take one place in this many
_PAUSE: Final = timedelta(seconds=30)
_INTERRUPTED: Final = "Its worker was interrupted."


@dataclass(frozen=True, slots=True)
class AnalysisClaim:
    """One attempt at an analysis: the right to make it, and the replay file of the match."""

    held: Attempt
    replay: bytes = field(repr=False)

    @property
    def match_id(self) -> int:
        """The match that is analysed."""
        return self.held.subject


Analyse = Callable[[bytes], Coroutine[None, None, Analysed]]
"""Analyses a replay file, or raises NotAnalysed; it ends what it started if it is cancelled."""


class Analyses(Kind[AnalysisClaim]):
    """Analyses of matches that are over."""

    name = ANALYSIS
    queues = (Queue(ANALYSIS, part=_PART),)

    def wanted(self, session: Session, subject: int) -> Wanted[AnalysisClaim] | None:
        data = session.scalar(select(Replay.data).where(Replay.match_id == subject))
        if data is None:
            attempts.drop(session, ANALYSIS, subject)
            return None
        return Wanted(LONGEST, partial(_begin, data))

    def give_back(self, session: Session, claim: AnalysisClaim) -> None:
        attempts.release(session, claim.held, counts=False)

    def fail(self, session: Session, claim: AnalysisClaim, why: str) -> None:
        _again(session, claim.held, why)

    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> None:  # noqa: ARG002
        _again(session, attempt, _INTERRUPTED)

    def lock(self, session: Session) -> None:
        write(session)


ANALYSES: Final = Analyses()

FollowUp = Callable[[Session, int, bytes], None]
"""The step that follows once the packed analysis is stored, in the same transaction."""
_set: list[FollowUp] = []


def set_follow_up(follow_up: FollowUp) -> None:
    """Set what follows; once in each process, by `ladder.wiring`."""
    _set[:] = [follow_up]


def analysing_by(
    analyse: Analyse,
) -> Callable[[AnalysisClaim, Lease], Coroutine[None, None, Settle[AnalysisClaim]]]:
    """Make the function that does an analysis, and returns what settles it."""

    async def analysing(claim: AnalysisClaim, lease: Lease) -> Settle[AnalysisClaim]:  # noqa: ARG001
        try:
            return partial(finish, analysed=await analyse(claim.replay))
        except NotAnalysed as error:
            _log.warning("match %d is not analysed: %s", claim.match_id, error)
            return partial(_end if error.for_good else ANALYSES.fail, why=str(error))

    return analysing


def finish(session: Session, claim: AnalysisClaim, analysed: Analysed) -> None:
    """Store an analysis. Raises Stale; the caller commits."""
    write(session)
    attempts.end(session, claim.held)
    row = {
        "match_id": claim.match_id,
        "engine": analysed.engine,
        "looks": analysed.looks,
        "data": analysed.data,
        "made_at": now(session),
        "failed": None,
        "failed_engine": None,
        "failed_at": None,
    }
    _MADE.put(session, row)
    profiles.keep(session, claim.match_id, analysed.data)
    for follow_up in _set:
        follow_up(session, claim.match_id, analysed.data)


def _begin(data: bytes, attempt: Attempt, worker: str, at: datetime) -> AnalysisClaim:  # noqa: ARG001
    return AnalysisClaim(attempt, data)


def _again(session: Session, attempt: Attempt, why: str) -> None:
    """Try again after a while, but not for ever."""
    write(session)
    if attempt.number < ATTEMPTS:
        attempts.release(session, attempt, not_before=now(session) + attempt.number * _PAUSE)
    else:
        _give_up(session, attempt, why)


def _end(session: Session, claim: AnalysisClaim, why: str) -> None:
    """Give an analysis up that would fail again."""
    write(session)
    _give_up(session, claim.held, why)


def _give_up(session: Session, attempt: Attempt, why: str) -> None:
    attempts.end(session, attempt)
    row = {
        "match_id": attempt.subject,
        "failed": why,
        "failed_engine": VERSION,
        "failed_at": now(session),
    }
    _FAILED.put(session, row)


_MADE: Final = Upsert(
    Analysis,
    replace=("engine", "looks", "data", "made_at", "failed", "failed_engine", "failed_at"),
)
_FAILED: Final = Upsert(Analysis, replace=("failed", "failed_engine", "failed_at"))
