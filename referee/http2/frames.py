"""HTTP/2 frames: RFC 9113, sections 4 and 6."""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

# Kinds.
DATA: Final = 0x0
HEADERS: Final = 0x1
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
PRIORITY: Final = 0x20

# Settings.
NO_PUSH: Final = b"\0\2" + bytes(4)
INITIAL_WINDOW_SIZE: Final = 0x4
MAX_FRAME_SIZE: Final = 0x5

WINDOW: Final = 65_535
"""Bytes of data that may be under way at the beginning, in a stream and in a connection."""
MOST_WINDOW: Final = 2**31 - 1
MOST_PAYLOAD: Final = 16_384
"""The longest payload, in bytes, unless its receiver has allowed for more."""
_HEAD: Final = Struct(">HBBBI")
"""Length (24 bits), kind, flags, stream."""
_PRIORITY_BYTES: Final = 5


class NotHttp2(Exception):
    """Bytes that are no HTTP/2, or not at this point."""


class Frame(NamedTuple):
    """A frame as it was received."""

    kind: int
    flags: int
    stream: int
    payload: bytes

    def content(self) -> bytes:
        """The payload of DATA or HEADERS without padding and priority. Raises NotHttp2."""
        payload, padding = self.payload, 0
        if self.flags & PADDED:
            padding, payload = payload[0] if payload else 1, payload[1:]
        if self.kind == HEADERS and self.flags & PRIORITY:
            payload = payload[_PRIORITY_BYTES:]
        if padding > len(payload):
            raise NotHttp2("more padding than there is")
        return payload[: len(payload) - padding]

    def number(self) -> int:
        """The number of 31 bits at the beginning of the payload. Raises NotHttp2."""
        if len(self.payload) < 4:
            raise NotHttp2(f"a frame of kind {self.kind} that is too short")
        return int.from_bytes(self.payload[:4], "big") & MOST_WINDOW

    def settings(self) -> list[tuple[int, int]]:
        """The settings in the payload. Raises NotHttp2."""
        if len(self.payload) % 6:
            raise NotHttp2("settings of a wrong length")
        pairs = (self.payload[at : at + 6] for at in range(0, len(self.payload), 6))
        return [
            (int.from_bytes(pair[:2], "big"), int.from_bytes(pair[2:], "big")) for pair in pairs
        ]


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame as it is sent."""
    size = len(payload)
    return _HEAD.pack(size >> 8, size & 0xFF, kind, flags, stream) + payload


class FrameReader:
    """Cuts what arrives into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def read(self, data: bytes) -> Iterator[Frame]:
        """The frames that are complete. Raises NotHttp2 where a frame is longer than allowed."""
        data = self._rest + data if self._rest else data
        at, whole = 0, len(data)
        while whole - at >= _HEAD.size:
            high, low, kind, flags, stream = _HEAD.unpack_from(data, at)
            size = high << 8 | low
            if size > MOST_PAYLOAD:
                raise NotHttp2("a frame that is too long")
            start = at + _HEAD.size
            if whole - start < size:
                break
            at = start + size
            yield Frame(kind, flags, stream & MOST_WINDOW, data[start:at])
        self._rest = data[at:]
