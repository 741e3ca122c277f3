"""Grants the processors of a host to the hosted bots that think, and looks at these meanwhile.

First come, first served. A bot has one processor, and has it alone. The host keeps itself, and what
it starts besides, off all of them if the machine has another one. One timer looks at all bots that
run, every few milliseconds: one for each decision took a tenth of the host's time for it.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Final

from referee.seats.streamed import Standstill

_LOOK_EVERY: Final = 0.005
Look = Callable[[float], None]
"""Called with the time, by the monotonic clock."""


class Processors:
    """The processors on which hosted bots think."""

    def __init__(self, numbers: Iterable[int]) -> None:
        """`numbers`: as the kernel counts them. Raises ValueError if there is none."""
        self.numbers = tuple(numbers)
        if not self.numbers:
            raise ValueError("Hosted bots need a processor.")
        self._free = list(self.numbers)
        self._waiting: deque[tuple[asyncio.Future[int], int | None]] = deque()

    @property
    def thinking(self) -> int:
        """How many processors are granted."""
        return len(self.numbers) - len(self._free)

    @property
    def waiting(self) -> int:
        """How many bots wait for a processor."""
        return sum(not place.done() for place, _ in self._waiting)

    async def grant(self, former: int | None = None) -> int:
        """Wait for a processor and return its number: `former`, the bot's last one, if free."""
        if self._free:
            return self.take(former)
        place: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((place, former))
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.give_back(place.result())
            raise

    def give_back(self, processor: int) -> None:
        """Grant a processor to the bot that waits longest."""
        self._free.append(processor)
        while self._waiting and self._free:
            place, former = self._waiting.popleft()
            if not place.done():
                place.set_result(self.take(former))

    @property
    def is_free(self) -> bool:
        """Return True if a processor can be taken at once."""
        return bool(self._free)

    def take(self, former: int | None) -> int:
        """Take a processor that is free: `former` if it is."""
        taken = self._free[-1] if former is None or former not in self._free else former
        self._free.remove(taken)
        return taken


def spare(most: int) -> tuple[int, ...]:
    """Return the processors on which at most `most` hosted bots think: the last of this machine's.

    The first ones are for the host itself, and for interrupts, which most machines handle there.
    """
    return tuple(sorted(os.sched_getaffinity(0))[-most:])


def keep_off(processors: Iterable[int]) -> None:
    """Keep this process, and all that it starts, off some processors, if there are others."""
    others = os.sched_getaffinity(0) - set(processors)
    if others:
        os.sched_setaffinity(0, others)


def go_first() -> None:
    """Let this thread run before all bots and other programs, where we may; what it starts doesn't.

    It has little to do at a time, and each decision of a hosted bot waits for it twice.
    """
    with suppress(PermissionError):
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))


class PeriodicLooks(Standstill):
    """Calls each look that was added until it is removed; measures standstills meanwhile."""

    def __init__(self) -> None:
        super().__init__(_LOOK_EVERY)
        self._looks: set[Look] = set()

    def add(self, look: Look) -> None:
        """Call `look` again and again."""
        self._looks.add(look)
        self.begin()

    def remove(self, look: Look) -> None:
        """Call `look` no more."""
        self._looks.remove(look)
        self.end()

    @contextmanager
    def stopwatch(self) -> Iterator[Callable[[], float]]:
        """Yield a function that returns the seconds of the block, without those of standstills."""
        loop = asyncio.get_running_loop()
        began, before = loop.time(), self.seconds
        self.begin()
        try:
            yield lambda: loop.time() - began - (self.seconds - before)
        finally:
            self.end()

    def _measured(self) -> None:
        now = monotonic()
        for look in list(self._looks):
            look(now)
