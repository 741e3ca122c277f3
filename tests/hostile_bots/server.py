"""A hostile bot as a real gRPC server. It keeps all that it was told: it is a witness as well."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeAlias

import grpc

from referee.service import SERVICE
from tests.hostile_bots.speech import DESCRIPTION, LONG, Context, Request, Spoil, honest

Describe: TypeAlias = Callable[[bytes, Context], bytes]


class CloseStreamError(Exception):
    """Ends the stream in an orderly way."""


def describe(_: bytes, __: Context) -> bytes:
    """Says who it is, as it should."""
    return DESCRIPTION


class HostileBot:
    """A bot's server, for as long as the block. Spoils its requests with the given numbers.

    `when`: which of all requests to be answered are spoilt: 0 is the first GameStart; by default
    its third decision.
    """

    def __init__(
        self,
        address: str,
        spoil: Spoil = honest,
        when: Callable[[int], bool] = lambda n: n == 3,
        describes: Describe = describe,
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
            "Describe": grpc.unary_unary_rpc_method_handler(describes),
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
        if not context.add_callback(lambda: self._opened(-1)):
            self._opened(-1)  # it was broken off before it began here
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
