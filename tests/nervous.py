"""Signals that come at the worst moment: before each step of what must not mind them."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def signals_at_every_step(number: int) -> Iterator[None]:
    """During the block the signal comes before each instruction of the functions it calls."""

    def strike(frame: FrameType, *_: object) -> Any:
        frame.f_trace_opcodes = True
        signal.raise_signal(number)
        return strike

    before = sys.gettrace()
    sys.settrace(strike)
    try:
        yield
    finally:
        sys.settrace(before)


def come_again() -> None:
    """Let each signal that this process hears come again at every step of its handler."""
    install = signal.signal

    def install_nervous(number: int, handler: Any) -> Any:
        return install(number, nervous(handler) if callable(handler) else handler)

    signal.signal = install_nervous  # type: ignore[assignment]


def nervous(handler: Callable[[int, FrameType | None], object]) -> Callable[..., None]:
    """The handler, to which its signal comes again at every step, unless it has come again."""

    def hear(number: int, frame: FrameType | None) -> None:
        if sys.gettrace():
            handler(number, frame)
            return
        with signals_at_every_step(number):
            handler(number, frame)

    return hear
