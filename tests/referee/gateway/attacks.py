"""What strangers may do to a port that anybody can dial: raw bytes, and HTTP/2 that is none.

Each attack goes on until it is ended, on new connections where the gateway hangs up.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Final, TypeAlias

from referee.service import OFFER
from tests.hostile_bots.http2 import END_HEADERS, FrameKind, field, frame

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HELLO: Final = PREFACE + frame(FrameKind.SETTINGS, 0)
STRANGER: Final = "127.0.0.2"
"""Where the attacks come from: another host than the bots'."""
_PIECE: Final = 200  # frames in one write
_PAUSE: Final = 0.01  # seconds between writes: the machine is for the games, too
_OFFERS: Final = b"".join(
    field(name, value)
    for name, value in (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", OFFER),
        (":authority", "gateway"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    )
)

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter
Attack: TypeAlias = Callable[[Reader, Writer], Awaitable[None]]


def headers(stream: int, flags: int = END_HEADERS) -> bytes:
    """The beginning of a call: a bot offers games."""
    return frame(FrameKind.HEADERS, stream, _OFFERS, flags)


async def garbage(_: Reader, writer: Writer) -> None:
    """Bytes by chance."""
    await _say_for_ever(writer, lambda n: Random(n).randbytes(20_000))


async def garbage_after_hello(_: Reader, writer: Writer) -> None:
    """The same where frames are expected."""
    writer.write(HELLO)
    await _say_for_ever(writer, lambda n: Random(n).randbytes(20_000))


async def settings(_: Reader, writer: Writer) -> None:
    """Settings that each want an answer, which is not read."""
    writer.write(PREFACE)
    await _say_for_ever(writer, lambda _: frame(FrameKind.SETTINGS, 0) * _PIECE)


async def pings(_: Reader, writer: Writer) -> None:
    """Pings that each want an answer, which is not read."""
    writer.write(HELLO)
    await _say_for_ever(writer, lambda _: frame(FrameKind.PING, 0, b"no reply") * _PIECE)


async def resets(_: Reader, writer: Writer) -> None:
    """Calls that are given up as soon as they are made."""
    writer.write(HELLO)

    def calls(number: int) -> bytes:
        first = 2 * number * _PIECE + 1
        return b"".join(
            headers(stream) + frame(FrameKind.RST_STREAM, stream, bytes(4))
            for stream in range(first, first + 2 * _PIECE, 2)
        )

    await _say_for_ever(writer, calls)


async def many_calls(_: Reader, writer: Writer) -> None:
    """Calls that are begun and left."""
    writer.write(HELLO)

    def calls(number: int) -> bytes:
        first = 2 * number * _PIECE + 1
        return b"".join(headers(stream) for stream in range(first, first + 2 * _PIECE, 2))

    await _say_for_ever(writer, calls)


async def endless_headers(_: Reader, writer: Writer) -> None:
    """Headers of one call that never come to their end."""
    writer.write(HELLO + headers(1, flags=0))
    more = b"\x00\x07x-never\x7f\x81\x03" + b"x" * 512  # one field, not to be remembered
    await _say_for_ever(writer, lambda _: frame(FrameKind.CONTINUATION, 1, more) * 20)


async def huge_message(_: Reader, writer: Writer) -> None:
    """A message of four gigabytes, as far as the gateway lets it come."""
    writer.write(HELLO + headers(1) + frame(FrameKind.DATA, 1, b"\x00\xff\xff\xff\xff"))
    await _say_for_ever(writer, lambda _: frame(FrameKind.DATA, 1, bytes(16_000)))


async def drip(_: Reader, writer: Writer) -> None:
    """A byte now and then of what would be a good call."""
    for byte in HELLO + headers(1):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.2)
    await asyncio.sleep(3600)


async def silence(reader: Reader, _: Writer) -> None:
    """Nothing at all, until the gateway hangs up."""
    await reader.read()


ATTACKS: Final = (
    garbage,
    garbage_after_hello,
    settings,
    pings,
    resets,
    many_calls,
    endless_headers,
    huge_message,
    drip,
)


@asynccontextmanager
async def under(attack: Attack, address: str, lines: int) -> AsyncIterator[Counter[str]]:
    """The gateway at this address is attacked on so many lines at once, during the block.

    Counts how often it was `dialled`.
    """
    count: Counter[str] = Counter()
    tasks = [asyncio.create_task(_again_and_again(attack, address, count)) for _ in range(lines)]
    try:
        yield count
    finally:
        for task in tasks:
            task.cancel()
        ended, _ = await asyncio.wait(tasks)
        for task in ended:
            if not task.cancelled():
                task.result()  # what went wrong in the attack itself


async def _again_and_again(attack: Attack, address: str, count: Counter[str]) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await _dial(address)
            count["dialled"] += 1
            try:
                await attack(reader, writer)
            finally:
                writer.transport.abort()
        await asyncio.sleep(_PAUSE)


async def _dial(address: str) -> tuple[Reader, Writer]:
    host, _, port = address.rpartition(":")
    return await asyncio.open_connection(host, int(port), limit=2**14, local_addr=(STRANGER, 0))


async def _say_for_ever(writer: Writer, piece: Callable[[int], bytes]) -> None:
    number = 0
    while True:
        writer.write(piece(number))
        await writer.drain()
        await asyncio.sleep(_PAUSE)
        number += 1
