"""Clocks: a limit for each move, a bank for the whole game, and the timer that rings."""

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from referee.rules.pieces import LAST_TURN

_DECISIONS_A_TURN: Final = 32


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of each seat, in seconds. Raises ValueError if nobody could play on such a clock."""

    move_limit: float = 10.0
    """The longest that one move may take."""
    bank: float = 60.0
    """The time for the whole game."""
    increment: float = 0.5
    """Added to the bank before each decision."""
    start_up: float = 10.0
    """The time to accept the game, from the first dial: what a bot has to get ready."""

    def __post_init__(self) -> None:
        if not (0 < self.move_limit <= 3600 and 0 <= self.bank <= 36000):
            raise ValueError("A clock needs a move limit up to 3600 s and a bank up to 36000 s.")
        if not 0 <= self.increment <= 60 or self.bank + self.increment <= 0:
            raise ValueError("A clock needs an increment from 0 to 60 s, and some time at all.")
        if not 0 < self.start_up <= 600:
            raise ValueError("A clock needs a start-up time up to 600 s.")

    def longest_match(self, seats: int) -> float:
        """Seconds after which no match on this clock can still go on, whatever its bots do.

        A turn has at most 32 decisions: 5 of its own, 7 rolls, 3 gifts to El Zorro, and 17 in a
        delivery round of at most 13 units.
        """
        return self.start_up + seats * self.bank + self.increment * _DECISIONS_A_TURN * LAST_TURN


class SeatClock:
    """The time that one seat has left."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.bank = clock.bank
        """Seconds left in the bank."""

    def start_move(self) -> float:
        """Adds the increment; returns the seconds that this move may take."""
        self.bank += self._clock.increment
        return min(self._clock.move_limit, self.bank)

    def end_move(self, seconds: float) -> None:
        """Takes what the move has used from the bank."""
        self.bank = max(0.0, self.bank - seconds)


class Deadline:
    """Like `asyncio.timeout`, for one block after another; one task at a time enters a block.

    Few limits are ever reached, so one timer serves many: one that rings before the limit of the
    block that stands is set again. A timer for each decision took 20 of its 300 microseconds.
    """

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._due: float | None = None  # by the loop's clock; None outside of a block
        self._cancelling = 0
        self._passed = False

    def within(self, seconds: float) -> Self:
        """Limit the next block to `seconds`; it raises TimeoutError if it takes longer."""
        loop = asyncio.get_running_loop()
        self._due = loop.time() + seconds
        if self._timer is None or self._timer.when() > self._due:
            self.close()
            self._timer = loop.call_at(self._due, self._ring)
        return self

    def close(self) -> None:
        """Lets go of the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._passed = False
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        if loop.time() < self._due:
            self._timer = loop.call_at(self._due, self._ring)
        else:
            self._passed = True
            self._task.cancel()
