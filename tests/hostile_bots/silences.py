"""Bots that keep the others waiting."""

import os
import signal
import threading
from collections.abc import Iterator

from tests.hostile_bots.speech import LONG, Context, Request, honest


def silent(request: Request, context: Context) -> Iterator[bytes]:
    """Goes on reading, but says nothing."""
    yield from ()


def deaf(request: Request, context: Context) -> Iterator[bytes]:
    """Neither reads nor says anything until the referee has hung up."""
    _wait_for_the_end(context, LONG)
    yield from ()


def late(request: Request, context: Context) -> Iterator[bytes]:
    """The right answer, half a second after the time is over."""
    _wait_for_the_end(context, request.decision.time_left_ms / 1000 + 0.5)
    yield from honest(request, context)


def freezes(request: Request, context: Context) -> Iterator[bytes]:
    """Its process stands still, and its connection stays open."""
    os.kill(os.getpid(), signal.SIGSTOP)
    yield from ()


def _wait_for_the_end(context: Context, seconds: float) -> None:
    over = threading.Event()
    if context.add_callback(over.set):
        over.wait(seconds)
