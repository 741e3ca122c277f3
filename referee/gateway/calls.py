"""The calls of the gateway: bots offer games and serve them, workers describe and play.

Callers who have said nothing yet are counted by host, so that nobody fills the gateway.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeAlias

import grpc
import grpc.aio

from referee.errors import InvalidSetting
from referee.gateway.credentials import Challenges, NameOf, WrongProof
from referee.gateway.lines import LOST, BotLine, Context, Ended, Lines, Link, NoLine, forward
from referee.service import BOT_KEY, CHALLENGE_KEY, PROOF_KEY, SEAT_KEY
from referee.wire import gateway_pb2

MOST: Final = 256
"""Calls of one host whose first message has not come. A bot takes up at most as many games at
once, and says at once which."""
MOST_SLOTS: Final = 256
"""Games that one line may offer to play at once."""
SERVE_WITHIN: Final = 5.0
"""Seconds that a bot has to take up a game; who does not is taken for gone."""
_FIRST_WITHIN: Final = 10.0  # seconds for the first message of a stream
_ASK_AGAIN_EVERY: Final = 10.0  # seconds until it is looked whether a token is still good

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


class Strangers:
    """Counts them by host."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def one_more(self, peer: str) -> Iterator[bool]:
        """A call of a peer (as gRPC names it) waits during the block; whether it may."""
        host = peer.rpartition(":")[0]
        self._waiting[host] += 1
        try:
            yield self._waiting[host] <= MOST
        finally:
            self._waiting[host] -= 1
            if not self._waiting[host]:
                del self._waiting[host]


@dataclass(frozen=True, slots=True)
class _Caller:
    """A worker's call: for which bot, and for which seat, if it is one."""

    bot: str
    seat: str


