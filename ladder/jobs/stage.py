"""The stage of a worker: an event loop in a thread of its own, on which its jobs are done.

gRPC's asyncio lives on one loop. Each job also has a thread of the worker's pool, which talks to
the database and renews the lease while the job is done. Some jobs must be alone on the stage.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager
from threading import Condition, Lock, RLock, Thread
from typing import Any, Final, TypeVar

from ladder.jobs.kinds import Worst
from referee import metrics

_T = TypeVar("_T")
_STOP_TIMEOUT: Final = 5.0  # seconds for jobs to be given back, and for games to hang up
_POLL: Final = 1.0  # seconds after which a waiting thread checks if the worker ends


class Closing(Exception):
    """The worker ends: it begins no more jobs."""


class Stage:
    """The loop of a worker. `renew`: seconds between renewals of the leases of its jobs."""

    def __init__(self, renew: float) -> None:
        self._renew_every = renew
        self._tasks: set[Future[Any]] = set()
        self._lock = RLock()  # a signal may come while the main thread holds it
        self._present = 0
        self._changed = Condition()
        self._gate = Gate()
        self.closing = False
        self.lag = Lag()
        """Measures how late the loop is."""
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="stage", daemon=True)
        self._thread.start()
        self._watching_lag = self._start(metrics.watch_lag(self.lag.note))

    def shared(self) -> AbstractContextManager[None]:
        """Enter the stage beside others for the time of the block. Raises Closing."""
        return self._entered(alone=False, meanwhile=lambda: None)

    def alone(self, meanwhile: Callable[[], None]) -> AbstractContextManager[None]:
        """Enter the stage alone for the time of the block. Raises Closing.

        Until all others have left nobody else enters, and `meanwhile` is called every second.
        """
        return self._entered(alone=True, meanwhile=meanwhile)

    def see_through(self, work: Coroutine[Any, Any, _T], renew: Callable[[], None]) -> _T:
        """Run a coroutine on the loop to its end and return its result; call `renew` meanwhile.

        Raises CancelledError if the worker ends, and what either of them raises.
        """
        task = self._start(work)
        with self._lock:
            self._tasks.add(task)
        if self.closing:
            task.cancel()
        try:
            while not wait([task], self._renew_every).done:
                renew()
            return task.result()
        finally:
            task.cancel()
            with self._lock:
                self._tasks.discard(task)

    def run(self, work: Coroutine[Any, Any, _T], timeout: float) -> _T:
        """Run a short coroutine on the loop and return its result. Raises TimeoutError."""
        task = self._start(work)
        try:
            return task.result(timeout)
        finally:
            task.cancel()

    def stop(self) -> None:
        """Begin nothing more, and cancel what runs. Safe in signal handlers."""
        self.closing = True
        with self._lock:
            tasks = list(self._tasks)
        for task in tasks:
            task.cancel()

    def close(self) -> None:
        """Stop, wait until all jobs are given back, and end the loop. May be called twice."""
        if self._loop.is_closed():
            return
        self.stop()
        with self._changed:
            self._changed.wait_for(lambda: not self._present, _STOP_TIMEOUT)
        self._watching_lag.cancel()
        self._start(_hung_up()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _start(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    @contextmanager
    def _entered(self, *, alone: bool, meanwhile: Callable[[], None]) -> Iterator[None]:
        def wait() -> None:
            self._refuse_at_the_end()
            meanwhile()

        with self._counted(), self._gate.entered(alone=alone, every=_POLL, meanwhile=wait):
            self._refuse_at_the_end()
            yield

    def _refuse_at_the_end(self) -> None:
        if self.closing:
            raise Closing

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count the calling thread as present during the block."""
        with self._changed:
            self._present += 1
        try:
            yield
        finally:
            with self._changed:
                self._present -= 1
                self._changed.notify_all()


async def _hung_up() -> None:
    """Wait until cancelled games have said goodbye to their bots."""
    games = asyncio.all_tasks() - {asyncio.current_task()}
    if games:
        await asyncio.wait(games, timeout=_STOP_TIMEOUT)


class Gate:
    """Lets threads in, either several together or one alone."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside = 0
        self._alone = False  # one is in, and nobody else may be
        self._want_alone = 0

    @contextmanager
    def entered(
        self, *, alone: bool, every: float, meanwhile: Callable[[], None]
    ) -> Iterator[None]:
        """Enter for the time of the block, alone or together with others.

        While there is no room, call `meanwhile` again after `every` seconds; an error that it
        raises ends the wait.
        """
        with self._wish(alone):
            while not self._has_entered(alone, every):
                meanwhile()
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._alone = False
                self._changed.notify_all()

    def _has_entered(self, alone: bool, timeout: float) -> bool:
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
        """Keep others out while a thread wants to be alone, or is."""
        with self._changed:
            self._want_alone += alone
        try:
            yield
        finally:
            with self._changed:
                self._want_alone -= alone
                self._changed.notify_all()


class Lag:
    """Collects how late the loop was; any thread may watch."""

    def __init__(self) -> None:
        self.on_note: Callable[[], None] = lambda: None
        """Called whenever the loop comes round."""
        self._lock = Lock()
        self._watching: set[Worst] = set()

    def note(self, seconds: float) -> None:
        """Record that the loop was late just now."""
        metrics.LAG_SECONDS.observe(seconds)
        self.on_note()
        with self._lock:
            for worst in self._watching:
                worst.seconds = max(worst.seconds, seconds)

    @contextmanager
    def watched(self, worst: Worst) -> Iterator[None]:
        """Keep the worst lag during the block in `worst`."""
        with self._lock:
            self._watching.add(worst)
        try:
            yield
        finally:
            with self._lock:
                self._watching.discard(worst)
