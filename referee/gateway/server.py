"""The gateway as a server: bots offer games and serve them, workers describe and play."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from referee import service
from referee.errors import InvalidSetting
from referee.gateway import lines
from referee.gateway.credentials import Challenges, NameOf, Pace, Strangers, WrongProof
from referee.gateway.lines import BotLine, Context, Link
from referee.http2.messages import Ended
from referee.seats.description import UNNAMED
from referee.signals import ending_signals
from referee.ways import bot_and_version
from referee.wire import gateway_pb2

MOST_SLOTS: Final = 256
"""Games that one line may offer to play at once."""
SERVE_WITHIN: Final = 5.0
"""Seconds in which a bot has to take up a game; else its line is taken for gone."""
_FIRST_TIMEOUT: Final = 10.0  # seconds for the first message of a stream
_READ_EVERY: Final = 1.0  # seconds between two needless messages on a line
_ASK_AGAIN_EVERY: Final = 10.0  # seconds between two checks of a token

_OPTIONS: Final = (
    *service.KEEPALIVE,
    # Anybody can dial. A bot has a call for each game, a worker has one for each seat; more on one
    # connection are refused before they cost anything.
    ("grpc.max_concurrent_streams", 1024),
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.max_receive_message_length", service.MAX_THROUGH_GATEWAY),
    ("grpc.so_reuseport", 0),
)
_UNREADABLE: Final = object()
_FORWARDED_FOR: Final = "x-forwarded-for"
_GRACE: Final = 1.0  # seconds in which running games may end after a signal

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Caller:
    """The bot that a worker calls, as `BOT` or `BOT/VERSION`, and its seat; "" for none."""

    bot: str
    seat: str


class Calls:
    """Answers all calls. Its state is lost with the process: bots and workers dial again."""

    def __init__(
        self, name_of: NameOf, key: str, watch: lines.Watch | None = None, proxies: int = 0
    ) -> None:
        """Prepare to answer. `key` is the secret that workers share with the gateway.

        `proxies`: how many stand in front; the last of them that we trust names the caller.
        """
        self._name_of = name_of
        self._presence = lines.Presence(watch)
        self._challenges = Challenges(key)
        self._lines = lines.Lines()
        self._strangers = Strangers()
        self._proxies = proxies
        self._pace = Pace()
        self._wanted: dict[str, Link] = {}  # by ticket
        self._seats: set[_Caller] = set()  # seats with a live stream

    # Bots.

    async def offer(self, _: Any, context: Context) -> None:
        """Keep a bot's line, for as long as it holds."""
        offered = await self._first(context)
        await self._in_turn(offered.token, context)
        line = await self._new_line(offered, context)
        if not self._lines.add(line):
            sentence = f"This bot has {lines.MOST_LINES} lines: end one of its programs first."
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, sentence)
        name, version = line.name, line.version
        _log.info("bot %s, version %s, has dialled in with %d slots", name, version, line.slots)
        try:
            # Nobody waits for the database here: a game of this bot may be waiting for its line.
            self._presence.announce(name, self._lines.offered(name, version), version)
            await context.write(gateway_pb2.OfferResponse(name=line.name))
            await self._tell(line, offered.token, context)
        finally:
            self._lines.drop(line)
            self._presence.announce(name, self._lines.offered(name, version), version)
            _log.info("bot %s: a line is over", line.name)

    async def _in_turn(self, token: str, context: Context) -> None:
        """Hold up a bot that offers lines again and again, or refuse it."""
        seconds = self._pace.wait(token)
        if seconds is None:
            sentence = "Too many lines are offered with this token: dial again later."
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, sentence)
        if seconds:
            await asyncio.sleep(seconds)

    async def _new_line(self, offered: gateway_pb2.OfferRequest, context: Context) -> BotLine:
        try:
            async with self._as_stranger(context):
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
        version = offered.description.version or UNNAMED
        return BotLine(name, offered.instance, offered.slots, description, version)

    async def _tell(self, line: BotLine, token: str, context: Context) -> None:
        """Offer games to a bot until it leaves, or has to."""
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
            await context.abort(grpc.StatusCode.ABORTED, line.why_dropped)

    async def _until_void(self, name: str, token: str) -> None:
        """Return when the token is no longer the bot's."""
        name_now: str | None = name
        while name_now == name:
            await asyncio.sleep(_ASK_AGAIN_EVERY)
            with suppress(InvalidSetting):  # if it cannot be checked, the token counts as good
                name_now = await asyncio.to_thread(self._name_of, token)

    async def serve(self, _: Any, context: Context) -> None:
        """Let a bot take up a game."""
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
        if ended is lines.LOST:
            await context.abort(grpc.StatusCode.ABORTED, "The referee has hung up.")

    async def _first(self, context: Context) -> Any:
        """Return the first message of a stream."""
        message = None
        with suppress(TimeoutError):
            async with self._as_stranger(context), asyncio.timeout(_FIRST_TIMEOUT):
                message = await context.read()
        if message is None:  # the network may be slow: the next call may have more luck
            sentence = "The first message did not come in time."
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, sentence)
        if message is grpc.aio.EOF:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "The first message did not come.")
        if message is _UNREADABLE:
            sentence = "The first message is not one of gateway.proto: is it in the binary form?"
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, sentence)
        return message

    @asynccontextmanager
    async def _as_stranger(self, context: Context) -> AsyncIterator[None]:
        """Count the call among those of its host that prove nothing yet; refuse it if too many."""
        with self._strangers.one_more(_peer(context, self._proxies)) as welcome:
            if not welcome:
                await _refuse(context, "Too many calls of this host wait: try again later.")
            yield

    # Workers.

    async def challenge(self, _: gateway_pb2.ChallengeRequest, __: Context) -> Any:
        """Return a challenge for a worker to sign."""
        return gateway_pb2.ChallengeResponse(challenge=self._challenges.issue())

    async def describe(self, _: bytes, context: Context) -> bytes:
        """Return the description that the bot sent when it dialled in."""
        caller = await self._admitted(context)
        try:
            return self._lines.newest(*bot_and_version(caller.bot)).description
        except lines.NoLine as error:
            await _without_line(context, error)

    async def play(self, _: Any, context: Context) -> None:
        """Forward one stream of a seat to a bot that has a slot left."""
        caller = await self._admitted(context)
        async for _ in lines.looks():
            if caller not in self._seats:
                break
        else:
            await _refuse(context, "another stream for this seat is live")
        self._seats.add(caller)
        try:
            ended = await self._play_in_slot(caller.bot, context)
        finally:
            self._seats.discard(caller)
        if ended.code is not grpc.StatusCode.OK:
            await context.abort(ended.code, ended.details)

    async def _play_in_slot(self, bot: str, context: Context) -> Ended:
        try:
            line = await self._lines.free(*bot_and_version(bot))
        except lines.NoLine as error:
            await _without_line(context, error)
        link = Link()
        line.links.add(link)
        try:
            return await self._play(line, link, context)
        finally:
            line.links.discard(link)
            link.lose()

    async def _play(self, line: BotLine, link: Link, context: Context) -> Ended:
        """Give the bot a ticket, wait until it takes up the game, and forward the stream."""
        self._wanted[link.ticket] = link
        line.tickets.put_nowait(link.ticket)
        either: set[asyncio.Future[Any]] = {link.joined, link.ended}
        try:
            await asyncio.wait(either, timeout=SERVE_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._wanted.pop(link.ticket, None)
        if link.ended.done():  # with its line
            return link.ended.result()
        if not link.joined.done():
            within = f"within {SERVE_WITHIN:g} seconds"
            sentence = f"A ticket came, and no call of Serve with it {within}: dial again."
            self._lines.drop(line, sentence)
            return lines.NOT_TAKEN_UP
        return await lines.forward(context, link.joined.result(), link)

    async def _admitted(self, context: Context) -> _Caller:
        """Return the caller; refuse it if it is not a worker."""
        metadata = dict(context.invocation_metadata() or ())
        bot, seat = str(metadata.get(service.BOT_KEY, "")), str(metadata.get(service.SEAT_KEY, ""))
        challenge, proof = (
            _bytes(metadata.get(service.CHALLENGE_KEY)),
            _bytes(metadata.get(service.PROOF_KEY)),
        )
        try:
            self._challenges.check(challenge, proof, bot, seat)
        except WrongProof as error:
            _log.warning("a worker was refused: %s", error)
            await _reject(context, str(error))
        return _Caller(bot, seat)


def _peer(context: Context, proxies: int) -> str:
    """Return who calls, as gRPC names it; behind proxies as they name it."""
    named = str(dict(context.invocation_metadata() or ()).get(_FORWARDED_FOR, "")).split(",")
    if not proxies or len(named) < proxies or not named[0]:
        return context.peer()
    return f"{named[-proxies].strip()}:0"


async def _hand_out(line: BotLine, context: Context) -> None:
    while True:
        ticket = await line.tickets.get()
        await context.write(gateway_pb2.OfferResponse(ticket=ticket))


async def _hear_out(context: Context) -> None:
    """Wait until a bot ends its line; whatever else it says is read slowly, and passed over."""
    while await context.read() is not grpc.aio.EOF:
        await asyncio.sleep(_READ_EVERY)


async def _reject(context: Context, sentence: str) -> NoReturn:
    """End a call whose caller cannot prove who it is."""
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, sentence)


