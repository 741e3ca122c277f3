"""The jobs of one worker: claimed, done on its stage, and settled."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from time import monotonic, sleep
from typing import Any, Final, Generic, TypeVar

from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.config import Settings
from ladder.errors import Stale
from ladder.jobs import attempts
from ladder.jobs.attempts import WantsToBeAlone
from ladder.jobs.kinds import Claim, Kind
from ladder.jobs.stage import Closing, Stage, Worst

_log = logging.getLogger(__name__)
_C = TypeVar("_C", bound=Claim)

_AGAIN: Final = 0.5  # seconds until what could not be settled is tried again


@dataclass(slots=True)
class Hold:
    """Until when, by this process's clock, an attempt surely holds its job."""

    until: float


Settle = Callable[[Session, _C], object]
"""Writes what came of an attempt, in a transaction of its own. Raises Stale."""
Do = Callable[[_C, Hold], Coroutine[Any, Any, Settle[_C]]]
"""Does a claimed job on the worker's loop, and says how it is then to be settled."""


@dataclass(frozen=True, slots=True)
class Skill(Generic[_C]):
    """A kind of job, and how it is done."""

    kind: Kind[_C]
    do: Do[_C]


class Hall:
    """Does the jobs of one worker. `worker` is its name in the table of workers.

    A job that is to be done alone waits until those in hand have ended, and meanwhile no other
    begins. The messages of those that wait are not acknowledged, so they keep the worker from
    taking more; other workers get messages for them in time.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        stage: Stage,
        skills: Iterable[Skill[Any]],
        worker: str,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._skills = {skill.kind.name: skill for skill in skills}
        self._worker = worker
        self.stage = stage

    def work(self, kind: str, subject: int) -> bool:
        """Claim the job, do it and settle it; nothing if there is nothing to claim.

        Returns False if this worker begins nothing more. What goes wrong in a job is settled in the
        database; raises only what the database raises when it is out of reach.
        """
        skill = self._skills[kind]
        try:
            with self.stage.entered():
                self._claim_and_do(skill, subject, alone=False)
        except WantsToBeAlone:
            return self._work_alone(skill, subject)
        except Closing:
            return False
        return True

    def _work_alone(self, skill: Skill[Any], subject: int) -> bool:
        try:
            with self.stage.entered(partial(self._keep_message, skill.kind.name, subject)):
                self._claim_and_do(skill, subject, alone=True)
        except Closing:
            return False
        return True

    def _keep_message(self, kind: str, subject: int) -> None:
        """This worker makes room for the job: no other one needs to."""
        with self._sessions.begin() as session:
            attempts.keep_message(session, kind, subject)

    def _claim_and_do(self, skill: Skill[_C], subject: int, *, alone: bool) -> None:
        lease = self._settings.lease
        hold = Hold(monotonic() + lease)
        with self._sessions.begin() as session:
            claim = attempts.claim(
                session, skill.kind, subject, self._worker, lease=lease, alone=alone
            )
        if claim is not None:
            with self.stage.lag.watched() as lag:
                self._see_to(skill, claim, hold, lag)

    def _see_to(self, skill: Skill[_C], claim: _C, hold: Hold, lag: Worst) -> None:
        held = claim.held
        try:
            settle = self._done(skill, claim, hold)
            while not self._settled(skill.kind, claim, hold, settle, lag):
                sleep(_AGAIN)
            _log.info("%s %d, attempt %d is settled", held.kind, held.subject, held.number)
        except Stale as stale:
            _log.warning("%s: what came of it does not count", stale)

    def _settled(
        self, kind: Kind[_C], claim: _C, hold: Hold, settle: Settle[_C], lag: Worst
    ) -> bool:
        """Return False if the database does not answer, and nobody else can have the job yet: so
        what was done is not lost. What was written, but not confirmed, is told once more."""
        try:
            with self._sessions.begin() as session:
                settle(session, claim)
                kind.note_lag(session, claim, lag.milliseconds)
        except OperationalError as error:
            if self.stage.closing or monotonic() > hold.until:
                raise
            held = claim.held
            _log.warning("%s %d is not settled yet: %s", held.kind, held.subject, error.orig)
            return False
        return True

    def _done(self, skill: Skill[_C], claim: _C, hold: Hold) -> Settle[_C]:
        """Do the job; how it is then to be settled. Raises Stale."""
        held = claim.held
        try:
            return self.stage.see_through(skill.do(claim, hold), partial(self._renew, claim, hold))
        except CancelledError:
            if self.stage.closing:
                return skill.kind.give_back
            return partial(skill.kind.fail, why="it was cancelled")
        except Stale:
            raise
        except Exception as error:
            _log.exception("%s %d, attempt %d", held.kind, held.subject, held.number)
            return partial(skill.kind.fail, why=f"the worker failed: {type(error).__name__}")

    def _renew(self, claim: Claim, hold: Hold) -> None:
        asked = monotonic()
        try:
            with self._sessions.begin() as session:
                attempts.renew(session, claim.held, lease=self._settings.lease)
            hold.until = asked + self._settings.lease
        except SQLAlchemyError as error:  # the next renewal may come in time
            held = claim.held
            _log.warning("the lease of %s %d was not renewed: %s", held.kind, held.subject, error)
