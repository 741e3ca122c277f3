"""Serves methods of gRPC over HTTP/2 on an event loop, to peers that are trusted, such as workers.

gRPC's own server hands each message from thread to thread, as its client does. What a decision of a
hosted bot passes on its way must be short, so a host serves with this. A peer proves itself before
(by a closed folder, or by mutual TLS), so there are few limits here: a message's length, and what
may come ahead of what was read.
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from ssl import SSLContext
from typing import Final, cast

from grpc import StatusCode
from hpack import Decoder, Encoder, HPACKError

from referee.http2 import frames as h2
from referee.http2.call import Inbox
from referee.http2.frames import Frame, FrameReader, NotHttp2, frame
from referee.http2.messages import PREFIX, MessageReader, TooLong, last_fields, prefixed

_CONNECTION_WINDOW: Final = 1 << 30
_READ_AT_ONCE: Final = 64 * 1024  # bytes; asyncio's own buffer, 256 KiB each time, takes its time
_UNIX: Final = "unix:"
_NOTICE_ABSENCE: Final = {
    "TCP_KEEPIDLE": 10,  # seconds
    "TCP_KEEPINTVL": 5,
    "TCP_KEEPCNT": 4,
    "TCP_USER_TIMEOUT": 30_000,  # milliseconds
}
"""Socket options that end the connection of a peer whose machine is gone within half a minute.

