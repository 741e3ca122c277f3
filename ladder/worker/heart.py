"""A worker's signs of life, and its looks for bots that were out of reach.

Both have a thread of their own, so that they come also when all places are taken.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import bots, workers
from ladder.bots import reach
from ladder.bots.reach import Look
from ladder.config import Settings
from ladder.worker.stage import Stage

_log = logging.getLogger(__name__)

_LOOK_FOR: Final = 5.0  # seconds
_BEAT: Final = 5.0  # seconds at most, with one look more: well below what `workers` call silent

LookFor = Callable[[Look], Coroutine[Any, Any, bool]]
"""Whether the bot is there. Never raises on its account."""


class Heart:
    """Beats from its start to its end."""

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        stage: Stage,
        look_for: LookFor,
        worker: str,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._stage = stage
        self._look_for = look_for
        self._worker = worker
        self._ended = Event()
        self._thread = Thread(target=self._run, name="heart", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Say farewell soon. For signals, too."""
        self._ended.set()

    def close(self) -> None:
        """Say farewell and end."""
        self.stop()
        self._thread.join()

    def _run(self) -> None:
        lag = 0
        while not self._ended.is_set():
            self._try(partial(self._beat, lag))
            with self._stage.lag.watched() as worst:
                next_beat = monotonic() + min(self._settings.renew, _BEAT)
                self._try(partial(self._look, next_beat))
                self._ended.wait(next_beat - monotonic())
            lag = worst.milliseconds
        self._try(self._say_farewell)

    def _try(self, what: Callable[[], None]) -> None:
        try:
            what()
        except SQLAlchemyError as error:
            _log.warning("no sign of life: %s", error)

    def _beat(self, lag_ms: int) -> None:
        with self._sessions.begin() as session:
            workers.beat(session, self._worker, places=self._settings.places, lag_ms=lag_ms)

    def _look(self, until: float) -> None:
        while monotonic() < until and not self._ended.is_set():
            with self._sessions.begin() as session:
                look = reach.look(session)
            if look is None:
                return
            if self._is_there(look):
                _log.info("bot %d, %s, is back", look.bot_id, look.name)
                with self._sessions.begin() as session:
                    bots.online(session, look.bot_id)

    def _is_there(self, look: Look) -> bool:
        try:
            return self._stage.run(self._look_for(look), _LOOK_FOR)
        except TimeoutError:
            return False

    def _say_farewell(self) -> None:
        with self._sessions.begin() as session:
            workers.farewell(session, self._worker)
