"""Who is in: any number together, or one alone.

Who wants to be alone waits until the others have left, and meanwhile nobody else comes in: so it
has its turn, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition


class Gate:
    """For threads. Whoever has come in leaves once."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside = 0
        self._alone = False  # one is in, and nobody else may be
        self._want_alone = 0

    def enter(self, *, alone: bool, every: float, meanwhile: Callable[[], None]) -> None:
        """Come in, alone or together with others.

        While there is no room `meanwhile` is called `every` so many seconds; what it raises ends
        the wait.
        """
        with self._wish(alone):
            while not self._entered(alone, every):
                meanwhile()

    def leave(self) -> None:
        """Go out again."""
        with self._changed:
            self._inside -= 1
            self._alone = False
            self._changed.notify_all()

    def _entered(self, alone: bool, timeout: float) -> bool:
        with self._changed:
            if not self._changed.wait_for(lambda: self._has_room(alone), timeout):
                return False
            self._inside += 1
            self._alone = alone
            return True

    def _has_room(self, alone: bool) -> bool:
        return not self._inside if alone else not (self._alone or self._want_alone)

    @contextmanager
    def _wish(self, alone: bool) -> Iterator[None]:
        """Others wait while somebody wants to be alone, or is."""
        with self._changed:
            self._want_alone += alone
        try:
            yield
        finally:
            with self._changed:
                self._want_alone -= alone
                self._changed.notify_all()
