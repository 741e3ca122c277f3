"""Tells whoever wants to know it which bots are in, with how many slots."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias

from referee.errors import InvalidSetting

Watch: TypeAlias = Callable[[str, int, str], None]
"""Hears a bot's name, the games that its lines offer together (0: it has left), and the version
that it told. May take a while; may raise InvalidSetting."""

_log = logging.getLogger(__name__)


class Presence:
    """Tells one thing after the other, in the order in which they happened."""

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch
        self._turn = asyncio.Lock()
        self._telling: set[asyncio.Task[None]] = set()

    async def tell(self, name: str, slots: int, version: str) -> None:
        """Tells it, and waits until it was heard."""
        if self._watch is None:
            return
        async with self._turn:
            try:
                await asyncio.to_thread(self._watch, name, slots, version)
            except InvalidSetting as error:
                _log.error("bot %s: nobody could be told of its line: %s", name, error)

    def tell_soon(self, name: str, slots: int, version: str) -> None:
        """Tells it without waiting."""
        task = asyncio.create_task(self.tell(name, slots, version))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
