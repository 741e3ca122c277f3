"""Rest the garbage collector while a tree grows: a tree has no cycles, and the visits cost 30 %."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Rest:
    """Counts who wants the collector to rest: the first one stops it, the last one starts it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._was_enabled = False

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._was_enabled:
                gc.enable()


_REST = _Rest()


@contextmanager
def garbage_collector_rests() -> Iterator[None]:
    """Keep the garbage collector from running in the `with` block, in whichever threads."""
    _REST.begin()
    try:
        yield
    finally:
        _REST.end()
