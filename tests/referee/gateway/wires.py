"""Wires that a test can cut, and gateways in the test's own loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from threading import Event

import grpc.aio

from referee import http2
from referee.gateway.server import Calls, start_gateway
from referee.http2.call import Call
from referee.joining import Guest
from referee.seats.description import describe
from referee.service import MAX_FROM_BOT, OFFER
from referee.ways import Ways
from referee.wire import gateway_pb2, replay_pb2
from tests.referee.games import match_of, play

KEY = "the key of all workers"
TOKENS = {f"token-of-{name}": name for name in ("ana", "luz")}
TIMEOUT = 300.0  # seconds for whatever a test waits for


class Wire:
    """A piece of the network: forwards connections to an address until it is cut."""

    def __init__(self, to: str) -> None:
        self.address = ""
        """Where to connect."""
        self._to = to.removeprefix("unix:")
        self._loop = asyncio.get_running_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._dead = False

    def cut(self) -> None:
        """Breaks all connections at once; new ones can be made. From any thread but the loop's."""
        done = Event()
        self._loop.call_soon_threadsafe(self._cut)
        self._loop.call_soon_threadsafe(done.set)
        assert done.wait(TIMEOUT)

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    def freeze(self) -> None:
        """All connections go dead without a word; new ones can be made. From any thread."""
        self._loop.call_soon_threadsafe(self._freeze)

    def swallow(self) -> None:
        """Breaks all connections at once; new ones are dead from the beginning."""
        self._cut()
        self._dead = True

    def _freeze(self) -> None:
        for writer in self._writers:
            transport = writer.transport
            assert isinstance(transport, asyncio.Transport)
            with suppress(RuntimeError):  # it is closing, or frozen before
                transport.pause_reading()

    def thaw(self) -> None:
        """Lets go on what is frozen."""
        for writer in self._writers:
            transport = writer.transport
            assert isinstance(transport, asyncio.Transport)
            with suppress(RuntimeError):
                transport.resume_reading()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forwards one connection."""
        self._writers.add(writer)
        if self._dead:
            return
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(far_writer)
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        self._writers -= {writer, far_writer}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def wire(to: str, near: str) -> AsyncIterator[Wire]:
    """A wire from one unix socket to another."""
    made = Wire(to)
    server = await asyncio.start_unix_server(made.connect, near.removeprefix("unix:"))
    made.address = near
    try:
        yield made
    finally:
        server.close()
        made._cut()


@asynccontextmanager
async def gateway(address: str, key: str = KEY) -> AsyncIterator[str]:
    """A gateway that knows the tokens of `TOKENS`."""
    server = await start_gateway(address, Calls(TOKENS.get, key))
    try:
        yield address
    finally:
        await server.stop(None)


@asynccontextmanager
async def guest(
    bot: str, at: str, name: str = "ana", slots: int = 4, token: str = ""
) -> AsyncIterator[Guest]:
    """The bot at an address of this machine has joined a gateway for as long as the block."""
    told = await asyncio.to_thread(describe, bot)
    async with stays(Guest(bot, at, token or f"token-of-{name}", slots, told, Ways())) as made:
        yield made


@asynccontextmanager
async def stays(made: Guest) -> AsyncIterator[Guest]:
    """The guest has joined, and stays for as long as the block."""
    staying = asyncio.create_task(made.stay())
    try:
        await until(lambda: made.joined or staying.done())
        yield made
    finally:
        staying.cancel()
        await asyncio.wait({staying})


async def offer(at: str, token: str = "token-of-ana") -> Call:
    """Offer a line of one slot.

    By our own client: gRPC's may raise, or name a reason of its own, if it is refused while it
    writes.
    """
    call = await http2.connect(at, OFFER, MAX_FROM_BOT)
    await call.write(gateway_pb2.OfferRequest(token=token, slots=1).SerializeToString())
    return call


@asynccontextmanager
async def called(
    at: str, other: str
) -> AsyncIterator[tuple[grpc.aio.Channel, str, asyncio.Task[replay_pb2.Replay]]]:
    """Begin a game of a bot that has a client of its own: its channel, the ticket, and the game."""
    line = await offer(at)
    assert gateway_pb2.OfferResponse.FromString(await line.read() or b"").name == "ana"
    game = asyncio.create_task(play(match_of(["gateway:ana", other]), ways=through(at)))
    ticket = gateway_pb2.OfferResponse.FromString(await line.read() or b"").ticket
    async with grpc.aio.insecure_channel(at) as channel:
        yield channel, ticket, game
    line.hang_up()


async def until(happened: Callable[[], bool], patience: float = TIMEOUT) -> None:
    """Waits for something that is told by nobody."""
    async with asyncio.timeout(patience):
        while not happened():
            await asyncio.sleep(0.005)


def through(address: str, key: str = KEY) -> Ways:
    """The ways of a worker that knows a gateway."""
    return Ways(gateway=address, gateway_key=key)
