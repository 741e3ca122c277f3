"""Streams of messages to bots and hosts: over our own HTTP/2 on this machine, over gRPC elsewhere.

One task at a time may write to a stream, and one may read.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

import grpc
import grpc.aio

from referee.http2.messages import Ended

if TYPE_CHECKING:
    from referee.http2.call import Call

GONE: Final = (grpc.aio.AioRpcError, grpc.aio.InternalError, asyncio.InvalidStateError)
"""The exceptions that gRPC raises after the end of a stream."""
_HUNG_UP: Final = Ended(grpc.StatusCode.CANCELLED, "the referee hung up")


class MessageStream(Protocol):
    """A call on which messages go both ways."""

    metadata: Any
    """The metadata with which the stream ended, by gRPC; empty while it goes on."""

    @property
    def ended(self) -> Ended | None:
        """How the stream ended, for who has read to its end; None while it goes on."""

    async def read(self) -> bytes | None:
        """Return the next message, or None if there are no more. May be cancelled without harm."""

    def arrived(self) -> bytes | None:
        """Return the next message if it is there already."""

    async def write(self, message: bytes) -> None:
        """Send a message; do nothing after the end."""

    async def done_writing(self) -> None:
        """Say that no message follows."""

    def break_off(self) -> None:
        """End the stream at once; who reads hears of it."""

    async def hang_up(self) -> None:
        """End the stream, whatever its state, and wait until it is over."""


class NearStream:
    """A stream on this machine: it is on the way of each decision."""

    def __init__(self, call: "Call") -> None:
        self.metadata: Any = ()
        self._call = call
        self.read, self.write, self.arrived = call.read, call.write, call.arrived
        self.break_off = call.hang_up

    async def done_writing(self) -> None:
        self._call.done_writing()

    async def hang_up(self) -> None:
        self._call.hang_up()
        await self._call.gone()

    @property
    def ended(self) -> Ended | None:
        return self._call.ended


class FarStream:
    """A stream to another machine. One message is read ahead; a flood is left to flow control."""

    def __init__(self, call: Any) -> None:
        self.metadata: Any = ()
        self.ended: Ended | None = None
        self._call = call
        self._reading: asyncio.Task[Any] = asyncio.create_task(call.read())

    async def comes(self, timeout: float | None = None) -> bool:
        """Return True if the next message, or the end, comes within so many seconds."""
        done, _ = await asyncio.wait({self._reading}, timeout=timeout)
        return bool(done)

    async def read(self) -> bytes | None:
        await self.comes()
        message = self.arrived()
        if message is None:
            self.metadata = await self._call.trailing_metadata()
            self.ended = Ended(await self._call.code(), await self._call.details() or "")
        return message

    def arrived(self) -> bytes | None:
        if self._reading.done():
            with suppress(*GONE, asyncio.CancelledError):  # the status of the call says why
                message = self._reading.result()
                if message is not grpc.aio.EOF:
                    self._reading = asyncio.create_task(self._call.read())
                    return bytes(message)
        return None

    async def write(self, message: bytes) -> None:
        with suppress(*GONE):
            await self._call.write(message)

    async def done_writing(self) -> None:
        with suppress(*GONE):
            await self._call.done_writing()

    def break_off(self) -> None:
        self._call.cancel()

    async def hang_up(self) -> None:
        self._call.cancel()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self.ended = self.ended or _HUNG_UP