async def _refuse(context: Context, why: str) -> NoReturn:
    """End a call that may succeed the next time."""
    await context.abort(grpc.StatusCode.UNAVAILABLE, why)


async def _without_line(context: Context, error: lines.NoLine) -> NoReturn:
    """Refuse a call to a bot that cannot play now; say whether it may just not be back yet."""
    if error.early:
        context.set_trailing_metadata(((service.EARLY_KEY, "1"),))
    await _refuse(context, str(error))


def _bytes(value: str | bytes | None) -> bytes:
    return value if isinstance(value, bytes) else b""


def run_gateway(address: str, calls: Calls, credentials: grpc.ServerCredentials | None) -> None:
    """Forward games until a signal asks the process to end. Raises as `start_gateway` does."""
    asyncio.run(_run(address, calls, credentials))


async def _run(address: str, calls: Calls, credentials: grpc.ServerCredentials | None) -> None:
    ended = asyncio.Event()
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    server = await start_gateway(address, calls, credentials)
    _log.info("The gateway is waiting for bots and workers on %s.", address)
    await ended.wait()
    await server.stop(_GRACE)


async def start_gateway(
    address: str, calls: Calls, credentials: grpc.ServerCredentials | None = None
) -> grpc.aio.Server:
    """Start a gateway in this event loop; the caller stops it.

    Without `credentials` connections are plain. Raises InvalidSetting if nothing can listen there.
    """
    server = grpc.aio.server(options=_OPTIONS)
    server.add_generic_rpc_handlers(_handlers(calls))
    service.listen(server, address, credentials, "Choose another address.")
    await server.start()
    return server


