"""The checks of new versions that one worker makes: claimed, made on its stage, and settled."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import checking
from ladder.bots.checking import Check
from ladder.bots.reports import Report
from ladder.config import Settings
from ladder.errors import Stale
from ladder.worker.stage import Closing, Stage

_log = logging.getLogger(__name__)

Examine = Callable[[Check], Coroutine[Any, Any, Report]]
"""Makes a check; nothing is raised on the bot's account."""


class Checks:
    """Makes checks on the stage where the worker's matches are played."""

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        stage: Stage,
        examine: Examine,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._stage = stage
        self._examine = examine

    def make(self, version_id: int) -> bool:
        """Claim the check, make it and settle it; nothing where there is nothing to claim.

        False where this worker begins nothing more.
        """
        try:
            with self._stage.entered():
                check = self._claim(version_id)
                if check is not None:
                    self._make(check)
        except Closing:
            return False
        return True

    def _claim(self, version_id: int) -> Check | None:
        with self._sessions.begin() as session:
            return checking.claim(session, version_id, lease=self._settings.lease)

    def _make(self, check: Check) -> None:
        try:
            settle = self._made(check)
            with self._sessions.begin() as session:
                settle(session, check)
        except Stale as stale:
            _log.warning("%s: what it found does not count", stale)

    def _made(self, check: Check) -> Callable[[Session, Check], object]:
        """Make the check; what is then to be done with it. Raises Stale."""
        try:
            report = self._stage.see_through(self._examine(check), partial(self._renew, check))
        except CancelledError:
            return checking.give_back
        except Stale:
            raise
        except Exception:
            _log.exception("the check of version %d, attempt %d", check.version_id, check.attempt)
            return checking.fail
        return partial(checking.finish, report=report)

    def _renew(self, check: Check) -> None:
        try:
            with self._sessions.begin() as session:
                checking.renew(session, check, lease=self._settings.lease)
        except SQLAlchemyError as error:  # the next renewal may come in time
            _log.warning("the check of version %d was not renewed: %s", check.version_id, error)
