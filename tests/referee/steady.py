"""A loop's time of the test's own: it passes only while all tasks wait, or as the test says."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class Time:
    """What the running loop takes for the time. A machine that stands still does not move it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop: Any = asyncio.get_running_loop()
        self._now = loop.time()
        self._select = loop._selector.select
        monkeypatch.setattr(loop, "time", lambda: self._now)
        monkeypatch.setattr(loop._selector, "select", self._wait)

    def pass_by(self, seconds: float) -> None:
        """So long the loop stands still, where this is called by it."""
        self._now += seconds

    def _wait(self, timeout: float | None = None) -> Any:
        """What is ready; where nothing is, the next timer's time has come at once."""
        ready = self._select(0)
        if not ready and timeout:
            self._now += timeout
        return ready or self._select(0 if timeout is not None else None)


@contextmanager
def steady_loop() -> Iterator[Time]:
    """Lets the running loop have such a time during the block. As it ends it needs a real one."""
    with pytest.MonkeyPatch.context() as patch:
        yield Time(patch)
