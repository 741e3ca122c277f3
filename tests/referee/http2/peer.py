"""The other side of a call: a peer that says, byte for byte, what a test wants."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from hpack import Encoder

from referee.http2 import frames as h2
from referee.http2.call import Call, connect
from referee.http2.frames import Frame, FrameReader, frame
from referee.http2.messages import prefixed

MOST: Final = 1000
"""Bytes of the longest message that is taken."""
TIMEOUT: Final = 60.0
SETTINGS: Final = frame(h2.SETTINGS, 0, 0)


class Peer:
    """Reads what the call sends, and writes what it is told."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._frames = FrameReader()
        self._heard: list[Frame] = []

    async def say(self, *data: bytes) -> None:
        self._writer.write(b"".join(data))
        await self._writer.drain()

    async def hear(self, kind: int) -> Frame:
        """The next frame of a kind; others are passed over."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                while self._heard:
                    heard = self._heard.pop(0)
                    if heard.kind == kind:
                        return heard
                data = await self._reader.read(65536)
                assert data, "the call has hung up"
                self._heard += self._frames.read(data)

    async def hear_the_end(self) -> None:
        """Waits until the call has closed the connection."""
        with suppress(ConnectionError):
            async with asyncio.timeout(TIMEOUT):
                while await self._reader.read(65536):
                    pass

    def close(self) -> None:
        self._writer.close()


@asynccontextmanager
async def calling(address: str) -> AsyncIterator[Peer]:
    """A peer that calls a server at `unix:/path`, and has said nothing yet."""
    peer = Peer(*await asyncio.open_unix_connection(address.removeprefix("unix:")))
    try:
        yield peer
    finally:
        peer.close()


@asynccontextmanager
async def called(most: int = MOST) -> AsyncIterator[tuple[Call, Peer]]:
    """A call and its peer, which has said nothing yet."""
    peers: asyncio.Queue[Peer] = asyncio.Queue()

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(len(h2.PREFACE))
        await peers.put(Peer(reader, writer))

    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        path = Path(folder, "peer")
        server = await asyncio.start_unix_server(met, path)
        call = await connect(f"unix:{path}", "/test/Method", most)
        async with asyncio.timeout(TIMEOUT):
            peer = await peers.get()
        try:
            yield call, peer
        finally:
            call.hang_up()
            async with asyncio.timeout(TIMEOUT):
                await call.gone()
            peer.close()
            server.close()


def headers(
    *pairs: tuple[str, str], flags: int = h2.END_HEADERS, stream: int = 1, kind: int = h2.HEADERS
) -> bytes:
    """A frame of headers."""
    return frame(kind, flags, stream, Encoder().encode(list(pairs)))


def answer(*more: tuple[str, str]) -> bytes:
    """The beginning of an answer."""
    return SETTINGS + headers((":status", "200"), ("content-type", "application/grpc"), *more)


def trailers(*pairs: tuple[str, str]) -> bytes:
    """The end of an answer."""
    return headers(*pairs, flags=h2.END_HEADERS | h2.END_STREAM)


def setting(name: int, value: int, times: int = 1) -> bytes:
    """A frame with one setting, once or more often."""
    return frame(h2.SETTINGS, 0, 0, (name.to_bytes(2, "big") + value.to_bytes(4, "big")) * times)


def request(path: str, flags: int = h2.END_HEADERS) -> bytes:
    """The headers of a call."""
    return headers((":method", "POST"), (":scheme", "http"), (":path", path), flags=flags)


def data(*messages: bytes, flags: int = 0) -> bytes:
    """Messages in a frame."""
    return frame(h2.DATA, flags, 1, b"".join(map(prefixed, messages)))


async def all_of(call: Call) -> list[bytes]:
    """The messages until the end."""
    async with asyncio.timeout(TIMEOUT):
        messages = []
        while (message := await call.read()) is not None:
            messages.append(message)
        return messages
