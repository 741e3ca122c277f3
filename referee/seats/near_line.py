"""A line to a bot on this machine, without gRPC's own client: see `referee.http2`."""

import asyncio
from contextlib import suppress

from referee.http2.call import Call
from referee.http2.connecting import connect
from referee.seats.line import FAREWELL, MOST_UNREAD, LineLost, how_it_ended
from referee.service import MAX_FROM_BOT, PLAY


async def dial_near(address: str) -> "NearLine":
    """A line to the bot at an address of this machine. Raises LineLost."""
    try:
        return NearLine(address, await connect(address, PLAY, MAX_FROM_BOT))
    except OSError as error:
        raise LineLost(f"there was no connection to {address} ({error}).") from None


class NearLine:
    """A stream `Play`, as `referee.seats.line.Line` is one."""

    def __init__(self, address: str, call: Call) -> None:
        self._address = address
        self._call = call

    async def send(self, message: bytes) -> None:
        """Sends a message. Where the stream has ended, `receive` tells how."""
        await self._call.write(message)

    async def receive(self) -> bytes:
        """The next message. Raises LineLost; SeatFault where the bot itself ended the stream.

        May be cancelled without harm: the message is then the next one again.
        """
        message = await self._call.read()
        if message is None:
            raise self._ending()
        return message

    def arrived(self) -> bytes | None:
        """The next message, if it is there already."""
        return self._call.arrived()

    async def say_farewell(self, message: bytes) -> None:
        """Sends the last message and waits a moment for the bot to close the stream."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                await self._call.write(message)
                self._call.done_writing()
                for _ in range(MOST_UNREAD):
                    if await self._call.read() is None:
                        return

    async def hang_up(self) -> None:
        """Ends the stream, whatever its state."""
        self._call.hang_up()
        await self._call.gone()

    def _ending(self) -> Exception:
        ended = self._call.ended
        assert ended is not None
        return how_it_ended(self._address, ended.code, ended.details)
