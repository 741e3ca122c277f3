"""What a stopped sandbox computes is counted, by few looks."""

from threading import Event
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from referee.hosting import usage
from referee.hosting.usage import SandboxLimits, Usage, Watcher
from tests.referee.hosting.hosts import NO_GROUP
from tests.threads import one_too_many

TICK = 0.02
TIMEOUT = 300.0  # seconds


class Stopped:
    """Processes that are stopped, as the watcher sees them at each tick of a clock of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.group, self.killed = NO_GROUP, False
        self.looks, self._now, self._used = 0, 1000.0, 5.0
        monkeypatch.setattr(usage, "monotonic", lambda: self._now)
        fake: Any = self
        self.usage = Usage(fake, SimpleNamespace(), SandboxLimits())  # type: ignore[arg-type]

    def cpu_seconds(self) -> float:
        self.looks += 1
        return self._used

    def kill(self) -> None:
        self.killed = True

    def watch(self, seconds: float, share: float = 0.0) -> float:
        """Let time pass in which they compute on a `share` of a processor; what they computed."""
        before = self._used
        for _ in range(round(seconds / TICK)):
            self.usage.look_at_paused()
            if self.killed:
                break
            self._now += TICK
            self._used += share * TICK
        return self._used - before


def test_who_rests_is_looked_at_ever_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Stopped(monkeypatch)
    stopped.usage.pause()
    stopped.watch(0.1)
    assert 3 <= stopped.looks <= 5
    stopped.watch(100)
    assert stopped.looks <= 20


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_who_computes_on_is_over_the_limit(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    stopped = Stopped(monkeypatch)
    stopped.usage.pause()
    assert stopped.watch(60, share) == pytest.approx(0.2, abs=2 * TICK)
    assert stopped.usage.over == "It computed for more than 0.2 s while it was stopped."


def test_who_computes_on_late_is_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Stopped(monkeypatch)
    stopped.usage.pause()
    stopped.watch(3)
    stopped.watch(60, share=1.0)
    assert stopped.killed


def test_what_is_computed_in_short_pauses_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Stopped(monkeypatch)
    for _ in range(100):
        stopped.usage.pause()
        stopped.watch(0.1, share=0.5)
        stopped.usage.go_on()
        stopped.watch(0.1, share=1.0)  # which they may
    assert stopped.killed


def test_watcher_that_found_no_thread_looks_at_the_next_sandbox() -> None:
    watcher, looked = Watcher(), Event()
    sandbox = Mock(Usage, is_paused=False, look=looked.set)
    with one_too_many("watcher"), pytest.raises(RuntimeError):
        watcher.add(sandbox)
    watcher.add(sandbox)
    try:
        assert looked.wait(TIMEOUT)
    finally:
        watcher.remove(sandbox)


@pytest.mark.parametrize(("look", "rest"), [(0.001, 0.02), (0.015, 0.06), (1.0, 0.1)])
def test_watcher_rests_for_longer_than_it_looks(
    monkeypatch: pytest.MonkeyPatch, look: float, rest: float
) -> None:
    """A bot gets the time again in which its host was late: many processes must not make it so."""
    now, rests = 0.0, list[float]()

    def take_time() -> None:
        nonlocal now
        now += look

    watcher, sandbox = Watcher(), Mock(is_paused=False, look=take_time)
    watcher._watched.add(sandbox)

    class Pause:
        def wait(self, seconds: float) -> None:
            rests.append(seconds)
            watcher.remove(sandbox)

    monkeypatch.setattr(usage, "threading", SimpleNamespace(Event=Pause))
    monkeypatch.setattr(usage, "monotonic", lambda: now)
    watcher._watch()
    assert rests == [pytest.approx(rest)]
