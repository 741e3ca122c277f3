"""Messages of a gRPC stream, and its end: PROTOCOL-HTTP2.md of gRPC; RFC 9113, section 8."""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from struct import Struct
from typing import Final
from urllib.parse import quote, unquote

from grpc import StatusCode

from referee.http2 import MAX_DETAILS
from referee.http2.frames import NotHttp2

_PREFIX: Final = Struct(">BI")
PREFIX: Final = _PREFIX.size
"""Bytes before a message: a flag for compression, and its length."""
ENCODINGS: Final = {"gzip": 31, "deflate": 15}
"""The compressions that are understood, with their `wbits` for zlib."""


class TooLong(Exception):
    """A message has more bytes than it may have."""


def prefixed(message: bytes) -> bytes:
    """Return a message as it is sent."""
    return _PREFIX.pack(0, len(message)) + message


class MessageReader:
    """Cuts received data into messages."""

    def __init__(self, most: int) -> None:
        """`most`: the longest message that is taken, in bytes."""
        self.encoding = "identity"
        """The compression of messages that have the flag."""
        self._most = most
        self._rest = b""

    def read(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield complete messages, and their bytes on the way. Raises TooLong and NotHttp2."""
        data = self._rest + data if self._rest else data
        at, length = 0, len(data)
        while length - at >= PREFIX:
            compressed, size = _PREFIX.unpack_from(data, at)
            if size > self._most:
                raise TooLong(f"{size} bytes of {self._most}")
            start = at + PREFIX
            if length - start < size:
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


BY_NUMBER: Final = {code.value[0]: code for code in StatusCode}
"""The status codes of gRPC by their numbers on the wire."""
_BY_HTTP: Final = {
    "400": StatusCode.INTERNAL,
    "401": StatusCode.UNAUTHENTICATED,
    "403": StatusCode.PERMISSION_DENIED,
    "404": StatusCode.UNIMPLEMENTED,
    "429": StatusCode.UNAVAILABLE,
    "502": StatusCode.UNAVAILABLE,
    "503": StatusCode.UNAVAILABLE,
    "504": StatusCode.UNAVAILABLE,
}
_BY_RESET: Final = {
    0x7: StatusCode.UNAVAILABLE,  # REFUSED_STREAM
    0x8: StatusCode.CANCELLED,
    0xB: StatusCode.RESOURCE_EXHAUSTED,  # ENHANCE_YOUR_CALM
    0xC: StatusCode.PERMISSION_DENIED,  # INADEQUATE_SECURITY
}


_MAX_STATUS: Final = 3  # digits of a grpc-status
_OF_CONNECTION: Final = frozenset(
    ("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade")
)
"""Fields of HTTP/1.1, which make an answer malformed (RFC 9113, 8.2.2)."""
_FIELD_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_STATUS: Final = re.compile(r"[1-9][0-9]{2}")
_NOT_IN_VALUES: Final = re.compile(r"[\0\r\n]")


@dataclass(frozen=True, slots=True)
class Ended:
    """The status with which a stream ended."""

    code: StatusCode
    details: str = ""

    def __str__(self) -> str:
        return f"{self.code.name}: {self.details}"


def lost(why: str) -> Ended:
    """Return the end of a stream whose connection broke."""
    return Ended(StatusCode.UNAVAILABLE, why)


def no_http2(why: str) -> Ended:
    """Return the end of a stream on which the peer sent something that is not HTTP/2."""
    return Ended(StatusCode.UNKNOWN, f"Failed parsing HTTP/2: {why}")


def too_long(how_long: str) -> Ended:
    """Return the end of a stream on which the peer sent too long a message."""
    return Ended(StatusCode.RESOURCE_EXHAUSTED, f"a message was larger than max ({how_long})")


def reset(error: int) -> Ended:
    """Return the end of a stream that the peer has reset."""
    code = _BY_RESET.get(error, StatusCode.INTERNAL)
    return Ended(code, f"the stream was reset with HTTP/2 error {error}")


def checked_fields(fields: Iterable[tuple[str, str]], *, trailers: bool) -> dict[str, str]:
    """Return the fields by name. Raises NotHttp2 for what RFC 9113, 8.2 and 8.3, forbids."""
    found: dict[str, str] = {}
    for name, value in fields:
        if name.startswith(":"):
            if trailers or found or name != ":status" or not _STATUS.fullmatch(value):
                raise NotHttp2("a pseudo-header that is wrong, or out of place")
        elif not _FIELD_NAME.fullmatch(name) or name in _OF_CONNECTION:
            raise NotHttp2("a header field that is forbidden")
        if _NOT_IN_VALUES.search(value):
            raise NotHttp2("a header field whose value is more than a line")
        found[name] = value
    if not trailers and ":status" not in found:
        raise NotHttp2("headers without a status")
    return found


def in_headers(headers: Mapping[str, str]) -> Ended | None:
    """Return the end in the first headers of an answer, or None if messages follow."""
    if "grpc-status" in headers:
        return in_trailers(headers)
    status = headers.get(":status", "")
    if status != "200":
        return Ended(_BY_HTTP.get(status, StatusCode.UNKNOWN), f"HTTP status {status[:9]}")
    kind = headers.get("content-type", "")
    if not kind.startswith("application/grpc"):
        return Ended(StatusCode.UNKNOWN, f"no gRPC, but {kind[:99]!r}")
    return None


def in_trailers(headers: Mapping[str, str]) -> Ended:
    """Return the end in the last headers."""
    number = headers.get("grpc-status", "")
    if not (number.isascii() and number.isdecimal() and len(number) <= _MAX_STATUS):
        return Ended(StatusCode.UNKNOWN, "the stream ended without a status")
    code = BY_NUMBER.get(int(number), StatusCode.UNKNOWN)
    return Ended(code, unquote(headers.get("grpc-message", "")))


def last_fields(code: StatusCode, details: str) -> tuple[tuple[str, str], ...]:
    """Return the fields of the last headers; of long details only the beginning."""
    message = quote(details[:MAX_DETAILS], safe=" ", errors="replace")
    return ("grpc-status", str(code.value[0])), ("grpc-message", message)
