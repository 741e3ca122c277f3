"""How a gRPC stream ended: PROTOCOL-HTTP2.md of gRPC, and what a referee makes of the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from grpc import StatusCode

_BY_NUMBER: Final = {code.value[0]: code for code in StatusCode}
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


@dataclass(frozen=True, slots=True)
class Ended:
    """The code, and what was said with it."""

    code: StatusCode
    details: str = ""


def lost(why: str) -> Ended:
    """The connection broke."""
    return Ended(StatusCode.UNAVAILABLE, why)


def no_http2(why: str) -> Ended:
    """The peer sent what cannot be understood."""
    return Ended(StatusCode.UNKNOWN, f"Failed parsing HTTP/2: {why}")


def too_long(how_long: str) -> Ended:
    """The peer sent a message of more bytes than it may have."""
    return Ended(StatusCode.RESOURCE_EXHAUSTED, f"a message was larger than max ({how_long})")


def reset(error: int) -> Ended:
    """The peer has reset the stream."""
    code = _BY_RESET.get(error, StatusCode.INTERNAL)
    return Ended(code, f"the stream was reset with HTTP/2 error {error}")


def in_headers(headers: Mapping[str, str]) -> Ended | None:
    """The end that the first headers of an answer tell; None where a stream of messages begins."""
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
    """The end that the last headers tell."""
    number = headers.get("grpc-status", "")
    if not number.isdecimal():
        return Ended(StatusCode.UNKNOWN, "the stream ended without a status")
    code = _BY_NUMBER.get(int(number), StatusCode.UNKNOWN)
    return Ended(code, unquote(headers.get("grpc-message", "")))
