"""What is no HTTP/2, or more of it than anyone can bear."""

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Final

from tests.hostile_bots.http2 import (
    END_HEADERS,
    END_STREAM,
    TRAILERS,
    FrameKind,
    Peer,
    answer,
    field,
    frame,
    prefixed,
)
from tests.hostile_bots.raw import RawSpoil
from tests.hostile_bots.speech import Request, choice

_BUNCH: Final = 500  # frames that are sent at once
_MANY: Final = 5_000
_CANCEL: Final = (8).to_bytes(4, "big")


def speaks_in_tongues(peer: Peer, stream: int, request: Request) -> None:
    peer.send(b"\xde\xad\xbe\xef" * 1000)


def frames_a_giant(peer: Peer, stream: int, request: Request) -> None:
    """A frame of 16 MB, when 16 KB are the most."""
    peer.send(frame(FrameKind.DATA, stream, bytes(2**24 - 1)))


def sends_empty_frames(peer: Peer, stream: int, request: Request) -> None:
    peer.send(frame(FrameKind.DATA, stream) * 4 * _MANY)


def decorates(peer: Peer, stream: int, request: Request) -> None:
    """Trailers of a megabyte."""
    fields = b"".join(field(f"x-{n}", "y" * 100) for n in range(10_000))
    peer.send(frame(FrameKind.HEADERS, stream, b"", END_STREAM))
    for start in range(0, len(fields), 16_000):
        peer.send(frame(FrameKind.CONTINUATION, stream, fields[start : start + 16_000]))
    peer.send(frame(FrameKind.CONTINUATION, stream, TRAILERS, END_HEADERS))


def decorates_for_ever(peer: Peer, stream: int, request: Request) -> None:
    """Headers that never end."""
    peer.send(frame(FrameKind.HEADERS, stream, b"", END_STREAM))
    for letter in cycle("abcdefgh"):
        peer.send(frame(FrameKind.CONTINUATION, stream, field(letter, letter * 100) * 100))


def answers_on_another_stream(peer: Peer, stream: int, request: Request) -> None:
    """One that was never opened."""
    peer.send(frame(FrameKind.DATA, stream + 2, prefixed(choice(request.decision.id, 0))))


# Endless streams of frames.


def pings() -> Iterator[bytes]:
    yield from cycle([frame(FrameKind.PING, 0, bytes(8))])


def settings() -> Iterator[bytes]:
    yield from cycle([frame(FrameKind.SETTINGS, 0, b"\x00\x04\x00\x00\xff\xff")])


def unknown_frames() -> Iterator[bytes]:
    yield from cycle([frame(FrameKind.UNKNOWN, 0, bytes(100))])


def resets_of_others() -> Iterator[bytes]:
    """Of streams that nobody has opened."""
    for number in cycle(range(1_000_001, 2_000_001, 2)):
        yield frame(FrameKind.RST_STREAM, number, _CANCEL)


def promised_streams() -> Iterator[bytes]:
    """Thousands of streams that the bot would open itself."""
    for number in cycle(range(2, 1_000_000, 2)):
        yield frame(FrameKind.PUSH_PROMISE, 1, number.to_bytes(4, "big") + b"\x88", END_HEADERS)


def opened_streams() -> Iterator[bytes]:
    """Thousands of answers to what was never asked."""
    for number in cycle(range(1_000_001, 2_000_001, 2)):
        yield frame(FrameKind.HEADERS, number, b"\x88", END_HEADERS)


def windows() -> Iterator[bytes]:
    """Room for more than can be: a window's limit is 2^31."""
    yield from cycle([frame(FrameKind.WINDOW_UPDATE, 1, b"\x7f\xff\xff\xff")])


def pouring(frames: Callable[[], Iterator[bytes]]) -> RawSpoil:
    """Frames without end in place of an answer."""

    def pour(peer: Peer, stream: int, request: Request) -> None:
        endless = frames()
        while True:
            peer.send(b"".join(next(endless) for _ in range(_BUNCH)))

    return pour


def amid(frames: Callable[[], Iterator[bytes]]) -> RawSpoil:
    """Thousands of frames before each answer, which is right."""

    def play(peer: Peer, stream: int, request: Request) -> None:
        peer.send(b"".join(islice(frames(), _MANY)))
        answer(peer, stream, request)

    return play


FLOODS: Final = (
    pings,
    settings,
    unknown_frames,
    windows,
    resets_of_others,
    promised_streams,
    opened_streams,
)
