"""How late the event loop was at worst, for all who want to know, each since its own beginning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from referee import metrics


class Worst:
    """The longest that the loop stood still so far, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @property
    def milliseconds(self) -> int:
        """The same in whole milliseconds."""
        return round(1000 * self.seconds)


class Lag:
    """Is told each lag as it is found; any thread may watch."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watching: set[Worst] = set()

    def note(self, seconds: float) -> None:
        """The loop was so late just now."""
        metrics.LAG_SECONDS.observe(seconds)
        with self._lock:
            for worst in self._watching:
                worst.seconds = max(worst.seconds, seconds)

    @contextmanager
    def watched(self) -> Iterator[Worst]:
        """What is noted within the block."""
        worst = Worst()
        with self._lock:
            self._watching.add(worst)
        try:
            yield worst
        finally:
            with self._lock:
                self._watching.discard(worst)
