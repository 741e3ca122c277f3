"""The analysis of a match as a job: one attempt, and what follows from it."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.analyses import profiles
from ladder.analyses.engine import LONGEST, PART, Analysed, EngineKind
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Needs, Queue
from ladder.jobs.runner import Lease, Settle
from ladder.model import Analysis, Replay, Upsert, now, write
from referee.analysis import GameAnalysis, unpack
from referee.engine import VERSION

ANALYSIS: Final = "analysis"
"""The kind of the job, and its queue."""


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


class Analyses(EngineKind[AnalysisClaim]):
    """Analyses of matches that are over."""

    name = ANALYSIS
    queues = (Queue(ANALYSIS, part=PART),)

    def needs(self, session: Session, subject: int) -> Needs[AnalysisClaim] | None:
        data = session.scalar(select(Replay.data).where(Replay.match_id == subject))
        if data is None:
            attempts.drop(session, ANALYSIS, subject)
            return None
        return Needs(LONGEST, partial(_begin, data))

    def give_up(self, session: Session, attempt: Attempt, why: str) -> None:
        row = {
            "match_id": attempt.subject,
            "failed": why,
            "failed_engine": VERSION,
            "failed_at": now(session),
        }
        _FAILED.put(session, row)


ANALYSES: Final = Analyses()

FollowUp = Callable[[Session, int, GameAnalysis], None]
"""The step that follows once the analysis of a match is stored, in the same transaction."""
_set: list[FollowUp] = []


def set_follow_up(follow_up: FollowUp) -> None:
    """Set what follows; once in each process, by `ladder.wiring`."""
    _set[:] = [follow_up]


def analysing_by(
    analyse: Analyse,
) -> Callable[[AnalysisClaim, Lease], Coroutine[None, None, Settle[AnalysisClaim]]]:
    """Make the function that does an analysis, and returns what settles it."""
    return ANALYSES.done_by(lambda claim: analyse(claim.replay), finish)


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
    analysis = unpack(analysed.data)
    profiles.keep(session, claim.match_id, analysis)
    for follow_up in _set:
        follow_up(session, claim.match_id, analysis)


def _begin(data: bytes, attempt: Attempt, worker: str, at: datetime) -> AnalysisClaim:  # noqa: ARG001
    return AnalysisClaim(attempt, data)


_MADE: Final = Upsert(
    Analysis,
    replace=("engine", "looks", "data", "made_at", "failed", "failed_engine", "failed_at"),
)
_FAILED: Final = Upsert(Analysis, replace=("failed", "failed_engine", "failed_at"))
