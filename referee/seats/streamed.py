"""Seats whose bot answers on a stream: the news that it gets, and the last message."""

import asyncio
from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

from referee.faults import Fault
from referee.game import Game
from referee.seats import protocol
from referee.seats.deadline import Deadline
from referee.seats.player import GameOver, Invitation
from referee.wire import bot_pb2


class _Closable(Protocol):
    async def hang_up(self) -> None: ...


LineT = TypeVar("LineT", bound=_Closable)


class StreamedSeat(ABC, Generic[LineT]):
    """A seat with one stream at a time, its line, and what was sent and answered on it."""

    def __init__(self) -> None:
        self._invitation: Invitation | None = None
        self._line: LineT | None = None  # on which the bot has accepted the game
        self._answered: int | None = None  # the last decision
        self._sent = 0  # how many of the game's events were sent on this line
        self._farewell: asyncio.Task[None] | None = None
        self._deadline = Deadline()

    def dismiss(self, game: Game, fault: Fault) -> None:
        self._part(game, bot_pb2.PlayRequest(fault=fault.message()).SerializeToString())

    def end(self, game: Game, over: GameOver) -> None:
        self._part(game, protocol.end_request(over).SerializeToString())

    async def leave(self) -> None:
        self._deadline.close()
        try:
            if self._farewell is not None:
                await asyncio.wait({self._farewell})
        finally:
            await self._hang_up()

    @abstractmethod
    def _part(self, game: Game, last: bytes) -> None:
        """Send the last message in the background, if the bot can get it."""

    def _with_news(self, game: Game, request: bytes) -> bytes:
        """Return an encoded PlayRequest with all events that were not yet sent on this line."""
        news = game.encoded_events(self._sent)
        self._sent += len(news)
        return b"".join((*news, request))

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.hang_up()
