"""Messages that are none, or not now, or too much."""

from collections.abc import Iterator
from typing import Final

import grpc

from referee.service import MAX_FROM_BOT
from referee.wire import bot_pb2
from tests.hostile_bots.speech import ACCEPT, Context, Request, choice, honest

_UNKNOWN_FIELD: Final = bytes([15 << 3 | 2])  # field 15, of as many bytes as the next one says


def garbage(request: Request, context: Context) -> Iterator[bytes]:
    yield b"\xff\xfe\xfd" * 100


def accepts_again(request: Request, context: Context) -> Iterator[bytes]:
    yield ACCEPT


def unknown_message(request: Request, context: Context) -> Iterator[bytes]:
    yield _UNKNOWN_FIELD + bytes([0])


def nothing(request: Request, context: Context) -> Iterator[bytes]:
    yield b""


def nested(request: Request, context: Context) -> Iterator[bytes]:
    """Groups in groups, deeper than anyone reads."""
    yield bytes([15 << 3 | 3]) * 20_000


def cut_short(request: Request, context: Context) -> Iterator[bytes]:
    yield choice(request.decision.id, 0)[:-1]


def oversize(request: Request, context: Context) -> Iterator[bytes]:
    yield bytes(MAX_FROM_BOT + 1)


def gigantic(request: Request, context: Context) -> Iterator[bytes]:
    yield bytes(20_000_000)


def swells(request: Request, context: Context) -> Iterator[bytes]:
    """A small message on the wire, a large one when it is unpacked."""
    context.set_compression(grpc.Compression.Gzip)
    yield bytes(5_000_000)


def as_long_as_allowed(request: Request, context: Context) -> Iterator[bytes]:
    """A right answer in 64 KB. No fault, only rude."""
    for answer in honest(request, context):
        room = MAX_FROM_BOT - len(answer) - 4
        yield answer + _UNKNOWN_FIELD + _varint(room) + b"x" * room


def long_nonce(request: Request, context: Context) -> Iterator[bytes]:
    yield bot_pb2.PlayResponse(accept=bot_pb2.Accept(nonce=bytes(33))).SerializeToString()


def _varint(number: int) -> bytes:
    """The length of a field, in three bytes."""
    return bytes([number & 127 | 128, number >> 7 & 127 | 128, number >> 14])
