"""Run the jobs of one worker: claim them, do them on its stage, and settle them."""

import logging
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic, sleep
from typing import Any, Final, Generic, TypeVar

from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.config import Settings
from ladder.errors import Stale
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Claim, Kind
from ladder.jobs.stage import Closing, Stage
from ladder.model import OUT_OF_REACH, own_words

_log = logging.getLogger(__name__)
_C = TypeVar("_C", bound=Claim)

_RETRY: Final = 0.5  # seconds until a job that could not be claimed or settled is tried again
_CLAIMS: Final = 3
"""How often a claim is tried: the database ends one of two that wait for each other."""


Settle = Callable[[Session, _C], object]
"""Writes the outcome of an attempt, in a transaction of its own. Raises Stale."""
Do = Callable[[_C], Coroutine[Any, Any, Settle[_C]]]
"""Does a claimed job on the worker's loop; returns the function that settles it."""


@dataclass(frozen=True, slots=True)
class Handler(Generic[_C]):
    """A kind of job, and the function that does it."""

    kind: Kind[_C]
    do: Do[_C]


class Runner:
    """Does the jobs of one worker; `worker` is its name in the table of workers.

    A job that is to be done alone waits until those in hand have ended, and meanwhile no other
    begins. The messages of jobs that wait are not acknowledged, so the worker takes no more of
    them; other workers get messages for these jobs in time.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        stage: Stage,
        handlers: Iterable[Handler[Any]],
        worker: str,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._handlers = {handler.kind.name: handler for handler in handlers}
        kinds = (handler.kind for handler in self._handlers.values())
        self._apart = [queue.name for kind in kinds for queue in kind.queues if queue.apart]
        self.worker = worker
        self.stage = stage

    def work(self, kind: str, subject: int) -> bool:
        """Claim a job, do it and settle it; do nothing if there is nothing to claim.

        Returns False if this worker begins nothing more. An error in a job is settled in the
        database; only errors of a database out of reach are raised.
        """
        try:
            self._work(self._handlers[kind], subject)
        except Closing:
            return False
        return True

    def _work(self, handler: Handler[_C], subject: int) -> None:
        """Do a job beside others, or alone if it has to be. Raises Closing."""
        try:
            with self.stage.shared():
                self._claim_and_do(handler, subject, alone=False)
        except attempts.WantsToBeAlone:
            with self.stage.alone(partial(self._keep_message, handler.kind.name, subject)):
                self._claim_and_do(handler, subject, alone=True)

    def _keep_message(self, kind: str, subject: int) -> None:
        """Keep other workers from making room for the job, as this one does."""
        with self._sessions.begin() as session:
            attempts.keep_message(session, kind, subject)

    def _claim_and_do(self, handler: Handler[_C], subject: int, *, alone: bool) -> None:
        for left in reversed(range(_CLAIMS)):
            try:
                claim = self._claim(handler.kind, subject, alone=alone)
                break
            except OperationalError as error:
                if not left or self.stage.closing:
                    raise
                kind = handler.kind.name
                _log.warning("%s %d is not claimed yet: %s", kind, subject, own_words(error))
                sleep(_RETRY)
        if claim is not None:
            with self.stage.lag.watched(claim.held.lag):
                self._see_to(handler, claim)

    def _claim(self, kind: Kind[_C], subject: int, *, alone: bool) -> _C | None:
        at, seconds = monotonic(), self._settings.lease
        with self._sessions.begin() as session:
            claim = attempts.claim(
                session, kind, subject, self.worker, lease=seconds, alone=alone, apart=self._apart
            )
        if claim is not None:
            claim.held.lease.until = at + seconds
        return claim

    def _see_to(self, handler: Handler[_C], claim: _C) -> None:
        held = claim.held
        try:
            settle = self._done(handler, claim)
            while not self._settled(claim, settle):
                sleep(_RETRY)
                with suppress(Stale):  # it may have been settled: the database did not say so
                    self._renew(held)
            _log.info("%s is settled", held)
        except Stale as stale:
            _log.warning("%s: its result does not count", stale)

    def _settled(self, claim: _C, settle: Settle[_C]) -> bool:
        """Settle the job; return False, to try again, if only the database does not answer.

        It may be away for longer than the lease: the result counts unless the job is taken back.
        """
        try:
            with self._sessions.begin() as session:
                settle(session, claim)
        except OUT_OF_REACH as error:
            if self.stage.closing:
                raise
            _log.warning("%s is not settled yet: %s", claim.held, own_words(error))
            return False
        return True

    def _done(self, handler: Handler[_C], claim: _C) -> Settle[_C]:
        """Do the job; return the function that settles it. Raises Stale."""
        held = claim.held
        try:
            return self.stage.see_through(handler.do(claim), partial(self._renew, held))
        except CancelledError:
            if self.stage.closing:
                return handler.kind.give_back
            return partial(handler.kind.fail, why="it was cancelled")
        except Stale:
            raise
        except OUT_OF_REACH as error:
            _log.warning("%s failed: %s", held, own_words(error))
            return partial(handler.kind.fail, why="the database did not answer")
        except Exception as error:
            _log.exception("%s failed", held)
            return partial(handler.kind.fail, why=f"the worker failed: {type(error).__name__}")

    def _renew(self, held: Attempt) -> None:
        at = monotonic()
        try:
            with self._sessions.begin() as session:
                attempts.renew(session, held, lease=self._settings.lease)
            held.lease.until = at + self._settings.lease
        except SQLAlchemyError as error:  # the next renewal may come in time
            _log.warning("the lease of %s was not renewed: %s", held, own_words(error))
