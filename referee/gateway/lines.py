"""The lines of bots that have dialled in, and the games that are forwarded on them.

A link is one forwarded game: a worker's call on one side, a bot's on the other. These are its
states; the worker learns from the status of its call how it ended:

    wanted --the bot calls Serve with the ticket--> joined --> ended (by the bot: OK or UNKNOWN)
       |                                              |
       +--------------- no answer, or a lost line ----+--> lost (UNAVAILABLE: call again)
"""

import asyncio
import logging
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio

from referee.errors import InvalidSetting
from referee.http2 import MAX_DETAILS
from referee.http2.messages import Ended, lost, too_long
from referee.seats.description import UNNAMED
from referee.service import MAX_FROM_BOT
from referee.wire import gateway_pb2

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]

_log = logging.getLogger(__name__)


MOST_LINES: Final = 8
"""Lines that a bot may have at once, of all its versions."""
_TRY_AGAIN_AFTER: Final = 0.5  # seconds, then twice as long each time
_LONGEST_PAUSE: Final = 8.0
BACK_WITHIN: Final = 20.0
"""Seconds after the gateway's start in which bots come back: the kit pauses for 15 at most."""
_LOOKS: Final = 40
_LOOK_EVERY: Final = 0.05  # seconds

LOST: Final = lost("the bot's line to the gateway broke")
NOT_TAKEN_UP: Final = lost("the bot was sent a ticket and did not call Serve with it in time")
_REPLACED: Final = (
    "A newer line of the same instance has taken the place of this one. (Each program that runs "
    "draws an instance of its own.)"
)
_IN_ORDER: Final = Ended(grpc.StatusCode.OK)
_TOO_MUCH: Final = too_long(f"{MAX_FROM_BOT} bytes")


@dataclass(eq=False)
class Link:
    """A game that a worker wants and a bot serves."""

    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(16), repr=False)
    joined: asyncio.Future[Context] = field(default_factory=lambda: _future())
    """The bot's call."""
    ended: asyncio.Future[Ended] = field(default_factory=lambda: _future())

    def end(self, how: Ended) -> None:
        """End the game, if it has not ended yet."""
        if not self.ended.done():
            self.ended.set_result(how)

    def lose(self) -> None:
        """End the game because one of its two lines is gone."""
        self.end(LOST)


async def forward(worker: Context, bot: Context, link: Link) -> Ended:
    """Forward messages in both directions until the link has ended."""
    pumps = {
        asyncio.create_task(_to_bot(worker, bot)),
        asyncio.create_task(_to_worker(bot, worker, link)),
    }
    try:
        return await asyncio.shield(link.ended)
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.wait(pumps)


async def _to_bot(worker: Context, bot: Context) -> None:
    with suppress(Exception):  # if a side is gone, the other pump or the handler finds out
        while (data := await worker.read()) is not grpc.aio.EOF:
            await bot.write(gateway_pb2.ServeResponse(message=data))
        await bot.write(gateway_pb2.ServeResponse(closed=gateway_pb2.Closed()))


async def _to_worker(bot: Context, worker: Context, link: Link) -> None:
    try:
        link.end(await _to_its_end(bot, worker))
    except Exception:  # gRPC has several for a side that is gone
        link.lose()


async def _to_its_end(bot: Context, worker: Context) -> Ended:
    """Forward what a bot says, and return how it ended."""
    while (said := await bot.read()) is not grpc.aio.EOF:
        kind = said.WhichOneof("what")
        if kind == "message":
            if len(said.message) > MAX_FROM_BOT:
                return _TOO_MUCH
            await worker.write(said.message)
        elif kind == "ending":
            return _ending(said.ending)
    return LOST


def _ending(said: gateway_pb2.Ending) -> Ended:
    if said.too_much:
        return _TOO_MUCH
    error = said.error[:MAX_DETAILS]
    return Ended(grpc.StatusCode.UNKNOWN, error) if error else _IN_ORDER


def _future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


async def looks() -> AsyncIterator[None]:
    """Yield every 50 ms for two seconds: a worker may dial again before its game has ended here."""
    for _ in range(_LOOKS):
        yield
        await asyncio.sleep(_LOOK_EVERY)


class NoLine(Exception):
    """The bot cannot play now; the message says why.

    `early`: the gateway has started just now, and the bot, or one more line of it, may not have
    come back yet.
    """

    def __init__(self, why: str, *, early: bool) -> None:
        super().__init__(why)
        self.early = early


