"""Calls a host: each method of `santiago.v1.Host`, for an event loop.

A host that cannot be reached, or that breaks off, is the platform's trouble, never a bot's.
"""

import asyncio
import os
import re
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any, Final, Self, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from referee import http2
from referee.errors import Interrupted, InvalidSetting, RefereeError
from referee.hosting.settings import HOST_CA, HOST_CERTIFICATE, HOST_KEY
from referee.seats.streams import FarStream, MessageStream, NearStream
from referee.service import CHANNEL_OPTIONS, KEEPALIVE, MAX_TO_BOT
from referee.ways import TLS_REASONS, Ways, is_on_this_machine, with_reason
from referee.wire import host_pb2

_SERVICE: Final = "santiago.v1.Host"
EXITED: Final = "The bot's program has ended with exit code"
"""How a seat's sentence begins about a bot whose program has ended (`Seat.exited`)."""
MAX_MESSAGE: Final = MAX_TO_BOT + 64 * 1024
"""Bytes of the longest message between worker and host."""
CHUNK: Final = 256 * 1024
"""Bytes of a package or bundle in one message."""
_LIMITS: Final = ("grpc.max_receive_message_length", "grpc.max_send_message_length")
_OPTIONS: Final = (
    *(option for option in CHANNEL_OPTIONS if option[0] not in _LIMITS),
    *((name, MAX_MESSAGE) for name in _LIMITS),
    *KEEPALIVE,
)
_NOT_LET_IN: Final = f"it may not accept {HOST_CERTIFICATE}: is it valid, and of its authority?"
_REASONS: Final = {
    **TLS_REASONS,
    "CERTIFICATE_VERIFY_FAILED": f"its certificate is not signed by the authority in {HOST_CA}",
    "security handshaker": f"{HOST_CERTIFICATE} and {HOST_KEY} are no pair of PEM files",
    "Socket closed": _NOT_LET_IN,
    "reset by peer": _NOT_LET_IN,
}
_ANSWERS_WITHIN: Final = 10.0  # seconds, for calls that the host answers by itself
_BEAT_EVERY: Final = 2.0
_LAST_WORDS: Final = 200  # characters of what a bot printed last, in a sentence
_CALL: Final = re.compile(r' +File "([^"]+)", line (\d+)')
_FOREIGN: Final = re.compile(r"^<|/lib/python3|/(?:site|dist)-packages/")
"""Files of Python and of libraries."""
_Answer = TypeVar("_Answer", bound=Message)
Bring = Callable[[], Awaitable[None]]
"""Stores a bundle at a host."""


class HostLost(Interrupted):
    """A host cannot be reached, broke off, or refuses this worker."""


class HostRefuses(Interrupted):
    """A host takes no work now: it is drained, it or its disk is full, or it runs no sandboxes."""


class Missing(HostRefuses):
    """A package or bundle is not in the host's cache: store it, and ask again."""


class DidNotStart(RefereeError):
    """A bot did not start in its sandbox in time; the sentence `why` is for its author.

    `output` and `errors` are what it printed until then to stdout and stderr. As text it is the
    sentence with the last line in brackets; if that ends a traceback of Python, with its place.
    """

    def __init__(self, why: str, output: bytes = b"", errors: bytes = b"") -> None:
        super().__init__(why)
        self.why, self.output, self.errors = why, output, errors

    def __str__(self) -> str:
        lines = self.errors.decode(errors="replace").rstrip().splitlines()
        said = _printable(lines[-1].strip())[:_LAST_WORDS].rstrip(".") if lines else ""
        place = _place(lines[:-1])
        said += f" ({_printable(place)})" if said and place else ""
        return f"{self.why.removesuffix('.')} ({said})." if said else self.why


def _place(traceback: Sequence[str]) -> str:
    """Return file and line of the last call, of the bot's own if any, where a traceback ends."""
    lines = takewhile(lambda line: line.startswith(" "), reversed(traceback))
    calls = [call for call in map(_CALL.match, lines) if call]
    own = [call for call in calls if not _FOREIGN.search(call[1])]
    return "".join(f"{PurePath(call[1]).name}, line {call[2]}" for call in (own or calls)[:1])


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable())


