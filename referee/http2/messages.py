"""Messages within the data of a gRPC stream: each has 5 bytes before it (PROTOCOL-HTTP2.md)."""

import zlib
from collections.abc import Iterator
from struct import Struct
from typing import Final

from referee.http2.frames import NotHttp2

_PREFIX: Final = Struct(">BI")
PREFIX: Final = _PREFIX.size
"""Bytes before a message: whether it is compressed, and its length."""
ENCODINGS: Final = {"gzip": 31, "deflate": 15}
"""How messages may be compressed, with what zlib calls it (`wbits`)."""


class TooLong(Exception):
    """A message has more bytes than it may have."""


def prefixed(message: bytes) -> bytes:
    """A message as it is sent."""
    return _PREFIX.pack(0, len(message)) + message


class MessageReader:
    """Cuts data into messages."""

    def __init__(self, most: int) -> None:
        """`most`: bytes of the longest message."""
        self.encoding = "identity"
        """How messages are compressed that say that they are."""
        self._most = most
        self._rest = b""

    def read(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """The messages that are complete, each with the bytes that it took on its way.

        Raises TooLong, NotHttp2.
        """
        data = self._rest + data if self._rest else data
        at, whole = 0, len(data)
        while whole - at >= PREFIX:
            compressed, size = _PREFIX.unpack_from(data, at)
            if size > self._most:
                raise TooLong(f"{size} bytes of {self._most}")
            start = at + PREFIX
            if whole - start < size:
                break
            at = start + size
            message = data[start:at]
            yield self._unpacked(message) if compressed else message, PREFIX + size
        self._rest = data[at:]

    def _unpacked(self, message: bytes) -> bytes:
        bits = ENCODINGS.get(self.encoding)
        if bits is None:
            raise NotHttp2("a compressed message, without a word about how")
        unpacking = zlib.decompressobj(bits)
        try:
            unpacked = unpacking.decompress(message, self._most + 1)
        except zlib.error:
            raise NotHttp2("a message whose compression is damaged") from None
        if len(unpacked) > self._most:
            raise TooLong(f"more than {self._most} bytes, compressed")
        if not unpacking.eof:
            raise NotHttp2("a compressed message that has no end")
        return unpacked
