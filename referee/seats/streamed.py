"""Seats whose bot answers on a stream: the news that it gets, its time, and the last message.

While a bot's time runs, the event loop is watched. If it stood still, the bot gets that time again
instead of a time-out: only a loop that stood still for some seconds, and for longer than the whole
limit, cannot judge anybody. So no bot gains anything by letting its time run out when the referee
is busy, not even one that has spent its bank and has half a second for each move.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableMapping
from types import TracebackType
from typing import Final, Generic, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

from referee.errors import Interrupted
from referee.faults import Fault
from referee.game import Game
from referee.seats import protocol
from referee.seats.player import GameOver, Invitation
from referee.wire import bot_pb2

MOST_LAG: Final = 0.05
"""Seconds for which the loop may stand still in a bot's time without giving it back."""
LEAST_EXCUSE: Final = 5.0
"""Seconds up to which a loop that stood still judges, however little time the bot had: on a machine
with twice as much to do as it can, half a second is often lost within half a second."""
_LOOK_EVERY: Final = 0.02
_PUNCTUAL: Final = 0.005
"""Seconds by which a timer may be late although the loop did not stand still."""

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_FEWEST_PAUSES: Final = 10
"""A pause is at most this part of the time that the bot has, so that it is noticed in time."""


def pauses(timeout: float) -> Iterator[float]:
    """Yield the seconds to wait before each new call of a bot whose line was lost.

    They double, up to a part of `timeout`, the seconds that there are: calls in vain must not cost
    the referee more than a bot that is silent.
    """
    pause = _FIRST_PAUSE
    longest = min(_LONGEST_PAUSE, timeout / _FEWEST_PAUSES)
    while True:
        yield pause
        pause = max(pause, min(2 * pause, longest))


class _Closable(Protocol):
    async def hang_up(self) -> None: ...


LineT = TypeVar("LineT", bound=_Closable)


class StreamedSeat(ABC, Generic[LineT]):
    """A seat with one stream at a time, its line, and what was sent and answered on it."""

    def __init__(self) -> None:
        self._invitation: Invitation | None = None
        self._line: LineT | None = None  # on which the bot has accepted the game
        self._answered: int | None = None  # the last decision
        self._sent = 0  # how many of the game's events were sent on this line
        self._farewell: asyncio.Task[None] | None = None
        self._deadline = Deadline()

    def dismiss(self, game: Game, fault: Fault) -> None:
        self._part(game, bot_pb2.PlayRequest(fault=fault.message()).SerializeToString())

    def end(self, game: Game, over: GameOver) -> None:
        self._part(game, protocol.end_request(over).SerializeToString())

    async def leave(self) -> None:
        self._deadline.close()
        try:
            if self._farewell is not None:
                await asyncio.wait({self._farewell})
        finally:
            await self._hang_up()

    @abstractmethod
    def _part(self, game: Game, last: bytes) -> None:
        """Send the last message in the background, if the bot can get it."""

    def _with_news(self, game: Game, request: bytes) -> bytes:
        """Return an encoded PlayRequest with all events that were not yet sent on this line."""
        news = game.encoded_events(self._sent)
        self._sent += len(news)
        return b"".join((*news, request))

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.hang_up()


class Standstill:
    """Measures how long an event loop stood still; it looks only while somebody needs it."""

    def __init__(self, every: float = _LOOK_EVERY) -> None:
        """Look `every` so many seconds."""
        self._every = every
        self._seconds = 0.0
        self._due: float | None = None  # when the next look should be, if there is one
        self._users = 0

    @property
    def seconds(self) -> float:
        """All that was measured so far; differences between two readings count."""
        if self._due is not None:
            late = asyncio.get_running_loop().time() - self._due
            if late > _PUNCTUAL:
                self._seconds += late
                self._due += late
        return self._seconds

    def begin(self) -> None:
        """Go on looking until `end`."""
        self._users += 1
        if self._due is None:
            self._wait()

    def end(self) -> None:
        """Look no more, unless somebody else needs it."""
        self._users -= 1

    def _look(self) -> None:
        _ = self.seconds
        self._due = None
        self._measured()
        if self._users:
            self._wait()

    def _measured(self) -> None:
        """Do what is to be done at each look."""

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + self._every
        loop.call_at(self._due, self._look)


_STANDSTILLS: Final[MutableMapping[asyncio.AbstractEventLoop, Standstill]] = WeakKeyDictionary()


def standstill() -> Standstill:
    """Return the measure of the running loop."""
    loop = asyncio.get_running_loop()
    measure = _STANDSTILLS.get(loop)
    if measure is None:
        measure = _STANDSTILLS[loop] = Standstill()
    return measure


class Deadline:
    """Limit one block after another, as `asyncio.timeout` does; one task at a time enters a block.

    Few limits are ever reached, so one timer serves many blocks: if it rings before the limit of
    the current block, it is set again. A timer for each decision took 20 of its 300 microseconds.
    """

    def __init__(self) -> None:
        self.lag = 0.0
        """Seconds for which the loop stood still in the current or last block."""
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._limit = 0.0
        self._due: float | None = None  # by the loop's clock; None outside a block
        self._cancelling = 0
        self._passed = False
        self._standstill: Standstill | None = None
        self._before = 0.0  # reading of `_standstill` up to which time was given back

    @property
    def judges(self) -> bool:
        """Return False if the loop stood still for too long."""
        return self.lag <= max(self._limit, LEAST_EXCUSE)

    def blame_no_bot(self, limit: float) -> None:
        """Raise Interrupted if the loop stood still for too long; the bot had the `limit`."""
        if not self.judges:
            raise Interrupted(
                f"The referee lagged for {self.lag:.3f} s while a bot had {round(limit, 3):g} s."
            )

    def within(self, seconds: float) -> Self:
        """Limit the next block to `seconds`; it raises TimeoutError if it takes longer."""
        loop = asyncio.get_running_loop()
        self._limit, self._due = seconds, loop.time() + seconds
        if self._timer is None or self._timer.when() > self._due:
            self.close()
            self._timer = loop.call_at(self._due, self._ring)
        return self

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._passed = False
        self._standstill = self._standstill or standstill()
        self._standstill.begin()
        self._before, self.lag = self._standstill.seconds, 0.0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._standstill is not None
        self._standstill.end()
        task, self._task, self._due = self._task, None, None
        if not self._passed or task is None:
            return
        if task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _ring(self) -> None:
        self._timer = None
        if self._due is None or self._task is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._due or self._prolonged(loop.time()):
            self._timer = loop.call_at(self._due, self._ring)
        else:
            self._passed = True
            self._task.cancel()

    def _prolonged(self, now: float) -> bool:
        """Give back the time for which the loop stood still; return False if there is none."""
        assert self._standstill is not None
        assert self._due is not None
        lost = self._standstill.seconds - self._before
        if lost <= MOST_LAG:
            return False
        self._before += lost
        self.lag += lost
        self._due = max(self._due + lost, now + MOST_LAG)
        return self.judges