class BuildFailed(RefereeError):
    """A build failed by the author's doing; the sentence is for the author."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The files (PEM) by which worker and host prove themselves to each other."""

    ca: bytes
    certificate: bytes
    key: bytes = field(repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self | None:
        """Read the files that the settings name; None if none is set. Raises InvalidSetting."""
        names = [environ.get(name, "") for name in (HOST_CA, HOST_CERTIFICATE, HOST_KEY)]
        if not any(names):
            return None
        if not all(names):
            variables = f"{HOST_CA}, {HOST_CERTIFICATE} and {HOST_KEY}"
            raise InvalidSetting(f"TLS between workers and hosts needs all of {variables}.")
        try:
            return cls(*(Path(name).read_bytes() for name in names))
        except OSError as error:
            raise InvalidSetting(f"A file for hosts cannot be read: {error}.") from None


class RemoteHost:
    """A host at `unix:/path`, or at `host:port` over mutual TLS. Its methods raise HostLost."""

    def __init__(self, address: str, keys: Keys | None = None) -> None:
        """Prepare to call; nothing is dialled yet. Raises InvalidSetting."""
        self.address = address
        self._credentials: grpc.ChannelCredentials | None = None
        self._games: set[MessageStream] = set()
        self._beating: asyncio.Task[None] | None = None
        if address.startswith("unix:"):
            self._channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
        elif keys is not None:
            self._credentials = grpc.ssl_channel_credentials(keys.ca, keys.key, keys.certificate)
            self._channel = grpc.aio.secure_channel(address, self._credentials, options=_OPTIONS)
        else:
            where = "even on this machine" if is_on_this_machine(address) else "between machines"
            raise InvalidSetting(
                f"The host {address} needs mutual TLS, {where}: "
                f"set {HOST_CA}, {HOST_CERTIFICATE} and {HOST_KEY}."
            )

    async def status(self, seat: str = "") -> host_pb2.StatusResponse:
        """Ask how the host is; for a seat also how long its bot has waited for processors."""
        request = host_pb2.StatusRequest(seat=seat)
        return await self._ask("Status", request, host_pb2.StatusResponse)

    async def waited(self, seat: str) -> float:
        """Return the seconds for which the bot at a seat has waited for processors, up to now."""
        return (await self.status(seat)).waited_us / 1e6

    async def store(self, sha256: bytes, chunks: Iterable[bytes] | AsyncIterable[bytes]) -> None:
        """Put a package or bundle into the host's cache; `chunks` of at most a MiB each.

        Raises HostRefuses if its disk is full, and what `chunks` raises.
        """
        call = self._method("stream_unary", "Store", host_pb2.StoreResponse)
        failed: list[Exception] = []
        try:
            await call(_parts(sha256, chunks, failed))
        except asyncio.CancelledError:  # by gRPC, which tells nobody why
            if failed:
                raise failed[0] from None
            raise
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise HostRefuses(f"The host {self.address}: {error.details()}") from None
            raise self._lost(error) from None

    async def build(
        self, package: bytes, timeout: float
    ) -> AsyncIterator[str | host_pb2.Bundle | bytes]:
        """Build a package: yield the lines of the log, then the Bundle, then its chunks.

        `package`: its SHA-256. `timeout`: seconds. Raises Missing, BuildFailed and HostRefuses.
        """
        request = host_pb2.BuildRequest(sha256=package, within_ms=int(1000 * timeout))
        call = self._method("unary_stream", "Build", host_pb2.BuildResponse)(request)
        try:
            async for said in call:
                yield _build_step(said)
        except grpc.RpcError as error:
            raise self._lost(error) from None
        finally:
            call.cancel()

    async def open(
        self,
        bundle: bytes,
        bot: str,
        version: str,
        *,
        start_up: float,
        fresh: bool = False,
        bring: Bring | None = None,
    ) -> host_pb2.Opened:
        """Prepare a seat for a bundle (its SHA-256) that a bot plays as one of its versions.

        `start_up`: seconds. `bring` stores the bundle if it is not there. Raises DidNotStart,
        HostRefuses, and Missing if the bundle is not there all the same.
        """
        request = host_pb2.OpenRequest(
            sha256=bundle, bot=bot, version=version, start_up_ms=int(1000 * start_up), fresh=fresh
        )
        said = await self._ask("Open", request, host_pb2.OpenResponse, timeout=None)
        if said.HasField("missing") and bring is not None:
            await bring()
            said = await self._ask("Open", request, host_pb2.OpenResponse, timeout=None)
        match said.WhichOneof("what"):
            case "opened":
                return said.opened
            case "missing":
                raise Missing("The bundle is not in the host's cache.")
            case "failed":
                raise DidNotStart(said.failed, said.output, said.errors)
        raise HostRefuses(said.refused)

    async def sit(self, seat: str) -> MessageStream:
        """Begin a game at a seat: a stream of encoded SitRequests and SitResponses."""
        path = method_path("Sit")
        if not self.address.startswith("unix:"):
            sitting: MessageStream = FarStream(self._channel.stream_stream(path)())
        else:
            try:
                sitting = NearStream(await http2.connect(self.address, path, MAX_MESSAGE))
            except OSError as error:
                raise HostLost(f"The host {self.address}: {error}") from None
        self._games.add(sitting)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._beat())
        await sitting.write(host_pb2.SitRequest(seat=seat).SerializeToString())
        return sitting

    def ways(self, ways: Ways) -> Ways:
        """Return `ways` by which an open seat is dialled as a bot, at `hosted:SEAT`, for checks."""
        return replace(ways, host=self.address, host_credentials=self._credentials)

    async def close_seat(self, seat: str, *, end: bool = False) -> host_pb2.CloseResponse:
        """Give a seat back; `end` its sandbox, or let the host keep it warm."""
        request = host_pb2.CloseRequest(seat=seat, end=end)
        return await self._ask("Close", request, host_pb2.CloseResponse)

    async def drain(self, draining: bool) -> None:
        """Let the host take no more seats and builds, or let it take them again."""
        await self._ask("Drain", host_pb2.DrainRequest(draining=draining), host_pb2.DrainResponse)

    async def forget(self, sha256: bytes) -> None:
        """Drop a package or bundle from the host's cache, and end the sandboxes that run it."""
        await self._ask("Forget", host_pb2.ForgetRequest(sha256=sha256), host_pb2.ForgetResponse)

    async def close(self) -> None:
        """Hang up."""
        if self._beating is not None:
            self._beating.cancel()
        await self._channel.close()

    async def _beat(self) -> None:
        """Ask for signs of life while games go on; break them off if there is none.

        A host whose machine is gone says nothing, and its bots' clocks would run on.
        """
        while self._games:
            await asyncio.sleep(_BEAT_EVERY)
            self._games = {game for game in self._games if not game.ended}
            try:
                await self.status()
            except HostLost:
                for game in self._games:
                    game.break_off()

    async def _ask(
        self,
        method: str,
        request: Message,
        answer: type[_Answer],
        timeout: float | None = _ANSWERS_WITHIN,
    ) -> _Answer:
        call = self._method("unary_unary", method, answer)
        try:
            result: _Answer = await call(request, timeout=timeout)
        except grpc.RpcError as error:
            raise self._lost(error) from None
        return result

    def _method(self, kind: str, method: str, answer: type[Message]) -> Any:
        return getattr(self._channel, kind)(
            method_path(method),
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )

    def _lost(self, error: Any) -> HostLost:
        said = f"{error.code().name}: {error.details()}"
        if self._credentials is not None and "failed to connect" in said:
            said = with_reason(said, _REASONS)
        return HostLost(f"The host {self.address}: {said}")


def method_path(method: str) -> str:
    """Return the path by which a method of a host is called."""
    return f"/{_SERVICE}/{method}"


async def _parts(
    sha256: bytes, chunks: Iterable[bytes] | AsyncIterable[bytes], failed: list[Exception]
) -> AsyncIterator[host_pb2.StoreRequest]:
    """Yield a blob's messages; put what `chunks` raises into `failed`."""
    yield host_pb2.StoreRequest(sha256=sha256)
    try:
        if isinstance(chunks, AsyncIterable):
            async for chunk in chunks:
                yield host_pb2.StoreRequest(chunk=chunk)
            return
        for chunk in chunks:
            yield host_pb2.StoreRequest(chunk=chunk)
    except Exception as error:
        failed.append(error)
        raise


def _build_step(said: host_pb2.BuildResponse) -> str | host_pb2.Bundle | bytes:
    match said.WhichOneof("what"):
        case "line":
            return said.line
        case "built":
            return said.built
        case "chunk":
            return said.chunk
        case "missing":
            raise Missing("The package is not in the host's cache.")
        case "failed":
            raise BuildFailed(said.failed)
    raise HostRefuses(said.refused)
