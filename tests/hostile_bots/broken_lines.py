"""Streams and connections that end in ways that gRPC does not know, or too early."""

import socket
from typing import Final

from tests.hostile_bots.http2 import END_STREAM, FrameKind, Peer, answer, frame
from tests.hostile_bots.raw import right
from tests.hostile_bots.speech import Request

_CANCEL: Final = (8).to_bytes(4, "big")
_CALM_DOWN: Final = (11).to_bytes(4, "big")


def half_closes(peer: Peer, stream: int, request: Request) -> None:
    """Ends its side of the stream, without the status that gRPC wants, and listens on."""
    peer.send(frame(FrameKind.DATA, stream, b"", END_STREAM))


def half_closes_with_the_answer(peer: Peer, stream: int, request: Request) -> None:
    peer.send(frame(FrameKind.DATA, stream, right(request)))
    peer.close(stream)


def half_closes_the_connection(peer: Peer, stream: int, request: Request) -> None:
    """TCP knows half a connection, too."""
    peer.connection.shutdown(socket.SHUT_WR)


def hangs_up(peer: Peer, stream: int, request: Request) -> None:
    peer.connection.shutdown(socket.SHUT_RDWR)


def resets(peer: Peer, stream: int, request: Request) -> None:
    peer.send(frame(FrameKind.RST_STREAM, stream, _CANCEL))


def resets_for_calm(peer: Peer, stream: int, request: Request) -> None:
    peer.send(frame(FrameKind.RST_STREAM, stream, _CALM_DOWN))


def goes_away(peer: Peer, stream: int, request: Request) -> None:
    peer.send(
        frame(FrameKind.GOAWAY, 0, stream.to_bytes(4, "big") + _CALM_DOWN + b"too_many_pings")
    )
    answer(peer, stream, request)
    peer.connection.shutdown(socket.SHUT_RDWR)


def promises_too_much(peer: Peer, stream: int, request: Request) -> None:
    """A message of four gigabytes begins."""
    peer.send(frame(FrameKind.DATA, stream, b"\x00\xff\xff\xff\xff" + bytes(1000)))


def promises_too_little(peer: Peer, stream: int, request: Request) -> None:
    """A message ends before the length that was said."""
    peer.send(frame(FrameKind.DATA, stream, right(request)[:-1]))
    peer.close(stream)
