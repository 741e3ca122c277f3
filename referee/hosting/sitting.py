"""Carries one game between a worker and the bot at a seat of this host.

The bot runs from the grant of a processor until its answer has come, and is frozen otherwise. What
passes are bytes: the host reads no message of a game. If the worker hangs up, the call is
cancelled, and the bot frozen.
"""

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Final

from grpc import StatusCode

from referee.hosting.seats import Seat, Seats
from referee.http2.call import Call, connect
from referee.http2.server import Refusal, Stream
from referee.seats.deadline import MOST_LAG, standstill
from referee.service import MAX_FROM_BOT, PLAY
from referee.wire import host_pb2

_LAST_WITHIN: Final = 0.5
"""Seconds for which a bot may run after its last message."""
_NO_DETAILS: Final = "there was no connection to its socket"


async def sit(stream: Stream, seats: Seats) -> None:
    """Serve a call of Sit. Raises Refusal if there is no such seat."""
    first = await stream.read()
    name = host_pb2.SitRequest.FromString(first or b"").seat
    seat = seats.taken(name)
    if seat is None:
        raise Refusal(StatusCode.NOT_FOUND, "There is no such seat (any more).")
    seat.sitting += 1
    try:
        await _carry(stream, seat)
    finally:
        seat.left_by_one()


async def _carry(stream: Stream, seat: Seat) -> None:
    call = await connected(seat, PLAY)
    if call is None:
        ended = host_pb2.StreamEnd(code=StatusCode.UNAVAILABLE.value[0], details=_NO_DETAILS)
        await _end(stream, seat, ended)
        return
    try:
        while (data := await stream.read()) is not None:
            request = host_pb2.SitRequest.FromString(data)
            if request.HasField("farewell"):
                await _part(call, seat, request.farewell)
                return
            if not await _ask(stream, call, seat, request.asked):
                return
    finally:
        call.hang_up()


async def connected(seat: Seat, method: str) -> Call | None:
    """Call a method of the bot at a seat; None if nobody listens."""
    address = seat.address()
    with suppress(OSError):
        return await connect(address, method, MAX_FROM_BOT) if address is not None else None
    return None


async def _ask(stream: Stream, call: Call, seat: Seat, asked: bytes) -> bool:
    """Let the bot answer a message; return False if its stream has ended."""
    waits = monotonic()
    await seat.wake()
    granted, still = monotonic(), standstill()
    still.begin()
    lost = still.seconds
    try:
        before = seat.sandbox.cpu_seconds()
        await call.write(asked)
        note = host_pb2.Granted(waited_us=_micros(granted - waits))
        await stream.write(host_pb2.SitResponse(granted=note).SerializeToString())
        answer = await call.read()
        think = monotonic() - granted
        lost = still.seconds - lost  # this host was late, not the bot
        if answer is None:
            await _end(stream, seat, _stream_end(call))
            return False
    finally:
        still.end()
        seat.rest()
    response = host_pb2.SitResponse(
        answer=answer,
        cpu_us=_micros(seat.sandbox.cpu_seconds() - before),
        think_us=_micros(think - lost if lost > MOST_LAG else think),
    )
    await stream.write(response.SerializeToString())
    return True


async def _end(stream: Stream, seat: Seat, ended: host_pb2.StreamEnd) -> None:
    """Say why no answer comes."""
    over = seat.over or seat.sandbox.over
    if over is not None:
        seat.over = over
        response = host_pb2.SitResponse(over=over)
    else:
        ended.exited = await _exit(seat)
        response = host_pb2.SitResponse(ended=ended)
    await stream.write(response.SerializeToString())


async def _exit(seat: Seat) -> str:
    """Return how the bot's program has ended; wait a moment, since its socket ends before it.

    It must not be frozen meanwhile: then it would not end.
    """
    until = monotonic() + 0.1
    while not (exited := seat.exited()) and monotonic() < until:
        await asyncio.sleep(0.005)
    return exited


async def _part(call: Call, seat: Seat, farewell: bytes) -> None:
    """Send the bot its last message, and let it run for a moment, until it closes its stream."""
    await seat.wake()
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WITHIN):
                await call.write(farewell)
                call.done_writing()
                while await call.read() is not None:
                    pass
    finally:
        seat.rest()


def _stream_end(call: Call) -> host_pb2.StreamEnd:
    assert call.ended is not None
    code: int = call.ended.code.value[0]
    return host_pb2.StreamEnd(code=code, details=call.ended.details)


def _micros(seconds: float) -> int:
    return max(0, round(seconds * 1e6))
