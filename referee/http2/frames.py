"""Frames of HTTP/2 and flow control: RFC 9113, sections 4, 5.2 and 6."""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

# Kinds.
DATA: Final = 0x0
HEADERS: Final = 0x1
PRIORITY: Final = 0x2
RST_STREAM: Final = 0x3
SETTINGS: Final = 0x4
PUSH_PROMISE: Final = 0x5
PING: Final = 0x6
GOAWAY: Final = 0x7
WINDOW_UPDATE: Final = 0x8
CONTINUATION: Final = 0x9

# Flags.
ACK: Final = 0x1
END_STREAM: Final = 0x1
END_HEADERS: Final = 0x4
PADDED: Final = 0x8
HAS_PRIORITY: Final = 0x20

# Settings.
NO_PUSH: Final = b"\0\2" + bytes(4)
ENABLE_PUSH: Final = 0x2
INITIAL_WINDOW_SIZE: Final = 0x4
MAX_FRAME_SIZE: Final = 0x5

WINDOW: Final = 65_535
"""Bytes that may be sent ahead at the beginning, on a stream and on a connection."""
MAX_WINDOW: Final = 2**31 - 1
MAX_PAYLOAD: Final = 16_384
"""Bytes of the longest payload, unless its receiver has allowed more."""
_MAX_FRAME_SIZES: Final = range(MAX_PAYLOAD, 2**24)
_HEAD: Final = Struct(">HBBBI")
"""Length (24 bits), kind, flags, stream."""
_SETTING: Final = Struct(">HI")
_PRIORITY_BYTES: Final = 5
_SIZES: Final = {PRIORITY: _PRIORITY_BYTES, RST_STREAM: 4, PING: 8, WINDOW_UPDATE: 4}
"""The exact payload of these kinds, in bytes."""
_OF_CONNECTION: Final = (SETTINGS, PING, GOAWAY)
_CHECKED: Final = (*_OF_CONNECTION, WINDOW_UPDATE, RST_STREAM, HEADERS, CONTINUATION)
"""The kinds whose stream is checked here; that of DATA is checked with its content."""


class NotHttp2(Exception):
    """Bytes that are not HTTP/2, or not allowed at this point."""


class Frame(NamedTuple):
    """A frame as it was received."""

    kind: int
    flags: int
    stream: int
    payload: bytes

    def content(self) -> bytes:
        """Return the payload of DATA or HEADERS without padding and priority. Raises NotHttp2."""
        payload, padding = self.payload, 0
        if self.flags & PADDED:
            padding, payload = payload[0] if payload else 1, payload[1:]
        if self.kind == HEADERS and self.flags & HAS_PRIORITY:
            if len(payload) < _PRIORITY_BYTES:
                raise NotHttp2("headers that are shorter than their priority")
            payload = payload[_PRIORITY_BYTES:]
        if padding > len(payload):
            raise NotHttp2("more padding than there is")
        return payload[: len(payload) - padding]

    def followed_by(self, more: "Frame") -> "Frame":
        """Return headers with those of a CONTINUATION."""
        flags = self.flags | more.flags & END_HEADERS
        return self._replace(flags=flags, payload=self.payload + more.payload)

    def check(self, stream: int) -> None:
        """Check size and stream, on a connection for one stream only. Raises NotHttp2."""
        size = len(self.payload)
        wrong_size = (
            size != _SIZES.get(self.kind, size)
            or (self.kind == SETTINGS and (size % 6 or (self.flags & ACK and size)))
            or (self.kind == GOAWAY and size < 8)
        )
        if wrong_size:
            raise NotHttp2(f"a frame of kind {self.kind} with {size} bytes")
        streams = {0} if self.kind in _OF_CONNECTION else {stream}
        if self.kind == WINDOW_UPDATE:
            streams.add(0)
        if self.kind in _CHECKED and self.stream not in streams:
            raise NotHttp2(f"a frame of kind {self.kind} on stream {self.stream}")

    def number(self) -> int:
        """Return the number of 31 bits at the beginning of the payload."""
        return int.from_bytes(self.payload[:4], "big") & MAX_WINDOW

    def settings(self) -> list[tuple[int, int]]:
        """Return the pairs of setting and value in the payload."""
        return list(_SETTING.iter_unpack(self.payload))


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame as it is sent."""
    size = len(payload)
    return _HEAD.pack(size >> 8, size & 0xFF, kind, flags, stream) + payload


class FrameReader:
    """Cuts received bytes into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def read(self, data: bytes) -> Iterator[Frame]:
        """Yield the complete frames. Raises NotHttp2 if a frame is longer than allowed."""
        data = self._rest + data if self._rest else data
        at, length = 0, len(data)
        while length - at >= _HEAD.size:
            high, low, kind, flags, stream = _HEAD.unpack_from(data, at)
            size = high << 8 | low
            if size > MAX_PAYLOAD:
                raise NotHttp2("a frame that is too long")
            start = at + _HEAD.size
            if length - start < size:
                break
            at = start + size
            yield Frame(kind, flags, stream & MAX_WINDOW, data[start:at])
        self._rest = data[at:]


