"""SIGINT, SIGTERM and SIGHUP end a command between two steps, never in the middle of one.

So no process is started that nobody will end, and a second Ctrl-C does not spoil the clearing up.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Pause = Callable[[float], None]
"""Waits for so many seconds; raises Stopped where the command is to end."""


class Stopped(Exception):
    """The command was asked to end; `exit_code` is what a shell expects then."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Ended by {signal.Signals(number).name}.")
        self.exit_code = 128 + number


class _Stopping:
    """Notes a signal; raises Stopped at the next pause, or at once in one."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._pausing = False

    def note(self, number: int, _: FrameType | None = None) -> None:
        self._number = number
        if self._pausing:
            raise Stopped(number)

    def pause(self, seconds: float) -> None:
        self._pausing = True
        try:
            if self._number is not None:
                raise Stopped(self._number)
            sleep(seconds)
        finally:
            self._pausing = False


@contextmanager
def stoppable() -> Iterator[Pause]:
    """A block in which the command ends only at a `pause`; then it exits with the signal's code."""
    stopping = _Stopping()
    before = {number: signal.signal(number, stopping.note) for number in _SIGNALS}
    try:
        yield stopping.pause
    except Stopped as stopped:
        sys.exit(stopped.exit_code)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
