"""Lets a worker call the bot at a seat as any other, for the conformance suite.

A bot runs from each message that it gets until it answers, or until its time for that is over. The
suite asks the host how long it waited for a processor.
"""

import asyncio
from typing import Final

from google.protobuf.message import DecodeError
from grpc import StatusCode

from referee.hosting.game_relay import connected, exited
from referee.hosting.seat import KILLED, Seat
from referee.hosting.seats import NO_SEAT, Seats
from referee.http2.call import Call
from referee.http2.server import Refusal, Stream
from referee.seats.line import LOST
from referee.service import DESCRIBE, LIMIT_KEY, SEAT_KEY
from referee.wire import bot_pb2

_ENDS_WITHIN: Final = 2.0
"""Seconds for which a bot runs after a message that needs no answer."""
_ASKING: Final = ("start", "decision")


async def relay(stream: Stream, seats: Seats) -> None:
    """Serve a call of Describe or Play for the seat in its metadata. Raises Refusal."""
    seat = seats.taken(stream.metadata.get(SEAT_KEY, ""))
    if seat is None:
        raise Refusal(StatusCode.UNAVAILABLE, NO_SEAT)
    call = await connected(seat, stream.method)
    if call is None:
        await stream.read()  # gRPC's client loses the reason if it is writing meanwhile
        raise await _refusal(
            seat, StatusCode.UNAVAILABLE, "Connection refused: the bot does not listen."
        )
    with seat.sat_at():
        try:
            await _Relay(stream, seat, call).run()
        finally:
            call.hang_up()


async def _refusal(seat: Seat, code: StatusCode, details: str) -> Refusal:
    """Return why a call has ended: by a limit, with the bot's program, or as its connection says.

    What ends a program breaks its connection, too, and that says no more than that it broke. A
    worker takes none of `line.LOST` for the bot's: by these its own line to the host breaks.
    """
    if over := seat.over or seat.sandbox.over:
        return Refusal(StatusCode.UNKNOWN, over, [(LIMIT_KEY, "")])
    gone = await exited(seat, lost=True) if code is StatusCode.UNAVAILABLE else None
    if seat.was_killed:
        return Refusal(StatusCode.UNAVAILABLE, KILLED)
    return Refusal(StatusCode.UNKNOWN if code in LOST else code, gone or details)


class _Relay:
    """One call, carried both ways."""

    def __init__(self, stream: Stream, seat: Seat, call: Call) -> None:
        self._stream, self._seat, self._call = stream, seat, call
        self._awake = False
        self._owed = 0  # answers
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Carry messages until the bot ends the call. Raises Refusal if it does with an error."""
        inward = asyncio.create_task(self._inward())
        try:
            while (answer := await self._call.read()) is not None:
                self._owed -= 1
                if self._owed <= 0:
                    self._answered()
                await self._stream.write(answer)
            ended = self._call.ended
            assert ended is not None
            if ended.code is not StatusCode.OK:  # it must not be frozen yet, if it is about to end
                raise await _refusal(self._seat, ended.code, ended.details)
        finally:
            inward.cancel()
            await asyncio.wait({inward})
            self._rest()

    async def _inward(self) -> None:
        while (message := await self._stream.read()) is not None:
            if not self._awake:
                await self._seat.wake()
                self._awake = True
            if self._asks(message):
                self._owed += 1
                self._stop_timer()
            else:
                self._rest_soon()
            await self._call.write(message)
        self._call.done_writing()

    def _asks(self, message: bytes) -> bool:
        if self._stream.method == DESCRIBE:
            return True
        try:
            return bot_pb2.PlayRequest.FromString(message).WhichOneof("message") in _ASKING
        except DecodeError:
            return True

    def _answered(self) -> None:
        """Stop the bot, unless it has still to end the call: Node does so a moment later."""
        if self._stream.method == DESCRIBE:
            self._rest_soon()
        else:
            self._rest()

    def _rest_soon(self) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(_ENDS_WITHIN, self._rest)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rest(self) -> None:
        self._stop_timer()
        if self._awake:
            self._awake = False
            self._seat.rest()