By name, since not every system has all of them.
"""
_OPENING: Final = ((":status", "200"), ("content-type", "application/grpc"))
_log = logging.getLogger(__name__)


class Refusal(Exception):
    """Raised by a handler to end its call with a status, and perhaps with metadata."""

    def __init__(
        self, code: StatusCode, details: str, metadata: Iterable[tuple[str, str]] = ()
    ) -> None:
        super().__init__(details)
        self.code = code
        self.details = details
        self.metadata = metadata


class Stream(Inbox):
    """One call, for its handler. One task at a time may read, and one may write."""

    def __init__(self, connection: "_Connection", number: int, headers: Mapping[str, str]) -> None:
        super().__init__()
        self.method = headers.get(":path", "")
        self.metadata = headers
        """The call's metadata, with the headers of HTTP/2; the last one of each name."""
        self.window = connection.initial
        self.messages = MessageReader(connection.most)
        self.task: asyncio.Task[None] | None = None
        self._connection = connection
        self._number = number
        self.ended = False
        """True once no further message comes."""
        self._begun = False
        self._owed = 0  # bytes that were read since the window was widened

    def write_now(self, message: bytes) -> bool:
        """Send a message if the peer has room for it now; return False if it has none."""
        data = prefixed(message)
        if self._connection.room_now(self) < len(data):
            return False
        opening = b"" if self._begun else self._opening()
        self.window -= len(data)
        self._connection.send(opening + frame(h2.DATA, 0, self._number, data), len(data))
        return True

    async def write(self, message: bytes) -> None:
        """Send a message as soon as the peer has room for it."""
        data, sent = prefixed(message), 0
        opening = b"" if self._begun else self._opening()
        while sent < len(data):
            window = await self._connection.room(self)
            part = data[sent : sent + window]
            sent += len(part)
            self.window -= len(part)
            self._connection.send(opening + frame(h2.DATA, 0, self._number, part), len(part))
            opening = b""

    def end(
        self, code: StatusCode, details: str = "", metadata: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Send the status of the call, with metadata; no message follows."""
        first = () if self._begun else _OPENING
        flags = h2.END_HEADERS | h2.END_STREAM
        block = Encoder().encode((*first, *last_fields(code, details), *metadata))
        self._connection.send(frame(h2.HEADERS, flags, self._number, block))
        if not self.ended:  # what still comes is not wanted
            self._connection.send(frame(h2.RST_STREAM, 0, self._number, bytes(4)))

    def take(self, data: bytes) -> None:
        """Take received data."""
        self._inbox.extend(self.messages.read(data))
        self.wake()

    def end_inbox(self) -> None:
        """Take that no more messages come."""
        self.ended = True
        self.wake()

    def _give_back(self, read: int) -> None:
        self._owed += read
        if self._owed >= self._connection.most // 2:
            self._connection.widen(self._number, self._owed)
            self._owed = 0

    def _opening(self) -> bytes:
        self._begun = True
        return frame(h2.HEADERS, h2.END_HEADERS, self._number, Encoder().encode(_OPENING))


Handler = Callable[[Stream], Awaitable[None]]
"""Serves one call; raises Refusal to end it with another status than OK."""


class _Connection(asyncio.BufferedProtocol):
    """The connection of one peer, with any number of calls at once."""

    def __init__(
        self, handlers: Mapping[str, Handler], most: int, all_of: set["_Connection"]
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.most = most
        self.initial = h2.WINDOW  # what the peer lets us send at first, on each stream
        self._handlers = handlers
        self._all = all_of
        self._transport: asyncio.Transport
        self._buffer = memoryview(bytearray(_READ_AT_ONCE))
        self._preface: bytes | None = b""
        self._frames, self._decoder = FrameReader(), Decoder()
        self._streams: dict[int, Stream] = {}
        self._block: Frame | None = None  # headers that go on in the next frame
        self._window = h2.WINDOW
        self._owed = 0  # bytes that came since the connection's window was widened
        self._paused = False
        self._waiting: list[asyncio.Future[None]] = []

    # For streams.

    async def room(self, stream: Stream) -> int:
        """Wait until something may be sent; return how many bytes at most."""
        while True:
            window = self.room_now(stream)
            if window > 0:
                return window
            wake = self.loop.create_future()
            self._waiting.append(wake)
            await wake

    def room_now(self, stream: Stream) -> int:
        """Return how many bytes may be sent now."""
        return 0 if self._paused else min(self._window, stream.window, h2.MAX_PAYLOAD)

    def send(self, data: bytes, counted: int = 0) -> None:
        """Send frames, of which so many bytes count for flow control."""
        self._window -= counted
        if not self._transport.is_closing():
            self._transport.write(data)

    def widen(self, number: int, more: int) -> None:
        """Let the peer send so much more: in all (0), or on a stream that is still there."""
        if number == 0 or number in self._streams:
            self.send(frame(h2.WINDOW_UPDATE, 0, number, more.to_bytes(4, "big")))

    # For the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._all.add(self)
        self._transport.write(h2.opening(2 * (PREFIX + self.most), _CONNECTION_WINDOW))

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        try:
            for received in self._frames.read(self._introduced(bytes(self._buffer[:nbytes]))):
                self._receive(received)
        except (NotHttp2, HPACKError, TooLong, UnicodeDecodeError):
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002
        self._all.discard(self)
        for number in list(self._streams):
            self._forget(number)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        self._wake_writers()

    def close(self) -> None:
        """Hang up."""
        self._transport.abort()

    # Frames of the peer.

    def _introduced(self, data: bytes) -> bytes:
        """Return what follows on the preface. Raises NotHttp2."""
        if self._preface is None:
            return data
        self._preface += data
        if not (self._preface.startswith(h2.PREFACE) or h2.PREFACE.startswith(self._preface)):
            raise NotHttp2("no preface")
        if len(self._preface) < len(h2.PREFACE):
            return b""
        rest, self._preface = self._preface[len(h2.PREFACE) :], None
        return rest

    def _receive(self, received: Frame) -> None:
        match received.kind:
            case h2.DATA:
                self._take_data(received)
            case h2.HEADERS:
                self._take_block(received._replace(payload=received.content()))
            case h2.CONTINUATION if self._block is not None:
                self._take_block(self._block.followed_by(received))
            case h2.RST_STREAM:
                self._forget(received.stream)
            case h2.SETTINGS if not received.flags & h2.ACK:
                self._follow(received.settings())
            case h2.PING if not received.flags & h2.ACK:
                self.send(frame(h2.PING, h2.ACK, 0, received.payload))
            case h2.WINDOW_UPDATE:
                self._widen_ours(received.stream, received.number())

    def _take_data(self, received: Frame) -> None:
        self._owed += len(received.payload)
        if self._owed >= _CONNECTION_WINDOW // 4:
            self.widen(0, self._owed)
            self._owed = 0
        stream = self._streams.get(received.stream)
        if stream is None:  # it has ended here
            return
        stream.take(received.content())
        if received.flags & h2.END_STREAM:
            stream.end_inbox()

    def _take_block(self, block: Frame) -> None:
        self._block = None if block.flags & h2.END_HEADERS else block
        if self._block is None:
            fields = cast(Iterable[tuple[str, str]], self._decoder.decode(block.payload))
            self._begin(block.stream, dict(fields), block.flags)

    def _begin(self, number: int, headers: Mapping[str, str], flags: int) -> None:
        stream = self._streams[number] = Stream(self, number, headers)
        if flags & h2.END_STREAM:
            stream.end_inbox()
        stream.task = self.loop.create_task(self._serve(number, stream))

    async def _serve(self, number: int, stream: Stream) -> None:
        code, details = StatusCode.OK, ""
        metadata: Iterable[tuple[str, str]] = ()
        try:
            handler = self._handlers.get(stream.method)
            if handler is None:
                raise Refusal(StatusCode.UNIMPLEMENTED, f"no method {stream.method}")
            await handler(stream)
        except Refusal as refusal:
            code, details, metadata = refusal.code, refusal.details, refusal.metadata
        except Exception as error:
            _log.exception("%s failed", stream.method)
            code, details = StatusCode.INTERNAL, f"{type(error).__name__}: {error}"
        stream.end(code, details, metadata)
        self._streams.pop(number, None)

    def _forget(self, number: int) -> None:
        """End a call that the peer has given up."""
        stream = self._streams.pop(number, None)
        if stream is not None and stream.task is not None:
            stream.task.cancel()

    def _follow(self, settings: list[tuple[int, int]]) -> None:
        for setting, value in settings:
            if setting == h2.INITIAL_WINDOW_SIZE:
                for stream in self._streams.values():
                    stream.window += value - self.initial
                self.initial = value
        self.send(frame(h2.SETTINGS, h2.ACK, 0))
        self._wake_writers()

    def _widen_ours(self, number: int, more: int) -> None:
        if number == 0:
            self._window += more
        elif number in self._streams:
            self._streams[number].window += more
        self._wake_writers()

    def _wake_writers(self) -> None:
        waiting, self._waiting = self._waiting, []
        for wake in waiting:
            if not wake.done():
                wake.set_result(None)


@dataclass
class Server:
    """A server that listens; `close` ends all calls."""

    _listener: asyncio.Server
    _connections: set[_Connection]

    def close(self) -> None:
        """Listen no more, and hang up on everybody."""
        self._listener.close()
        for connection in list(self._connections):
            connection.close()


async def serve(
    address: str, handlers: Mapping[str, Handler], most: int, tls: SSLContext | None = None
) -> Server:
    """Serve methods at `unix:/path` or `host:port`, and return at once. Raises OSError.

    `handlers`: by path, such as `/santiago.v1.Host/Status`. `most`: the longest message that is
    taken, in bytes. The caller sees to the address's form, and to who can reach a unix socket.
    """
    loop, connections = asyncio.get_running_loop(), set[_Connection]()

    def connection() -> _Connection:
        return _Connection(handlers, most, connections)

    if address.startswith(_UNIX):
        path = address.removeprefix(_UNIX)
        return Server(await loop.create_unix_server(connection, path), connections)
    host, _, port = address.rpartition(":")
    listener = await loop.create_server(connection, host.strip("[]"), int(port), ssl=tls)
    for listening in listener.sockets:
        _notice_absence(listening)  # its connections inherit it
    return Server(listener, connections)


def _notice_absence(listening: socket.socket) -> None:
    """Set the options of `_NOTICE_ABSENCE` that this system has."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _NOTICE_ABSENCE.items():
        if (option := getattr(socket, name, None)) is not None:
            listening.setsockopt(socket.IPPROTO_TCP, option, value)