def opening(stream: int, connection: int, settings: bytes = b"") -> bytes:
    """Return the first frames: settings, and the windows on each stream and on the connection."""
    settings += _SETTING.pack(INITIAL_WINDOW_SIZE, stream)
    more = (connection - WINDOW).to_bytes(4, "big")
    return frame(SETTINGS, 0, 0, settings) + frame(WINDOW_UPDATE, 0, 0, more)


class Outgoing:
    """Counts what we may send: the peer's windows and the size of its frames."""

    def __init__(self) -> None:
        self._connection = self._stream = self._initial = WINDOW
        self._payload = MAX_PAYLOAD

    def room(self) -> int:
        """Return how many bytes one frame may have now; 0 or less means wait."""
        return min(self._connection, self._stream, self._payload)

    def take(self, sent: int) -> None:
        """Count bytes that were sent."""
        self._connection -= sent
        self._stream -= sent

    def widen(self, stream: int, more: int) -> None:
        """Let us send `more` bytes, on the stream or (0) on the connection. Raises NotHttp2."""
        if more == 0:
            raise NotHttp2("a window that grows by nothing")
        if stream == 0:
            self._connection += more
        else:
            self._stream += more
        if self._connection > MAX_WINDOW or self._stream > MAX_WINDOW:
            raise NotHttp2("a window that is too large")

    def set(self, setting: int, value: int) -> None:
        """Follow a setting of the peer. Raises NotHttp2."""
        if setting == INITIAL_WINDOW_SIZE:
            self._stream += value - self._initial
            self._initial = value
            if value > MAX_WINDOW or self._stream > MAX_WINDOW:
                raise NotHttp2("a window that is too large")
        elif setting == MAX_FRAME_SIZE:
            if value not in _MAX_FRAME_SIZES:
                raise NotHttp2(f"frames of {value} bytes")
            self._payload = value
        elif setting == ENABLE_PUSH and value != 0:
            raise NotHttp2("pushes that nobody asked for")


class Incoming:
    """Counts what the peer may send: at most one window ahead of what was read."""

    def __init__(self, size: int) -> None:
        """`size`: bytes of the window, on the connection as on the stream; WINDOW or more."""
        self._size = self._left = size
        self._read = 0

    def opening(self) -> bytes:
        """Return the frames that open the window, without pushes."""
        return opening(self._size, self._size, NO_PUSH)

    def take(self, received: int) -> None:
        """Count bytes that came. Raises NotHttp2 if the window did not allow them."""
        self._left -= received
        if self._left < 0:
            raise NotHttp2("more data than the window allows")

    def give_back(self, read: int) -> int:
        """Count bytes that were read; return by how many the window is to grow now."""
        self._read += read
        if self._read < self._size // 2:
            return 0
        more, self._read = self._read, 0
        self._left += more
        return more


def wider(stream: int, more: int) -> bytes:
    """Return the frames that let the peer send more, on the connection and on the stream."""
    return b"".join(
        frame(WINDOW_UPDATE, 0, which, more.to_bytes(4, "big")) for which in (0, stream)
    )
