"""One gRPC stream to a bot: messages out, messages in, and how it ended."""

import asyncio
from contextlib import suppress
from typing import Any, Final

import grpc
import grpc.aio

from referee.errors import Interrupted, InvalidSetting
from referee.faults import FaultCode, SeatFault
from referee.seats.admission import Metadata, NotAdmitted, admission
from referee.service import PLAY
from referee.ways import Ways

FAREWELL: Final = 1.0
"""Seconds for the last message and the bot's orderly close."""
MOST_UNREAD: Final = 10
"""Messages that a bot may still send before it closes."""
_MOST_DETAILS: Final = 200  # characters of what a bot's status says
LOST: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,  # what gRPC itself says when it writes to a line that just broke
)
"""The codes of a connection that broke, or could not be made."""
GONE: Final = (grpc.aio.AioRpcError, grpc.aio.InternalError, asyncio.InvalidStateError)
"""What gRPC raises after the end of a stream."""
_OVER_LIMIT: Final = ("larger than max", "exceeds hard limit")  # gRPC's words where it was too much
_NO_HTTP2: Final = "Failed parsing HTTP/2"


class LineLost(Exception):
    """The connection broke, or could not be made. Not yet anybody's fault.

    Its text is for the bot's author, and may hold the address; `public` is for everybody.
    """

    def __init__(self, why: str, public: str = "there was no connection to it.") -> None:
        super().__init__(why)
        self.public = public


async def dial_far(address: str, ways: Ways, seat: str) -> "Line":
    """A line to the bot at an address, for a seat that no other game has.

    It may turn out only when it is used that nobody is there. Raises LineLost and Interrupted.
    """
    try:
        channel = ways.channel(address)
    except InvalidSetting as error:
        raise Interrupted(str(error)) from None
    try:
        return Line(address, channel, await admission(channel, address, ways, seat))
    except BaseException as error:
        await channel.close()
        if isinstance(error, NotAdmitted):
            raise LineLost(f"there was no connection to {address} ({error}).") from None
        raise


class Line:
    """A stream `Play` to the bot at an address. Opened once, hung up once."""

    def __init__(self, address: str, channel: grpc.aio.Channel, admitted: Metadata) -> None:
        """`admitted`: what proves to the gateway who calls, where the bot is behind it."""
        self._address = address
        self._channel = channel
        self._through_gateway = bool(admitted)
        self._call: Any = self._channel.stream_stream(PLAY)(metadata=admitted)
        # One message is read ahead, no more: a flood is left to the bot's own flow control.
        self._inbox: asyncio.Queue[bytes | Exception] = asyncio.Queue(maxsize=1)
        self._listening = asyncio.create_task(self._listen())

    async def send(self, message: bytes) -> None:
        """Sends a message. Where the stream has ended, `receive` tells how."""
        with suppress(*GONE):
            await self._call.write(message)

    async def receive(self) -> bytes:
        """The next message. Raises LineLost; SeatFault where the bot itself ended the stream.

        May be cancelled without harm: the message is then the next one again.
        """
        item = await self._inbox.get()
        if isinstance(item, Exception):
            raise item
        return item

    def arrived(self) -> bytes | None:
        """The next message, if it is there already."""
        item = None if self._inbox.empty() else self._inbox.get_nowait()
        return item if isinstance(item, bytes) else None

    async def say_farewell(self, message: bytes) -> None:
        """Sends the last message and waits a moment for the bot to close the stream."""
        with suppress(TimeoutError, *GONE):
            async with asyncio.timeout(FAREWELL):
                await self._call.write(message)
                await self._call.done_writing()
                for _ in range(MOST_UNREAD):
                    if self._listening.done():
                        return
                    await self._inbox.get()

    async def hang_up(self) -> None:
        """Ends the stream, whatever its state."""
        self._listening.cancel()
        self._call.cancel()
        await asyncio.wait({self._listening})
        await self._channel.close()

    async def _listen(self) -> None:
        """Puts what comes into the inbox, and at last the reason why nothing more comes."""
        try:
            while (data := await self._call.read()) is not grpc.aio.EOF:
                await self._inbox.put(data)
        except GONE:
            pass  # the call's status tells it
        await self._inbox.put(await self._ending())

    async def _ending(self) -> Exception:
        """Why the stream has ended, as what `receive` is to raise."""
        code, details = await self._call.code(), await self._call.details() or ""
        if code is grpc.StatusCode.UNAUTHENTICATED and self._through_gateway:
            return Interrupted(f"The gateway refused this worker: {details}")
        return how_it_ended(self._address, code, details)


def how_it_ended(address: str, code: grpc.StatusCode, details: str) -> Exception:
    """What `receive` is to raise after the end of a stream to an address."""
    if code is grpc.StatusCode.OK:
        return SeatFault(FaultCode.CLOSED, "The bot ended the stream before the game was over.")
    status = status_words(code, details)
    if code in LOST:
        return LineLost(f"there was no connection to {address} ({status}).")
    if sent_too_much(code, details):
        return SeatFault(FaultCode.PROTOCOL, f"The bot sent too much ({status}).")
    if sent_no_http2(details):
        sentence = f"The bot sent bytes that are no HTTP/2 ({status})."
        return SeatFault(FaultCode.PROTOCOL, sentence)
    sentence = f"The bot ended the stream before the game was over ({status})."
    return SeatFault(FaultCode.CLOSED, sentence, details.encode())


def sent_too_much(code: grpc.StatusCode, details: str) -> bool:
    """Whether gRPC refused what a bot sent; bots may end a stream with the same code."""
    return code is grpc.StatusCode.RESOURCE_EXHAUSTED and any(
        words in details for words in _OVER_LIMIT
    )


def sent_no_http2(details: str) -> bool:
    """Whether gRPC could make nothing of what a bot sent."""
    return _NO_HTTP2 in details


def status_words(code: grpc.StatusCode, details: str) -> str:
    """A stranger's status, cut and fit for a terminal."""
    plain = "".join(c if c.isprintable() else "?" for c in details[:_MOST_DETAILS])
    return f"{code.name}: {plain}"
