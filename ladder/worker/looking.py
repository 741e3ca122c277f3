"""Looks whether bots that were out of reach are back: it costs little, and asks for no game."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from sqlalchemy.orm import Session, sessionmaker

from ladder import bots
from ladder.bots import reach
from ladder.bots.addresses import OutOfBounds
from ladder.bots.dialling import ways_to
from ladder.bots.reach import Look
from ladder.jobs.stage import Stage
from referee.seats.description import NotDescribed, told_version
from referee.ways import Ways

_log = logging.getLogger(__name__)

_LOOK_FOR: Final = 5.0  # seconds

LookFor = Callable[[Look], Coroutine[Any, Any, bool]]
"""Whether the bot is there. Never raises on its account."""


class Lookout:
    """Looks for bots between a worker's signs of life."""

    def __init__(self, sessions: sessionmaker[Session], stage: Stage, look_for: LookFor) -> None:
        self._sessions = sessions
        self._stage = stage
        self._look_for = look_for

    def __call__(self, has_time: Callable[[], bool]) -> None:
        """Look for one bot after the other that it is time for, as long as there is time."""
        while has_time():
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


async def look_for(look: Look) -> bool:
    """Whether the bot says who it is, at the address that is looked up and checked anew."""
    try:
        ways = await ways_to(look.address, look.secret, Ways.from_environment(), house=look.house)
        await told_version(look.address, ways)
    except (OutOfBounds, NotDescribed) as error:
        _log.info("bot %d, %s, is still away: %s", look.bot_id, look.name, error)
        return False
    except Exception:
        _log.exception("bot %d, %s, could not be looked for", look.bot_id, look.name)
        return False
    return True
