"""Bots that misbehave: real gRPC servers that send bytes, not only messages.

A hostile bot plays honestly until its third decision and then spoils the game in its own way. It
keeps all that it was told, so that the honest one (which spoils nothing) is a witness as well.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self, TypeAlias

import grpc

from referee.service import MAX_FROM_BOT, PROTOCOL_VERSION, SERVICE
from referee.wire import bot_pb2

Request: TypeAlias = bot_pb2.PlayRequest
Context: TypeAlias = grpc.ServicerContext
Spoil: TypeAlias = Callable[[Request, Context], Iterator[bytes]]
"""What is sent in place of an honest answer to a request."""

ACCEPT: Final = bot_pb2.PlayResponse(accept=bot_pb2.Accept()).SerializeToString()
DESCRIPTION: Final = bot_pb2.DescribeResponse(
    name="hostile", version="1", protocol_version=PROTOCOL_VERSION
).SerializeToString()
LONG: Final = 30.0  # seconds after which a bot that waits for the referee gives up


class CloseStreamError(Exception):
    """Ends the stream in an orderly way."""


def choice(decision_id: int, index: int) -> bytes:
    chosen = bot_pb2.Choice(decision_id=decision_id, index=index)
    return bot_pb2.PlayResponse(choice=chosen).SerializeToString()


def honest(request: Request, _: Context) -> Iterator[bytes]:
    """An answer as it should be; the choice is the same in every run."""
    asked = request.decision
    if request.HasField("start"):
        yield ACCEPT
    elif request.HasField("decision"):
        yield choice(asked.id, asked.id % len(asked.legal))


def index_too_large(request: Request, _: Context) -> Iterator[bytes]:
    yield choice(request.decision.id, len(request.decision.legal))


def index_far_off(request: Request, _: Context) -> Iterator[bytes]:
    yield choice(request.decision.id, 2**32 - 1)


def next_decision(request: Request, _: Context) -> Iterator[bytes]:
    yield choice(request.decision.id + 1, 0)


def two_answers(request: Request, context: Context) -> Iterator[bytes]:
    yield from honest(request, context)
    yield from honest(request, context)


def flood(request: Request, context: Context) -> Iterator[bytes]:
    while context.is_active():
        yield from honest(request, context)


def silent(request: Request, context: Context) -> Iterator[bytes]:
    """Goes on reading, but says nothing."""
    yield from ()


def deaf(request: Request, context: Context) -> Iterator[bytes]:
    """Neither reads nor says anything until the referee has hung up."""
    over = threading.Event()
    if context.add_callback(over.set):
        over.wait(LONG)
    yield from ()


def closes(request: Request, context: Context) -> Iterator[bytes]:
    raise CloseStreamError


def crashes(request: Request, context: Context) -> Iterator[bytes]:
    raise ArithmeticError("no idea")


def complains_at_length(request: Request, context: Context) -> Iterator[bytes]:
    context.abort(grpc.StatusCode.ABORTED, "\x1b[2J" + "x" * 5000)


def swells(request: Request, context: Context) -> Iterator[bytes]:
    """A small message on the wire, a large one when it is unpacked."""
    context.set_compression(grpc.Compression.Gzip)
    yield bytes(5_000_000)


def garbage(request: Request, context: Context) -> Iterator[bytes]:
    yield b"\xff\xfe\xfd" * 100


def accepts_again(request: Request, context: Context) -> Iterator[bytes]:
    yield ACCEPT


def chooses(request: Request, context: Context) -> Iterator[bytes]:
    yield choice(0, 0)


def unknown_message(request: Request, context: Context) -> Iterator[bytes]:
    yield bytes([15 << 3 | 2, 0])  # field 15, of no bytes


def nothing(request: Request, context: Context) -> Iterator[bytes]:
    yield b""


def oversize(request: Request, context: Context) -> Iterator[bytes]:
    yield bytes(MAX_FROM_BOT + 1)


def long_nonce(request: Request, context: Context) -> Iterator[bytes]:
    yield bot_pb2.PlayResponse(accept=bot_pb2.Accept(nonce=bytes(33))).SerializeToString()


def drops_the_line(request: Request, context: Context) -> Iterator[bytes]:
    context.abort(grpc.StatusCode.UNAVAILABLE, "gone for a moment")


def _describe(_: bytes, __: Context) -> bytes:
    return DESCRIPTION


class HostileBot:
    """A bot's server, for as long as the block. Spoils its requests with the given numbers.

    `when`: which of all requests to be answered are spoilt: 0 is the first GameStart.
    """

    def __init__(
        self, address: str, spoil: Spoil = honest, when: Callable[[int], bool] = lambda n: n == 3
    ) -> None:
        self.address = address
        self.streams: list[list[Request]] = []
        """What it was told, by stream."""
        self.live = 0
        """How many streams are open."""
        self.most_live = 0
        self._spoil = spoil
        self._when = when
        self._answered = 0
        self._change = threading.Condition()
        self._server = grpc.server(ThreadPoolExecutor(8), compression=grpc.Compression.Gzip)
        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            "Describe": grpc.unary_unary_rpc_method_handler(_describe),
            "Play": grpc.stream_stream_rpc_method_handler(self._play),
        }
        handlers = grpc.method_handlers_generic_handler(SERVICE, methods)
        self._server.add_generic_rpc_handlers((handlers,))
        self._server.add_insecure_port(address)
        self._server.start()

    @property
    def told(self) -> list[Request]:
        """What it was told on its only stream."""
        (stream,) = self.streams
        return stream

    def left_alone(self) -> bool:
        """Waits until no stream is open; False if that takes too long."""
        with self._change:
            return self._change.wait_for(lambda: self.live == 0, LONG)

    def _play(self, requests: Iterator[bytes], context: Context) -> Iterator[bytes]:
        self._opened(+1)
        context.add_callback(lambda: self._opened(-1))
        told: list[Request] = []
        self.streams.append(told)
        try:
            for data in requests:
                request = Request.FromString(data)
                told.append(request)
                if request.HasField("fault") or request.HasField("end"):
                    return
                number, self._answered = self._answered, self._answered + 1
                spoil = self._spoil if self._when(number) else honest
                yield from spoil(request, context)
        except (CloseStreamError, grpc.RpcError):
            return

    def _opened(self, by: int) -> None:
        with self._change:
            self.live += by
            self.most_live = max(self.most_live, self.live)
            self._change.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.stop(None).wait(LONG)
