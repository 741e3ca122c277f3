"""Dials for one call, and carries its messages."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final, cast

from grpc import StatusCode
from hpack import Decoder, Encoder, HPACKError

from referee.http2 import frames as h2, messages
from referee.http2.frames import Frame, NotHttp2, frame

_UNIX: Final = "unix:"
_STREAM: Final = 1
_CANCEL: Final = 0x8
_READ_AT_ONCE: Final = 8 * 1024  # bytes; asyncio's own buffer, 256 KiB each time, takes its time
_MAX_HEADERS: Final = 16 * 1024  # bytes
_MAX_IDLE: Final = 1000  # frames without data between two messages
_IDLE_A_SECOND: Final = 10  # frames that are allowed beyond those, counted from the beginning
_MAX_IDLE_BYTES: Final = 64 * 1024  # in those frames
_MAX_UNREAD: Final = 100  # messages that have come and were not read


class Inbox:
    """The messages of a stream that have come, in their order. One task at a time may read."""

    ended: object = None
    """True, or how it ended, once no further message comes."""

    def __init__(self) -> None:
        self.on_news: Callable[[], None] | None = None
        """Called when a message or the end has come, for those who do without a task."""
        self._inbox: deque[tuple[bytes, int]] = deque()  # with their bytes on the way
        self._news: asyncio.Future[None] | None = None  # done when a message or the end has come

    async def read(self) -> bytes | None:
        """Return the next message, or None if there are no more. May be cancelled without harm."""
        while not self._inbox and not self.ended:
            self._news = asyncio.get_running_loop().create_future()
            await self._news
        return self.arrived()

    def arrived(self) -> bytes | None:
        """Return the next message if it is there already."""
        if not self._inbox:
            return None
        message, size = self._inbox.popleft()
        self._give_back(size)
        return message

    def wake(self) -> None:
        """Let the reader look again."""
        if self.on_news is not None:
            self.on_news()
        elif self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _give_back(self, read: int) -> None:
        """Let the peer send as many bytes as were read."""
        raise NotImplementedError


class Call(Inbox, asyncio.BufferedProtocol):
    """One stream of messages, which are bytes. One task at a time may write, and one may read."""

    def __init__(self, headers: bytes, most: int) -> None:
        """`headers`: the request's, compressed. `most`: the longest message taken, in bytes."""
        super().__init__()
        self.ended: messages.Ended | None = None
        """How the call ended; None while it goes on."""
        self._loop = asyncio.get_running_loop()
        self._headers = headers
        self._transport: asyncio.Transport
        self._buffer = memoryview(bytearray(_READ_AT_ONCE))
        self._gone = self._loop.create_future()
        self._frames, self._decoder = h2.FrameReader(), Decoder(_MAX_HEADERS)
        self._messages = messages.MessageReader(most)
        self._outgoing = h2.Outgoing()
        self._incoming = h2.Incoming(max(h2.WINDOW, 2 * (messages.PREFIX + most)))
        self._block: Frame | None = None  # headers that go on in the next frame
        self._begun = self._introduced = False
        self._paused = self._closed = False
        self._way: asyncio.Future[None] | None = None  # done when there may be room to send
        self._idle = self._idle_bytes = 0
        self._began_at = self._loop.time()

    # For the caller.

    def write_now(self, message: bytes) -> bool:
        """Send a message if the peer has room for it now; return False if it has none."""
        data = messages.prefixed(message)
        if self.ended is None:
            if self._paused or self._outgoing.room() < len(data):
                return False
            self._outgoing.take(len(data))
            self._transport.write(frame(h2.DATA, 0, _STREAM, data))
        return True

    async def write(self, message: bytes) -> None:
        """Send a message as soon as the peer has room for it; do nothing after the end.

        If it is cancelled in the middle of a message, the call ends.
        """
        data, sent = messages.prefixed(message), 0
        try:
            while sent < len(data) and self.ended is None:
                window = 0 if self._paused else self._outgoing.room()
                if window <= 0:
                    self._way = self._loop.create_future()
                    await self._way
                    continue
                part = data[sent : sent + window]
                self._outgoing.take(len(part))
                sent += len(part)
                self._transport.write(frame(h2.DATA, 0, _STREAM, part))
        except asyncio.CancelledError:
            if sent:
                self.hang_up()
            raise

    def done_writing(self) -> None:
        """Say that no message follows."""
        if self.ended is None and not self._closed:
            self._closed = True
            self._transport.write(frame(h2.DATA, h2.END_STREAM, _STREAM))

    def hang_up(self) -> None:
        """End the call, whatever its state."""
        if self.ended is None:
            self._transport.write(frame(h2.RST_STREAM, 0, _STREAM, _CANCEL.to_bytes(4, "big")))
        self._end(messages.Ended(StatusCode.CANCELLED, "the referee hung up"))

    async def gone(self) -> None:
        """Wait until the connection of a call that has ended is gone."""
        await asyncio.shield(self._gone)

    # For the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(
            h2.PREFACE
            + self._incoming.opening()
            + frame(h2.HEADERS, h2.END_HEADERS, _STREAM, self._headers)
        )

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        try:
            for received in self._frames.read(bytes(self._buffer[:nbytes])):
                if self.ended is not None:
                    return
                self._receive(received)
        except messages.TooLong as error:
            self._end(messages.too_long(str(error)))
        except (NotHttp2, HPACKError, UnicodeDecodeError) as error:
            self._end(messages.no_http2(str(error)))

    def connection_lost(self, error: Exception | None) -> None:
        self._end(messages.lost(str(error) if error else "the connection was closed"))
        self._gone.set_result(None)

    def pause_writing(self) -> None:
        self._paused = True
        self._transport.pause_reading()  # a peer that reads nothing is not read either

    def resume_writing(self) -> None:
        self._paused = False
        self._transport.resume_reading()
        self._wake_writer()

    # Frames of the peer.

    def _receive(self, received: Frame) -> None:
        if received.kind == h2.DATA:
            self._take_data(received)
            return
        if not self._introduced and (received.kind != h2.SETTINGS or received.flags & h2.ACK):
            raise NotHttp2("no settings at the beginning")
        self._idle += 1
        self._idle_bytes += len(received.payload)
        self._check_idle()
        if self._block is not None and received.kind != h2.CONTINUATION:
            raise NotHttp2("headers that do not go on")
        received.check(_STREAM)
        handle = _HANDLERS.get(received.kind)
        if handle is not None:  # unknown kinds are passed over
            handle(self, received)

    def _take_data(self, received: Frame) -> None:
        if received.stream != _STREAM or not self._begun or self._block is not None:
            raise NotHttp2("data that belong to nothing")
        self._incoming.take(len(received.payload))
        content = received.payload
        if received.flags & h2.PADDED:
            content = received.content()
            self._give_back(len(received.payload) - len(content))
        self._idle += 1
        for message in self._messages.read(content):
            self._inbox.append(message)
            self._idle = self._idle_bytes = 0
            if len(self._inbox) > _MAX_UNREAD:
                raise messages.TooLong(f"{len(self._inbox)} messages that nobody asked for")
        if self._idle == 0:
            self.wake()
        else:
            self._check_idle()
        if received.flags & h2.END_STREAM:
            self._end(messages.in_trailers({}))

    def _take_headers(self, received: Frame) -> None:
        self._take_block(received._replace(payload=received.content()))

    def _take_more_headers(self, received: Frame) -> None:
        if self._block is None:
            raise NotHttp2("headers that go on without a beginning")
        self._take_block(self._block.followed_by(received))

    def _take_block(self, block: Frame) -> None:
        """Take headers; read them when they are complete."""
        if len(block.payload) > _MAX_HEADERS:
            raise NotHttp2("headers that are too long")
        self._block = None if block.flags & h2.END_HEADERS else block
        if self._block is None:
            fields = cast(Iterable[tuple[str, str]], self._decoder.decode(block.payload))
            self._understand(messages.checked_fields(fields, trailers=self._begun), block.flags)

    def _understand(self, headers: Mapping[str, str], flags: int) -> None:
        hint = headers.get(":status", "").startswith("1")
        if hint and flags & h2.END_STREAM:
            raise NotHttp2("a hint that ends the stream")
        if flags & h2.END_STREAM:
            first = None if self._begun else messages.in_headers(headers)
            self._end(first or messages.in_trailers(headers))
        elif self._begun:
            raise NotHttp2("headers in the middle of a stream")
        elif not hint:
            self._begun = True
            self._messages.encoding = headers.get("grpc-encoding", "identity")
            end = messages.in_headers(headers)
            if end is not None:
                self._end(end)

    def _take_reset(self, received: Frame) -> None:
        self._end(messages.reset(received.number()))

    def _take_settings(self, received: Frame) -> None:
        self._introduced = True
        if received.flags & h2.ACK:
            return
        for setting, value in received.settings():
            self._outgoing.set(setting, value)
        self._transport.write(frame(h2.SETTINGS, h2.ACK, 0))
        self._wake_writer()

    def _take_ping(self, received: Frame) -> None:
        if not received.flags & h2.ACK:
            self._transport.write(frame(h2.PING, h2.ACK, 0, received.payload[:8]))

    def _take_window(self, received: Frame) -> None:
        self._outgoing.widen(received.stream, received.number())
        self._wake_writer()

    def _take_goaway(self, received: Frame) -> None:
        if received.number() < _STREAM:  # else the peer goes only when this stream has ended
            self._end(messages.lost("the peer takes no more streams"))

    def _refuse(self, received: Frame) -> None:
        raise NotHttp2(f"a frame of kind {received.kind}")

    def _give_back(self, read: int) -> None:
        more = self._incoming.give_back(read)
        if more and self.ended is None:
            self._transport.write(h2.wider(_STREAM, more))

    # The end.

    def _check_idle(self) -> None:
        """Raise NotHttp2 if too many frames carry no message: they cost the peer nothing."""
        if self._idle_bytes > _MAX_IDLE_BYTES:
            raise NotHttp2(f"{self._idle_bytes} bytes that say nothing")
        if self._idle <= _MAX_IDLE:
            return
        if self._idle > _MAX_IDLE + _IDLE_A_SECOND * (self._loop.time() - self._began_at):
            raise NotHttp2(f"{self._idle} frames that say nothing")

    def _end(self, how: messages.Ended) -> None:
        if self.ended is not None:
            return
        self.ended = how
        self.wake()
        self._wake_writer()
        self._transport.abort()

    def _wake_writer(self) -> None:
        if self._way is not None and not self._way.done():
            self._way.set_result(None)


