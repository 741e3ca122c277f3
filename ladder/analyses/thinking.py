"""Jobs of the engine, the analyses and the puzzles: after all else, and never tried for ever.

The match is over, so nothing about it can change any more: no lock is needed beside the job's own.
"""

import logging
from abc import abstractmethod
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar

from sqlalchemy.orm import Session

from ladder.analyses.engine import NotAnalysed
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Claim, Kind
from ladder.jobs.runner import Lease, Settle
from ladder.model import now, write

_log = logging.getLogger(__name__)

ATTEMPTS: Final = 3
"""How often a job of the engine is begun before it counts as failed."""
LONGEST: Final = 1800.0
"""Seconds that an attempt may take on a machine that is always busy."""
PART: Final = 8
"""The jobs of each such queue take one place in this many."""
_PAUSE: Final = timedelta(seconds=30)
_INTERRUPTED: Final = "Its worker was interrupted."

_C = TypeVar("_C", bound=Claim)
_R = TypeVar("_R")


class EngineKind(Kind[_C]):
    """A kind of job in which the engine thinks: what follows if it fails is the same for all."""

    @abstractmethod
    def give_up(self, session: Session, attempt: Attempt, why: str) -> None:
        """Write that it failed for good. The attempt has ended already."""

    def give_back(self, session: Session, claim: _C) -> None:
        attempts.release(session, claim.held, counts=False)

    def fail(self, session: Session, claim: _C, why: str) -> None:
        self._again(session, claim.held, why)

    def fail_for_good(self, session: Session, claim: _C, why: str) -> None:
        """Give a job up that would fail again. Raises Stale."""
        self._end(session, claim.held, why)

    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> None:  # noqa: ARG002
        self._again(session, attempt, _INTERRUPTED)

    def lock(self, session: Session) -> None:
        write(session)

    def done_by(
        self,
        think: Callable[[_C], Coroutine[None, None, _R]],
        finish: Callable[[Session, _C, _R], None],
    ) -> Callable[[_C, Lease], Coroutine[None, None, Settle[_C]]]:
        """Make the function that does a job and returns what settles it.

        `think` may raise NotAnalysed, and ends what it started if it is cancelled; `finish` stores
        what it found.
        """

        async def do(claim: _C, lease: Lease) -> Settle[_C]:  # noqa: ARG001
            try:
                found = await think(claim)
            except NotAnalysed as error:
                _log.warning("%s %d: %s", self.name, claim.held.subject, error)
                return partial(self.fail_for_good if error.for_good else self.fail, why=str(error))
            return lambda session, held: finish(session, held, found)

        return do

    def _again(self, session: Session, attempt: Attempt, why: str) -> None:
        """Try again after a while, but not for ever."""
        if attempt.number < ATTEMPTS:
            write(session)
            attempts.release(session, attempt, not_before=now(session) + attempt.number * _PAUSE)
        else:
            self._end(session, attempt, why)

    def _end(self, session: Session, attempt: Attempt, why: str) -> None:
        write(session)
        attempts.end(session, attempt)
        self.give_up(session, attempt, why)
