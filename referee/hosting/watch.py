"""Looks at the bots that run, every few milliseconds: one timer for all of them.

A timer for each decision took a tenth of the host's time for it.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final

_EVERY: Final = 0.005
_LATE: Final = 0.005
"""Seconds by which a look may be late although the loop did not stand still."""

Look = Callable[[float], None]
"""Called with the time, by the monotonic clock."""


class Watch:
    """Calls each look that was added until it is removed."""

    def __init__(self) -> None:
        self.lost = 0.0
        """Seconds for which this process stood still while it watched; differences count."""
        self._looks: set[Look] = set()
        self._due: float | None = None  # of the next look; None if nobody is watched

    def add(self, look: Look) -> None:
        """Call `look` again and again."""
        self._looks.add(look)
        if self._due is None:
            self._wait()

    def remove(self, look: Look) -> None:
        """Call `look` no more."""
        self._looks.discard(look)

    def standstill(self) -> float:
        """Return all seconds so far for which this process stood still."""
        if self._due is not None and (late := monotonic() - self._due) > _LATE:
            self.lost += late
            self._due += late
        return self.lost

    def _wait(self) -> None:
        self._due = monotonic() + _EVERY
        asyncio.get_running_loop().call_later(_EVERY, self._look)

    def _look(self) -> None:
        self.standstill()
        self._due = None
        now = monotonic()
        for look in list(self._looks):
            look(now)
        if self._looks:
            self._wait()