class Calls:
    """Answers all calls. Its state ends with the process: bots and workers dial again."""

    def __init__(self, name_of: NameOf, key: str, watch: Watch | None = None) -> None:
        """`name_of`: whose token is it? `key`: what the workers share with the gateway. `watch`:
        who wants to know which bots are in."""
        self._name_of = name_of
        self._presence = Presence(watch)
        self._challenges = Challenges(key)
        self._lines = Lines()
        self._strangers = Strangers()
        self._wanted: dict[str, Link] = {}  # by ticket
        self._seats: set[_Caller] = set()  # those with a live stream

    # Bots.

    async def offer(self, _: Any, context: Context) -> None:
        """A bot's line, for as long as it holds."""
        offered = await self._first(context)
        line = await self._new_line(offered, context)
        self._lines.add(line)
        _log.info("bot %s has dialled in with %d slots", line.name, line.slots)
        await self._presence.tell(line.name, *self._lines.offered(line.name))
        try:
            await context.write(gateway_pb2.OfferResponse(name=line.name))
            await self._tell(line, offered.token, context)
        finally:
            self._lines.drop(line)
            self._presence.tell_soon(line.name, *self._lines.offered(line.name))
            _log.info("bot %s: a line is over", line.name)

    async def _new_line(self, offered: gateway_pb2.OfferRequest, context: Context) -> BotLine:
        try:
            name = await asyncio.to_thread(self._name_of, offered.token)
        except InvalidSetting as error:
            _log.error("no token can be checked: %s", error)
            await _refuse(context, "The gateway cannot check tokens now.")
        if name is None:
            await _reject(context, "The gateway does not know this token.")
        if not 0 < offered.slots <= MOST_SLOTS:
            sentence = f"A bot offers 1 to {MOST_SLOTS} slots, not {offered.slots}."
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, sentence)
        description = offered.description.SerializeToString()
        version = offered.description.version
        return BotLine(name, offered.instance, offered.slots, description, version)

    async def _tell(self, line: BotLine, token: str, context: Context) -> None:
        """Tells a bot of games until it leaves, or has to."""
        void = asyncio.create_task(self._until_void(line.name, token))
        tasks = {
            asyncio.create_task(_hand_out(line, context)),
            asyncio.create_task(_hear_out(context)),
            asyncio.create_task(line.dropped.wait()),
            void,
        }
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if void in done:
            await _reject(context, "The token is good no more.")
        if line.dropped.is_set():
            sentence = "This line was taken for gone: dial again."
            await context.abort(grpc.StatusCode.ABORTED, sentence)

    async def _until_void(self, name: str, token: str) -> None:
        """Ends when the token is no longer the bot's."""
        known: str | None = name
        while known == name:
            await asyncio.sleep(_ASK_AGAIN_EVERY)
            with suppress(InvalidSetting):  # who cannot be asked says nothing against it
                known = await asyncio.to_thread(self._name_of, token)

    async def serve(self, _: Any, context: Context) -> None:
        """A bot takes up a game."""
        link = self._wanted.pop((await self._first(context)).ticket, None)
        if link is None:
            sentence = "The ticket is not good: each is for one call, within 5 seconds."
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, sentence)
        link.joined.set_result(context)
        try:
            ended = await asyncio.shield(link.ended)
        except asyncio.CancelledError:
            link.lose()
            raise
        if ended is LOST:
            await context.abort(grpc.StatusCode.ABORTED, "The referee has hung up.")

    async def _first(self, context: Context) -> Any:
        """The first message of a stream."""
        message = grpc.aio.EOF
        with self._strangers.one_more(context.peer()) as welcome, suppress(TimeoutError):
            if not welcome:
                await _refuse(context, "Too many calls of this host say nothing: try again later.")
            async with asyncio.timeout(_FIRST_WITHIN):
                message = await context.read()
        if message is grpc.aio.EOF:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "The first message did not come.")
        return message

    # Workers.

    async def challenge(self, _: gateway_pb2.ChallengeRequest, __: Context) -> Any:
        """Returns a challenge for a worker to sign."""
        return gateway_pb2.ChallengeResponse(challenge=self._challenges.issue())

    async def describe(self, _: bytes, context: Context) -> bytes:
        """Returns the description that the bot sent when it dialled in."""
        caller = await self._admitted(context)
        try:
            return self._lines.newest(caller.bot).description
        except NoLine as error:
            await _refuse(context, str(error))

    async def play(self, _: Any, context: Context) -> None:
        """One stream of a seat, to a bot that has a slot left."""
        caller = await self._admitted(context)
        if caller in self._seats:
            await _refuse(context, "another stream for this seat is live")
        try:
            line = self._lines.free(caller.bot)
        except NoLine as error:
            await _refuse(context, str(error))
        link = Link()
        self._seats.add(caller)
        line.links.add(link)
        try:
            ended = await self._play(line, link, context)
        finally:
            self._seats.discard(caller)
            line.links.discard(link)
            link.lose()
        if ended.status is not grpc.StatusCode.OK:
            await context.abort(ended.status, ended.details)

    async def _play(self, line: BotLine, link: Link, context: Context) -> Ended:
        """Tells the bot, waits until it takes the game up, and forwards."""
        self._wanted[link.ticket] = link
        line.tickets.put_nowait(link.ticket)
        either: set[asyncio.Future[Any]] = {link.joined, link.ended}
        try:
            await asyncio.wait(either, timeout=SERVE_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._wanted.pop(link.ticket, None)
        if not link.joined.done():
            self._lines.drop(line)
            return LOST
        return await forward(context, link.joined.result(), link)

    async def _admitted(self, context: Context) -> _Caller:
        """Returns the caller; refuses it if it is not a worker."""
        told = dict(context.invocation_metadata() or ())
        bot, seat = str(told.get(BOT_KEY, "")), str(told.get(SEAT_KEY, ""))
        challenge, proof = _bytes(told.get(CHALLENGE_KEY)), _bytes(told.get(PROOF_KEY))
        try:
            self._challenges.check(challenge, proof, bot, seat)
        except WrongProof as error:
            _log.warning("a worker was refused: %s", error)
            await _reject(context, str(error))
        return _Caller(bot, seat)


async def _hand_out(line: BotLine, context: Context) -> None:
    while True:
        ticket = await line.tickets.get()
        await context.write(gateway_pb2.OfferResponse(ticket=ticket))


async def _hear_out(context: Context) -> None:
    while await context.read() is not grpc.aio.EOF:
        pass


async def _reject(context: Context, sentence: str) -> NoReturn:
    """Ends a call of somebody who cannot prove who he is."""
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, sentence)


async def _refuse(context: Context, why: str) -> NoReturn:
    """Ends a call that may go better the next time."""
    await context.abort(grpc.StatusCode.UNAVAILABLE, why)


def _bytes(value: str | bytes | None) -> bytes:
    return value if isinstance(value, bytes) else b""