def _handlers(calls: Calls) -> tuple[grpc.GenericRpcHandler, ...]:
    bot: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        _name(service.DESCRIBE): grpc.unary_unary_rpc_method_handler(calls.describe),
        _name(service.PLAY): grpc.stream_stream_rpc_method_handler(calls.play),
    }
    gateway: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        _name(service.OFFER): grpc.stream_stream_rpc_method_handler(
            calls.offer,
            request_deserializer=_reader(gateway_pb2.OfferRequest),
            response_serializer=gateway_pb2.OfferResponse.SerializeToString,
        ),
        _name(service.SERVE): grpc.stream_stream_rpc_method_handler(
            calls.serve,
            request_deserializer=_reader(gateway_pb2.ServeRequest),
            response_serializer=gateway_pb2.ServeResponse.SerializeToString,
        ),
        _name(service.CHALLENGE): grpc.unary_unary_rpc_method_handler(
            calls.challenge,
            request_deserializer=gateway_pb2.ChallengeRequest.FromString,
            response_serializer=gateway_pb2.ChallengeResponse.SerializeToString,
        ),
    }
    return (
        grpc.method_handlers_generic_handler(service.SERVICE, bot),
        grpc.method_handlers_generic_handler(service.GATEWAY_SERVICE, gateway),
    )


def _reader(kind: type[Message]) -> Callable[[bytes], object]:
    """Return what reads messages. gRPC would log a stranger's bytes as an error of ours.

    Whatever is no message has no fields: in the middle of a game it breaks the line.
    """

    def read(data: bytes) -> object:
        try:
            return kind.FromString(data)
        except DecodeError:
            return _UNREADABLE

    return read


def _name(method: str) -> str:
    return method.rpartition("/")[2]
