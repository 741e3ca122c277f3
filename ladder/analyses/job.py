"""The analysis of a game as a job: one attempt, and what follows from it."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder import model
from ladder.analyses import profiles
from ladder.analyses.engine import LONGEST, PART, Analysed, EngineKind
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Needs, Queue
from ladder.jobs.runner import Settle
from referee.analysis import GameAnalysis, unpack
from referee.engine import VERSION

ANALYSIS: Final = "analysis"
"""The kind of the job for a match, and its queue."""
CASUAL_ANALYSIS: Final = "casual-analysis"
"""The kind of the job for a casual game, and its queue."""


@dataclass(frozen=True, slots=True)
class AnalysisClaim:
    """One attempt at an analysis: the right to make it, and the replay file of the game."""

    held: Attempt
    replay: bytes = field(repr=False)


_FAILED: Final = ("failed", "failed_engine", "failed_at")
_MADE: Final = ("engine", "looks", "data", "made_at", *_FAILED)

Analyse = Callable[[bytes], Coroutine[None, None, Analysed]]
"""Analyses a replay file, or raises NotAnalysed; it ends what it started if it is cancelled."""


FollowUp = Callable[[Session, int, GameAnalysis], None]
"""A step that follows once the analysis of a game is stored, in the same transaction."""


class Analyses(EngineKind[AnalysisClaim]):
    """Analyses of games that are over, of matches or of casual games.

    Args:
        name: the kind of the job, and its queue
        key: the game's id in the table of analyses
        game_id: the same in the table of games
        replay: selects the replay file of the game `subject`
        follow_ups: what follows from an analysis, in order
    """

    def __init__(
        self,
        name: str,
        key: InstrumentedAttribute[int],
        game_id: InstrumentedAttribute[int],
        replay: Select[bytes | None],
        follow_ups: Sequence[FollowUp] = (),
    ) -> None:
        self.name = name
        self.queues = (Queue(name, part=PART),)
        self.key, self.game_id = key, game_id
        self.table: type[model.AnalysisColumns] = key.parent.class_
        self._replay = replay
        self._follow_ups = list(follow_ups)
        self._made = model.Upsert(key.parent.class_, replace=_MADE)
        self._failed = model.Upsert(key.parent.class_, replace=_FAILED)

    def replay(self, session: Session, subject: int) -> bytes | None:
        """Return the replay file of a game; None if it is not over."""
        return session.scalar(self._replay, {"subject": subject})

    def follow(self, follow_up: FollowUp) -> None:
        """Add a step to what follows; once in each process, by `ladder.wiring`."""
        self._follow_ups.append(follow_up)

    def needs(self, session: Session, subject: int) -> Needs[AnalysisClaim] | None:
        data = self.replay(session, subject)
        if data is None:
            attempts.drop(session, self.name, subject)
            return None
        return Needs(LONGEST, lambda attempt: AnalysisClaim(attempt, data))

    def give_up(self, session: Session, attempt: Attempt, why: str, *, for_good: bool) -> None:  # noqa: ARG002
        why_not = {"failed": why, "failed_engine": VERSION, "failed_at": model.now(session)}
        self._failed.put(session, {self.key.key: attempt.subject, **why_not})

    async def analyse(self, claim: AnalysisClaim, *, by: Analyse) -> Settle[AnalysisClaim]:
        """Analyse a game; return what settles the job."""
        return await self.do(claim, by(claim.replay), self.finish)

    def finish(self, session: Session, claim: AnalysisClaim, analysed: Analysed) -> None:
        """Store an analysis. Raises Stale; the caller commits."""
        model.write(session)
        attempts.end(session, claim.held)
        game_id = claim.held.subject
        row = {
            self.key.key: game_id,
            "engine": analysed.engine,
            "looks": analysed.looks,
            "data": analysed.data,
            "made_at": model.now(session),
            **dict.fromkeys(_FAILED),
        }
        self._made.put(session, row)
        analysis = unpack(analysed.data)
        for follow_up in self._follow_ups:
            follow_up(session, game_id, analysis)


ANALYSES: Final = Analyses(
    ANALYSIS,
    model.Analysis.match_id,
    model.Match.id,
    select(model.Replay.data).where(model.Replay.match_id == bindparam("subject")),
    (profiles.keep,),
)
CASUAL_ANALYSES: Final = Analyses(
    CASUAL_ANALYSIS,
    model.CasualAnalysis.game_id,
    model.CasualGame.id,
    select(model.CasualGame.replay).where(model.CasualGame.id == bindparam("subject")),
)
