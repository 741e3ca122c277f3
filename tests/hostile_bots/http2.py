"""As much HTTP/2 (RFC 9113) as a bot needs, frame by frame, so that any frame can be wrong."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import IntEnum
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeAlias

from tests.hostile_bots.speech import DESCRIPTION, Request, honest

_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_PREFIX: Final = struct.Struct(">BI")  # of a gRPC message: is it compressed, and its length
END_STREAM: Final = 1
END_HEADERS: Final = 4
_ACK: Final = 1


class FrameKind(IntEnum):
    """Kinds of frames."""

    DATA = 0
    HEADERS = 1
    RST_STREAM = 3
    SETTINGS = 4
    PUSH_PROMISE = 5
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8
    CONTINUATION = 9
    UNKNOWN = 77


class Frame(NamedTuple):
    """A frame as it came."""

    kind: int
    flags: int
    stream: int
    payload: bytes


def field(name: str, value: str) -> bytes:
    """A header field that no table keeps, of names and values up to 126 letters (RFC 7541, 6.2)."""
    return bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


_HEADERS: Final = b"\x88" + field("content-type", "application/grpc")  # :status 200
TRAILERS: Final = field("grpc-status", "0")


def frame(kind: int, stream: int, payload: bytes = b"", flags: int = 0) -> bytes:
    """A frame for the wire."""
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags])
    return head + stream.to_bytes(4, "big") + payload


def prefixed(message: bytes) -> bytes:
    """A message as gRPC puts it into DATA frames."""
    return _PREFIX.pack(0, len(message)) + message


class Peer:
    """The referee's end of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.reading = True
        """Whether more may be sent to us than was so far."""
        self._reader = connection.makefile("rb")
        self._sending = threading.Lock()

    def send(self, data: bytes) -> None:
        """Any bytes, from any thread. Raises OSError where the referee has hung up."""
        with self._sending:
            self.connection.sendall(data)

    def open(self, stream: int) -> None:
        """The headers of an answer."""
        self.send(frame(FrameKind.HEADERS, stream, _HEADERS, END_HEADERS))

    def say(self, stream: int, message: bytes) -> None:
        """A message, in one frame."""
        self.send(frame(FrameKind.DATA, stream, prefixed(message)))

    def close(self, stream: int) -> None:
        """Ends a stream in order."""
        self.send(frame(FrameKind.HEADERS, stream, TRAILERS, END_HEADERS | END_STREAM))

    def requests(self) -> Iterator[tuple[int, Request]]:
        """What `Play` is told, with its stream; answers `Describe` and what HTTP/2 asks."""
        if self._reader.read(len(_PREFACE)) != _PREFACE:
            return
        self.send(frame(FrameKind.SETTINGS, 0))
        heard: dict[int, bytes] = {}
        describes: set[int] = set()
        for kind, flags, stream, payload in self._frames():
            if kind == FrameKind.HEADERS:
                heard[stream] = b""
                if b"/Describe" in payload:
                    describes.add(stream)
                self.open(stream)
            elif kind == FrameKind.DATA:
                self._make_room(stream, len(payload))
                heard[stream] += payload
                if stream in describes:
                    self.say(stream, DESCRIPTION)
                    self.close(stream)
                    continue
                for message in _whole(heard, stream):
                    yield stream, Request.FromString(message)
            elif kind in (FrameKind.SETTINGS, FrameKind.PING) and not flags & _ACK:
                self.send(frame(kind, 0, payload if kind == FrameKind.PING else b"", _ACK))

    def _frames(self) -> Iterator[Frame]:
        while len(head := self._reader.read(9)) == 9:
            payload = self._reader.read(int.from_bytes(head[:3], "big"))
            yield Frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)

    def _make_room(self, stream: int, read: int) -> None:
        if read and self.reading:
            more = read.to_bytes(4, "big")
            self.send(
                frame(FrameKind.WINDOW_UPDATE, 0, more)
                + frame(FrameKind.WINDOW_UPDATE, stream, more)
            )


def _whole(heard: dict[int, bytes], stream: int) -> Iterator[bytes]:
    """Takes the messages that have come whole."""
    while len(data := heard[stream]) >= _PREFIX.size:
        _, length = _PREFIX.unpack_from(data)
        end = _PREFIX.size + length
        if len(data) < end:
            return
        heard[stream] = data[end:]
        yield data[_PREFIX.size : end]


Talk: TypeAlias = Callable[[Peer], None]
"""All that is said on one connection."""


def answer(peer: Peer, stream: int, request: Request) -> None:
    """An honest answer to any request."""
    for message in honest(request):
        peer.say(stream, message)
    if request.HasField("fault") or request.HasField("end"):
        peer.close(stream)


class RawBot:
    """A bot without gRPC, for as long as the block. `talk` has each connection to itself."""

    def __init__(self, address: str, talk: Talk) -> None:
        self._talk = talk
        self._listening = socket.socket(socket.AF_UNIX)
        abstract = address.removeprefix("unix-abstract:")
        self._listening.bind(
            address.removeprefix("unix:") if abstract == address else f"\0{abstract}"
        )
        self._listening.listen(64)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self._talk(Peer(connection))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listening.close()
