"""Dials for one call."""

import asyncio
from functools import lru_cache
from typing import Final

from hpack import Encoder

from referee.http2.call import Call
from referee.http2.messages import ENCODINGS

_UNIX: Final = "unix:"


async def connect(address: str, method: str, most: int) -> Call:
    """Calls a method at `host:port` or `unix:/path`, in plain text.

    `most`: bytes of the longest message to be taken. Raises OSError where nobody can be reached.
    """
    loop = asyncio.get_running_loop()
    if address.startswith(_UNIX):
        path = address.removeprefix(_UNIX)
        headers = _headers("localhost", method)
        _, call = await loop.create_unix_connection(lambda: Call(headers, most), path)
        return call
    host, port = _split(address)
    headers = _headers(address, method)
    _, call = await loop.create_connection(lambda: Call(headers, most), host, port)
    return call


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise OSError(f"{address!r} is not host:port")
    return host.strip("[]"), int(port)


@lru_cache(maxsize=256)
def _headers(authority: str, method: str) -> bytes:
    """The headers of a request, compressed for the beginning of a connection."""
    return Encoder().encode(
        [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", authority),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("grpc-accept-encoding", ",".join(("identity", *ENCODINGS))),
            ("user-agent", "santiago-arena"),
        ]
    )
