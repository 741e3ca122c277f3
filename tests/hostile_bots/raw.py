"""Bots below gRPC: they play honestly at first, and then go wrong in HTTP/2 or in TCP."""

from collections.abc import Callable
from typing import TypeAlias

from tests.hostile_bots.http2 import Peer, Talk, answer, prefixed
from tests.hostile_bots.speech import Request, honest, is_spoilt

RawSpoil: TypeAlias = Callable[[Peer, int, Request], None]
"""What is done in place of an honest answer, on a stream."""


def spoiling(spoil: RawSpoil) -> Talk:
    """Honest until the middle of the game; then each answer is spoilt."""

    def talk(peer: Peer) -> None:
        for stream, request in peer.requests():
            (spoil if is_spoilt(request) else answer)(peer, stream, request)

    return talk


def right(request: Request) -> bytes:
    """The honest answer to a decision, as gRPC puts it into frames."""
    (message,) = honest(request)
    return prefixed(message)
