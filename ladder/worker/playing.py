"""The matches that one worker plays: claimed, played on its stage, and settled."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from itertools import count
from time import monotonic, sleep
from typing import Any, Final, Protocol

from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import matches
from ladder.bots.mismatches import other_version
from ladder.config import Settings
from ladder.errors import Stale
from ladder.live.stream import Cells, Event, Frame, Publisher
from ladder.matches import Claim, PlaysAlone, Result
from ladder.worker.lag import Worst
from ladder.worker.stage import Closing, Stage
from referee import metrics
from referee.errors import Interrupted, OtherVersion, Unreachable

_log = logging.getLogger(__name__)

_AGAIN: Final = 0.5  # seconds until what could not be settled is tried again


class Watch(Protocol):
    """Is told what happens in a match, and how the game then stands where there is one."""

    def __call__(self, frame: Frame, cells: Cells | None = None, /) -> None: ...


Play = Callable[[Claim, Watch], Coroutine[Any, Any, Result]]
"""Plays a claimed match and tells what happens in it; raises Unreachable or Interrupted."""


@dataclass(slots=True)
class Hold:
    """Until when, by this process's clock, an attempt surely holds its match."""

    until: float


class Hall:
    """Plays the matches of one worker. `worker` is its name in the table of workers.

    A match that is to be played alone waits until those in play have ended, and meanwhile no other
    begins. The messages of those that wait are not acknowledged, so they keep the worker from
    taking more; other workers get messages for them in time.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        live: Publisher,
        play: Play,
        worker: str,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._live = live
        self._play = play
        self._worker = worker
        self.stage = Stage(settings.renew)

    def play(self, match_id: int) -> bool:
        """Claim the match, play it and settle it; nothing where there is nothing to claim.

        False where this worker takes no more matches. What goes wrong in a match is settled in the
        database; raises only what the database raises when it is out of reach.
        """
        try:
            with self.stage.entered():
                self._claim_and_play(match_id, alone=False)
        except PlaysAlone:
            return self._play_alone(match_id)
        except Closing:
            return False
        return True

    def stop(self) -> None:
        """Take no more matches; those that are being played are given back. For signals, too."""
        self.stage.stop()

    def close(self) -> None:
        """Stop, wait until all has been given back, and end the loop. Once is enough."""
        self.stage.close()

    def _play_alone(self, match_id: int) -> bool:
        try:
            with self.stage.entered(partial(self._keep_message, match_id)):
                self._claim_and_play(match_id, alone=True)
        except Closing:
            return False
        return True

    def _keep_message(self, match_id: int) -> None:
        """This worker makes room for the match: no other one needs to."""
        with self._sessions.begin() as session:
            matches.keep_message(session, match_id)

    def _claim_and_play(self, match_id: int, *, alone: bool) -> None:
        lease = self._settings.lease
        hold = Hold(monotonic() + lease)
        with self._sessions.begin() as session:
            claim = matches.claim(session, match_id, self._worker, lease=lease, alone=alone)
        if claim is not None:
            with self.stage.lag.watched() as lag:
                self._play_out(claim, hold, lag)

    def _play_out(self, claim: Claim, hold: Hold, lag: Worst) -> None:
        try:
            settle = self._played(claim, hold)
            while not self._settled(claim, hold, settle, lag):
                sleep(_AGAIN)
            _log.info("match %d, attempt %d is settled", claim.match_id, claim.attempt)
        except Stale as stale:
            _log.warning("%s: what it played does not count", stale)

    def _settled(
        self, claim: Claim, hold: Hold, settle: Callable[[Session, Claim], object], lag: Worst
    ) -> bool:
        """False where the database does not answer, and nobody else can have the match yet: so a
        game that was played is not lost. What was written, but not confirmed, is told once more."""
        try:
            with self._sessions.begin() as session:
                settle(session, claim)
                matches.note_lag(session, claim, lag.milliseconds)
        except OperationalError as error:
            if self.stage.closing or monotonic() > hold.until:
                raise
            _log.warning("match %d is not settled yet: %s", claim.match_id, error.orig)
            return False
        return True

    def _played(self, claim: Claim, hold: Hold) -> Callable[[Session, Claim], object]:
        """Play the match; what is then to be done with the claim. Raises Stale."""
        try:
            result = self.stage.see_through(
                self._play(claim, self._watch(claim, hold)), partial(self._renew, claim, hold)
            )
        except CancelledError:
            if self.stage.closing:
                return matches.give_back
            return partial(matches.interrupt, why="the game was cancelled")
        except OtherVersion as error:
            metrics.INTERRUPTIONS.labels("unreachable").inc()
            return partial(other_version, seat=error.seat, why=error.why, told=error.told)
        except Unreachable as error:
            metrics.INTERRUPTIONS.labels("unreachable").inc()
            return partial(matches.unreachable, seat=error.seat, why=error.why)
        except Interrupted as error:
            metrics.INTERRUPTIONS.labels("platform").inc()
            _log.warning("match %d was interrupted: %s", claim.match_id, error)
            return partial(matches.interrupt, why=str(error))
        except Stale:
            raise
        except Exception as error:
            metrics.INTERRUPTIONS.labels("failure").inc()
            _log.exception("match %d, attempt %d", claim.match_id, claim.attempt)
            return partial(matches.interrupt, why=f"the worker failed: {type(error).__name__}")
        return partial(matches.finish, result=result)

    def _watch(self, claim: Claim, hold: Hold) -> Watch:
        """Nothing is told any more once another attempt may have begun: of a worker that slept,
        and that awakes, nobody hears a word before it knows."""
        sequence = count(1)
        return lambda frame, cells=None: self._live.put(
            Event(claim.match_id, claim.attempt, next(sequence), frame, cells), hold.until
        )

    def _renew(self, claim: Claim, hold: Hold) -> None:
        asked = monotonic()
        try:
            with self._sessions.begin() as session:
                matches.renew(session, claim, lease=self._settings.lease)
            hold.until = asked + self._settings.lease
        except SQLAlchemyError as error:  # the next renewal may come in time
            _log.warning("the lease of match %d was not renewed: %s", claim.match_id, error)