@dataclass(eq=False)
class BotLine:
    """A bot that has dialled in and offers slots."""

    name: str
    instance: str
    """Identifies the program: the same when it dials again; may be empty."""
    slots: int
    description: bytes
    version: str = UNNAMED
    """The version in the description."""
    tickets: asyncio.Queue[str] = field(default_factory=asyncio.Queue, repr=False)
    """Tickets that are still to be sent to the bot."""
    links: set[Link] = field(default_factory=set)
    """The games that it plays."""
    dropped: asyncio.Event = field(default_factory=asyncio.Event)
    why_dropped: str = ""


class Lines:
    """All lines, the newest last."""

    def __init__(self) -> None:
        self._lines: list[BotLine] = []
        self._came_back: set[tuple[str, str | None]] = set()  # names, and with versions
        self._early_until = monotonic() + BACK_WITHIN

    def add(self, line: BotLine) -> bool:
        """Add the line of a bot that has dialled in, in place of its former line if it had one.

        Return False, and add nothing, if the bot has as many others as it may have.
        """
        of_bot = self.of(line.name)
        former = [one for one in of_bot if line.instance and one.instance == line.instance]
        if len(of_bot) - len(former) >= MOST_LINES:
            return False
        for one in former:
            self.drop(one, _REPLACED)
        self._lines.append(line)
        self._came_back |= {(line.name, None), (line.name, line.version)}
        return True

    def drop(self, line: BotLine, why: str = "") -> None:
        """Remove a line that is over, and end its games for now: workers call again."""
        if line in self._lines:
            self._lines.remove(line)
            line.why_dropped = why
        line.dropped.set()
        for link in list(line.links):
            link.lose()

    def of(self, name: str, version: str | None = None) -> list[BotLine]:
        """Return the lines of a bot, or of one version of it, the newest first."""
        return [
            line
            for line in reversed(self._lines)
            if line.name == name and version in (None, line.version)
        ]

    def newest(self, name: str, version: str | None = None) -> BotLine:
        """Return the newest line of a bot, or of one version of it. Raises NoLine."""
        for line in self.of(name, version):
            return line
        early = self._is_early and (name, version) not in self._came_back
        raise NoLine(f"{_words(name, version)} has not dialled in", early=early)

    def offered(self, name: str, version: str) -> int:
        """Return how many games all lines of a version offer."""
        return sum(line.slots for line in self.of(name, version))

    async def free(self, name: str, version: str | None = None) -> BotLine:
        """Return the newest line of a bot, or of a version, with a slot left. Raises NoLine.

        Waits a moment if all slots are taken.
        """
        async for _ in looks():
            self.newest(name, version)
            for line in self.of(name, version):
                if len(line.links) < line.slots:
                    return line
        raise NoLine(f"all slots of {_words(name, version)} are taken", early=self._is_early)

    @property
    def _is_early(self) -> bool:
        return monotonic() < self._early_until


def _words(name: str, version: str | None) -> str:
    return f"the bot {name}" if version is None else f"version {version} of the bot {name}"


Watch: TypeAlias = Callable[[str, int, str], None]
"""Called with a bot's name, the games that all lines of a version offer (0: it has left), and the
version. It may take a while, and may raise InvalidSetting."""


class Presence:
    """Announces which versions are there, one change after the other, those of a bot in order.

    It tries until the watcher returns: the next time that a line changes may be in a week.
    """

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch
        self._turn = asyncio.Lock()
        self._turns_of = defaultdict[str, asyncio.Lock](asyncio.Lock)  # by the bots' names
        self._announcing: set[asyncio.Task[None]] = set()

    def announce(self, name: str, slots: int, version: str) -> asyncio.Task[None]:
        """Announce a change without waiting; the task ends when the watcher has returned."""
        task = asyncio.create_task(self._announce(name, slots, version))
        self._announcing.add(task)
        task.add_done_callback(self._announcing.discard)
        return task

    async def _announce(self, name: str, slots: int, version: str) -> None:
        if self._watch is None:
            return
        pause = _TRY_AGAIN_AFTER
        async with self._turns_of[name]:
            while True:
                try:
                    async with self._turn:
                        await asyncio.to_thread(self._watch, name, slots, version)
                    return
                except InvalidSetting as error:
                    _log.error("bot %s: its line could not be announced: %s", name, error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
