"""Bots that speak or read too slowly, or not at all."""

import time
from threading import Event, Thread

from tests.hostile_bots.http2 import FrameKind, Peer, answer, frame
from tests.hostile_bots.raw import right
from tests.hostile_bots.speech import Request


def drips(peer: Peer, stream: int, request: Request) -> None:
    """The right answer, a byte at a time."""
    for byte in right(request):
        peer.send(frame(FrameKind.DATA, stream, bytes([byte])))
        time.sleep(0.2)


def drips_frames(peer: Peer, stream: int, request: Request) -> None:
    """The same, a byte of the wire at a time."""
    for byte in frame(FrameKind.DATA, stream, right(request)):
        peer.send(bytes([byte]))
        time.sleep(0.1)


def shuts_the_window(peer: Peer, stream: int, request: Request) -> None:
    """The right answer; but no request can be sent to it any more."""
    shut = b"\x00\x04" + bytes(4)  # initial window: 0
    peer.reading = False
    peer.send(frame(FrameKind.SETTINGS, 0, shut))
    answer(peer, stream, request)


def reads_byte_by_byte(peer: Peer, stream: int, request: Request) -> None:
    """From here on the referee may send it a hundred bytes a second."""

    def open_slowly() -> None:
        try:
            while True:
                peer.send(frame(FrameKind.WINDOW_UPDATE, stream, bytes([0, 0, 0, 1])))
                time.sleep(0.01)
        except OSError:
            return

    if peer.reading:
        shuts_the_window(peer, stream, request)
        Thread(target=open_slowly, daemon=True).start()


def stops_reading(peer: Peer, stream: int, request: Request) -> None:
    """Nothing is taken out of the socket until the referee has hung up."""
    answer(peer, stream, request)
    peer.connection.settimeout(None)
    Event().wait(20)
