"""Bots that are there, and do not come to the table; and bots that do not say who they are."""

from collections.abc import Iterator
from threading import Event
from typing import Final

import grpc

from referee.service import PROTOCOL_VERSION
from referee.wire import bot_pb2
from tests.hostile_bots.http2 import Peer
from tests.hostile_bots.server import Describe
from tests.hostile_bots.speech import LONG, Context, Request, Spoil, honest

# Connections.


def mute(peer: Peer) -> None:
    """Takes the connection, and says nothing."""
    Event().wait(LONG)


def speaks_http_1(peer: Peer) -> None:
    peer.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def greets_with_noise(peer: Peer) -> None:
    peer.send(b"\xde\xad\xbe\xef" * 1000)
    Event().wait(LONG)


def greets_for_ever(peer: Peer) -> None:
    """Noise without end."""
    while True:
        peer.send(bytes(65536))


# Games.


def at_the_start(spoil: Spoil) -> Spoil:
    """Spoils the acceptance of the game, and nothing else."""

    def play(request: Request, context: Context) -> Iterator[bytes]:
        yield from (spoil if request.HasField("start") else honest)(request, context)

    return play


# Descriptions.

_LONG_NAME: Final = 5_000_000


def never_describes(_: bytes, context: Context) -> bytes:
    over = Event()
    if context.add_callback(over.set):
        over.wait(LONG)
    return b""


def describes_garbage(_: bytes, __: Context) -> bytes:
    return b"\xff\xfe\xfd" * 100


def fails_to_describe(_: bytes, context: Context) -> bytes:
    context.abort(grpc.StatusCode.UNKNOWN, "not today")


def describing(name: str, protocol_version: int = PROTOCOL_VERSION) -> Describe:
    """Says something else than it should."""
    told = bot_pb2.DescribeResponse(name=name, version="1", protocol_version=protocol_version)
    return lambda _, __: told.SerializeToString()


DESCRIPTIONS: Final[dict[str, Describe]] = {
    "never_describes": never_describes,
    "describes_garbage": describes_garbage,
    "fails_to_describe": fails_to_describe,
    "has_no_name": describing(""),
    "has_a_long_name": describing("x" * 101),
    "has_a_huge_name": describing("x" * _LONG_NAME),
    "has_an_escaping_name": describing("x\x1b[2J"),
    "is_from_the_future": describing("x", PROTOCOL_VERSION + 1),
}
