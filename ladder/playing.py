"""The matches that one worker plays: claimed, played on one event loop, and settled.

gRPC's asyncio lives on one loop, which runs in a thread of its own. Each match has besides a thread
of the worker's pool, which talks to the database and keeps the lease while the match is played.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from functools import partial
from itertools import count
from threading import Condition, Lock, Thread
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import matches
from ladder.config import Settings
from ladder.errors import Stale
from ladder.live import Event, Frame, Publisher
from ladder.matches import Claim, Result
from referee import metrics
from referee.errors import Interrupted, Unreachable

_log = logging.getLogger(__name__)
_FAREWELL: Final = 5.0  # seconds for matches to be given back, and for games to hang up

Watch = Callable[[Frame], None]
Play = Callable[[Claim, Watch], Coroutine[Any, Any, Result]]
"""Plays a claimed match and tells what happens in it; raises Unreachable or Interrupted."""


class Hall:
    """Where the matches of one worker are played. `worker` is its name for the operator."""

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
        self._games: set[Future[Result]] = set()
        self._lock = Lock()
        self._playing = 0
        self._changed = Condition()
        self._closing = False
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="matches", daemon=True)
        self._thread.start()
        self._lag = asyncio.run_coroutine_threadsafe(metrics.watch_lag(), self._loop)

    def play(self, match_id: int) -> bool:
        """Claim the match, play it and settle it; nothing where there is nothing to claim.

        False where this worker takes no more matches. What goes wrong in a match is settled in the
        database; raises only what the database raises when it is out of reach.
        """
        if self._closing:
            return False
        with self._present():
            with self._sessions.begin() as session:
                claim = matches.claim(session, match_id, self._worker, lease=self._settings.lease)
            if claim is not None:
                self._play_out(claim)
        return True

    def stop(self) -> None:
        """Take no more matches; those that are being played are given back. For signals, too."""
        self._closing = True
        with self._lock:
            games = list(self._games)
        for game in games:
            game.cancel()

    def close(self) -> None:
        """Stop, wait until all has been given back, and end the loop. Once is enough."""
        if self._loop.is_closed():
            return
        self.stop()
        with self._changed:
            self._changed.wait_for(lambda: not self._playing, _FAREWELL)
        self._lag.cancel()
        asyncio.run_coroutine_threadsafe(_hung_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @contextmanager
    def _present(self) -> Iterator[None]:
        """Count the thread as one that plays."""
        with self._changed:
            self._playing += 1
        try:
            yield
        finally:
            with self._changed:
                self._playing -= 1
                self._changed.notify_all()

    def _play_out(self, claim: Claim) -> None:
        try:
            settle = self._played(claim)
            with self._sessions.begin() as session:
                settle(session, claim)
            _log.info("match %d, attempt %d is settled", claim.match_id, claim.attempt)
        except Stale as stale:
            _log.warning("%s: what it played does not count", stale)

    def _played(self, claim: Claim) -> Callable[[Session, Claim], object]:
        """Play the match; what is then to be done with the claim. Raises Stale."""
        try:
            result = self._result(claim)
        except CancelledError:
            if self._closing:
                return matches.give_back
            return partial(matches.interrupt, why="the game was cancelled")
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

    def _result(self, claim: Claim) -> Result:
        """The result of the game, which is played on the loop; the lease is renewed meanwhile."""
        game = asyncio.run_coroutine_threadsafe(self._play(claim, self._watch(claim)), self._loop)
        with self._lock:
            self._games.add(game)
        if self._closing:
            game.cancel()
        try:
            while not wait([game], self._settings.renew).done:
                self._renew(claim)
            return game.result()
        finally:
            game.cancel()
            with self._lock:
                self._games.discard(game)

    def _watch(self, claim: Claim) -> Watch:
        sequence = count(1)
        return lambda frame: self._live.put(
            Event(claim.match_id, claim.attempt, next(sequence), frame)
        )

    def _renew(self, claim: Claim) -> None:
        try:
            with self._sessions.begin() as session:
                matches.renew(session, claim, lease=self._settings.lease)
        except SQLAlchemyError as error:  # the next renewal may come in time
            _log.warning("the lease of match %d was not renewed: %s", claim.match_id, error)


async def _hung_up() -> None:
    """Wait until cancelled games have said goodbye to their bots."""
    games = asyncio.all_tasks() - {asyncio.current_task()}
    if games:
        await asyncio.wait(games, timeout=_FAREWELL)