_HANDLERS: Final[Mapping[int, Callable[[Call, Frame], None]]] = {
    h2.HEADERS: Call._take_headers,
    h2.RST_STREAM: Call._take_reset,
    h2.SETTINGS: Call._take_settings,
    h2.PUSH_PROMISE: Call._refuse,
    h2.PING: Call._take_ping,
    h2.GOAWAY: Call._take_goaway,
    h2.WINDOW_UPDATE: Call._take_window,
    h2.CONTINUATION: Call._take_more_headers,
}


async def connect(address: str, method: str, most: int) -> Call:
    """Call a method at `host:port` or `unix:/path`, in plain text.

    `most` is the longest message that is taken, in bytes. Raises OSError if nobody can be reached.
    """
    loop = asyncio.get_running_loop()
    if address.startswith(_UNIX):
        path = address.removeprefix(_UNIX)
        headers = _headers("localhost", method)
        _, call = await loop.create_unix_connection(lambda: Call(headers, most), path)
        return call
    host, port = _split(address)
    headers = _headers(address, method)
    _, call = await loop.create_connection(lambda: Call(headers, most), host, port)
    return call


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise OSError(f"{address!r} is not host:port")
    return host.strip("[]"), int(port)


@lru_cache(maxsize=256)
def _headers(authority: str, method: str) -> bytes:
    """Return the headers of a request, compressed for the beginning of a connection."""
    return Encoder().encode(
        [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", authority),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("grpc-accept-encoding", ",".join(("identity", *messages.ENCODINGS))),
            ("user-agent", "santiago-arena"),
        ]
    )
