"""Carries one game between a worker and the bot at a seat of this host.

The bot runs from the grant of a processor until its answer has come, and is frozen otherwise. What
passes are bytes: the host reads no message of a game. If the worker hangs up, the call is
cancelled, and the bot frozen.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message
from grpc import StatusCode

from referee.hosting.seat import KILLED, Seat
from referee.hosting.seats import Seats
from referee.http2.call import Call, connect
from referee.http2.server import Refusal, Stream
from referee.service import MAX_FROM_BOT, PLAY
from referee.wire import host_pb2

_LAST_WITHIN: Final = 0.5
"""Seconds for which a bot may run after its last message."""
_EXITS_WITHIN: Final = 0.1
"""Seconds for which is waited if a program that has ended its stream ends, too."""
_LOST_EXITS_WITHIN: Final = 1.0
"""The same if its connection broke: most often it ends, and a busy machine is slow."""
_TELL_AFTER: Final = 0.005
"""Seconds after the grant at which the worker hears of it, if there is no answer yet."""
_NO_DETAILS: Final = "there was no connection to its socket"
_Sent = TypeVar("_Sent", bound=Message)


async def sit(stream: Stream, seats: Seats) -> None:
    """Serve a call of Sit. Raises Refusal if a message is none, or if there is no such seat."""
    seat = seats.called((await asked(stream, host_pb2.SitRequest)).seat)
    with seat.sat_at():
        await _GameRelay(stream, seat).play()


async def asked(stream: Stream, kind: type[_Sent]) -> _Sent:
    """Return the first message of a call. Raises Refusal."""
    return parsed(await stream.read() or b"", kind)


def parsed(data: bytes, kind: type[_Sent]) -> _Sent:
    """Return what a worker has sent. Raises Refusal."""
    try:
        return kind.FromString(data)
    except DecodeError:
        sentence = f"A message is no {kind.DESCRIPTOR.name}."
        raise Refusal(StatusCode.INVALID_ARGUMENT, sentence) from None


class _GameRelay:
    """One game at a seat: what comes from either side is passed on at once, without a task."""

    def __init__(self, stream: Stream, seat: Seat) -> None:
        self._stream, self._seat = stream, seat
        self._call: Call
        self._runs = False  # the bot has a processor
        self._asked = self._granted = 0.0  # when
        self._told = False  # the worker has heard of the grant
        self._cpu = self._lost = 0.0  # readings at the grant
        self._task: asyncio.Task[None] | None = None  # what has to wait for something
        self._over = asyncio.get_running_loop().create_future()

    async def play(self) -> None:
        """Carry the game until the worker or the bot ends it."""
        call = await connected(self._seat, PLAY)
        if call is None:
            code: int = StatusCode.UNAVAILABLE.value[0]
            await self._say_end(host_pb2.StreamEnd(code=code, details=_NO_DETAILS))
            return
        self._call = call
        try:
            self._stream.on_news, call.on_news = self._hear_worker, self._hear_bot
            self._hear_worker()
            await self._over
        finally:
            self._stream.on_news = call.on_news = None
            if self._task is not None:
                self._task.cancel()
            self._rest()
            call.hang_up()

    def _hear_worker(self) -> None:
        """Take the next message of the worker, unless the one before is not yet answered."""
        if self._runs or self._is_busy:
            return
        data = self._stream.arrived()
        if data is None:
            if self._stream.ended:
                self._end()
            return
        try:
            request = parsed(data, host_pb2.SitRequest)
        except Refusal as refusal:
            self._end(refusal)
            return
        if request.HasField("farewell"):
            self._do(self._part(request.farewell))
            return
        self._asked = monotonic()
        ask = partial(self._ask, request.asked)
        if self._seat.wake_now(ask):
            self._run()
        else:
            self._do(self._run_later(ask))

    async def _run_later(self, ask: Callable[[], None]) -> None:
        await self._seat.wake(ask)
        self._run()

    def _ask(self, message: bytes) -> None:
        """Send a message to the bot, which does not run yet, and so wakes once."""
        self._cpu = self._seat.sandbox.cpu_seconds()
        if not self._call.write_now(message):
            self._do(self._call.write(message))

    def _run(self) -> None:
        """Take that the bot has a processor, and runs, from now on."""
        watch = self._seat.watch
        self._runs, self._told, self._granted = True, False, monotonic()
        self._lost = watch.seconds
        watch.add(self._look)
        self._hear_bot()  # it may have answered more than it was asked before

    def _look(self, now: float) -> None:
        """Tell the worker of the grant if the bot takes a while.

        Most bots answer most questions at once: a message more would take both sides longer.
        """
        if not self._told and now > self._granted + _TELL_AFTER:
            self._told = True
            waited = host_pb2.Granted(waited_us=_micros(self._granted - self._asked))
            self._say(host_pb2.SitResponse(granted=waited))

    def _hear_bot(self) -> None:
        """Pass the bot's answer on, and freeze the bot, unless it was not asked whole yet.

        Frozen, it would not let the rest of the question in, and so would never be asked again.
        """
        if not self._runs or self._is_busy:
            return
        answer, think = self._call.arrived(), monotonic() - self._granted
        if answer is None:
            if self._call.ended is not None:
                self._do(self._say_why())
            return
        lost = self._seat.watch.seconds - self._lost  # this host was late, not the bot
        self._rest()
        cpu = self._seat.sandbox.cpu_seconds() - self._cpu
        response = host_pb2.SitResponse(answer=answer, cpu_us=_micros(cpu))
        response.think_us = _micros(think - lost)
        self._say(response)
        self._hear_worker()

    def _rest(self) -> None:
        if self._runs:
            self._runs = False
            self._seat.watch.remove(self._look)
            self._seat.rest()

    def _say(self, response: host_pb2.SitResponse) -> None:
        message = response.SerializeToString()
        if not self._stream.write_now(message):
            self._do(self._stream.write(message))

    @property
    def _is_busy(self) -> bool:
        return self._task is not None and not self._task.done()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that has to wait, after what is being done."""
        self._task = asyncio.create_task(self._after(self._task, work))

    async def _after(
        self, before: asyncio.Task[None] | None, work: Coroutine[Any, Any, None]
    ) -> None:
        try:
            if before is not None:
                await asyncio.wait({before})
            await work
        except Exception as error:
            self._end(error)
            return
        finally:
            work.close()
        if self._task is asyncio.current_task():
            self._task = None
        if not self._over.done():
            self._hear_worker()
            self._hear_bot()

    async def _say_why(self) -> None:
        """Say why no answer comes, and end the game."""
        ended = self._call.ended
        assert ended is not None
        await self._say_end(host_pb2.StreamEnd(code=ended.code.value[0], details=ended.details))
        self._end()

    async def _say_end(self, ended: host_pb2.StreamEnd) -> None:
        """Say how the bot's stream ended. Raises Refusal if that is not the bot's doing."""
        over = self._seat.over or self._seat.sandbox.over
        if over is not None:
            self._seat.over = over
            response = host_pb2.SitResponse(over=over, banned=self._seat.banned)
        else:
            lost = ended.code == StatusCode.UNAVAILABLE.value[0]
            ended.exited = await exited(self._seat, lost=lost)
            if self._seat.was_killed:
                raise Refusal(StatusCode.UNAVAILABLE, KILLED)
            response = host_pb2.SitResponse(ended=ended)
        await self._stream.write(response.SerializeToString())

    async def _part(self, farewell: bytes) -> None:
        """Send the bot its last message, and let it run for a moment, until it closes its call."""
        self._call.on_news = None
        await self._seat.wake()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WITHIN):
                    await self._call.write(farewell)
                    self._call.done_writing()
                    while await self._call.read() is not None:
                        pass
        finally:
            self._seat.rest()
        self._end()

    def _end(self, error: Exception | None = None) -> None:
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)


async def connected(seat: Seat, method: str) -> Call | None:
    """Call a method of the bot at a seat; None if nobody listens."""
    address = seat.address()
    with suppress(OSError):
        return await connect(address, method, MAX_FROM_BOT) if address is not None else None
    return None


async def exited(seat: Seat, *, lost: bool) -> str:
    """Return how the bot's program has ended; wait a moment, since its socket ends before it.

    It must not be frozen meanwhile: then it would not end.
    """
    until = monotonic() + (_LOST_EXITS_WITHIN if lost else _EXITS_WITHIN)
    while not (how := seat.exited()) and monotonic() < until:
        await asyncio.sleep(0.005)
    return how


def _micros(seconds: float) -> int:
    return max(0, round(seconds * 1e6))
