"""The signals that ask a program to end in good order, and those that have ended one."""

import signal
from contextlib import suppress
from queue import Empty, SimpleQueue


class Flag:
    """A `threading.Event` that the handler of a signal may set.

    Event takes a lock that the main thread may hold when a signal comes: as it begins to wait, or
    in the handler of a signal that came just before. `SimpleQueue.put` is re-entrant.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._woken = SimpleQueue[None]()

    def is_set(self) -> bool:
        """Return True if it is set."""
        return self._is_set

    def set(self) -> None:
        """Set it for good, and wake all who wait."""
        self._is_set = True
        self._woken.put(None)

    def wait(self, timeout: float) -> bool:
        """Wait so many seconds at most; return True if it is set."""
        with suppress(Empty):
            self._woken.get(timeout=max(0.0, timeout))
            self._woken.put(None)  # for the next one who waits
        return self._is_set


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return SIGINT, SIGTERM, and SIGHUP; without the last one if `nohup` has it ignored."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *(() if ignored else (signal.SIGHUP,)))


def how_ended(code: int) -> str:
    """Return how a process ended, by its exit code, which is negative after a signal."""
    if code < 0:
        return f"was ended by a signal ({signal.strsignal(-code)})"
    return f"ended with exit code {code}"
