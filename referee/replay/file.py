"""The file `*.santiago`: a magic number, one byte of format version, the message compressed."""

import zlib
from typing import Final

from google.protobuf.message import DecodeError

from referee.errors import ReplayError
from referee.wire import replay_pb2

MAGIC: Final = b"SANTIAGO"
FORMAT_VERSION: Final = 1
_MOST_BYTES: Final = 16 * 1024 * 1024
"""The longest message that is unpacked: a game of 300 turns has about 100 KB."""


def write(replay: replay_pb2.Replay) -> bytes:
    """The bytes of a replay file."""
    packed = zlib.compress(replay.SerializeToString(deterministic=True), level=9)
    return MAGIC + bytes([FORMAT_VERSION]) + packed


def read(data: bytes) -> replay_pb2.Replay:
    """The inverse of `write`. Raises ReplayError; that the game is right, `verify` tells."""
    if not data.startswith(MAGIC) or len(data) <= len(MAGIC):
        raise ReplayError("This is not a replay: the file does not begin with SANTIAGO.")
    version = data[len(MAGIC)]
    if version != FORMAT_VERSION:
        raise ReplayError(
            f"The replay has format version {version}; this program reads {FORMAT_VERSION}."
        )
    unpacker = zlib.decompressobj()
    try:
        message = unpacker.decompress(data[len(MAGIC) + 1 :], _MOST_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise ReplayError("The replay is cut short, too large, or has bytes after its end.")
        return replay_pb2.Replay.FromString(message)
    except (zlib.error, DecodeError) as error:
        raise ReplayError(f"The replay is damaged: {error}.") from None
