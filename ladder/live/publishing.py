"""Publishes events in a thread of its own, so that no game waits for Redis.

Events are gathered for a moment and sent together: one by one each of them would cost the games as
much as what happened in it.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from threading import Event as Signal
from threading import Thread
from time import monotonic
from typing import Final

from redis import Redis, RedisError

from ladder.live.stream import Event, publish

_log = logging.getLogger(__name__)

_WAITING: Final = 10_000  # events that wait at most; more are dropped while Redis is slow or away
_BATCH: Final = 500
_GATHER: Final = 0.05  # seconds


class Publisher:
    """Takes events from any thread and publishes them soon after, in the order in which they came.

    Without Redis events are lost: whoever reads notices by the sequence numbers.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._queue: SimpleQueue[tuple[Event, float] | None] = SimpleQueue()
        self._closing = Signal()
        self._down = False
        self._thread = Thread(target=self._run, name="live", daemon=True)
        self._thread.start()

    def put(self, event: Event, until: float = inf) -> None:
        """Publish soon, but not after `until` by the clock `monotonic`; never waits."""
        if self._queue.qsize() < _WAITING:
            self._queue.put((event, until))
        else:
            self._note(f"more than {_WAITING} live events wait")

    def close(self) -> None:
        """Publish what waits, then end."""
        self._closing.set()
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._queue.get()]
            self._closing.wait(_GATHER)
            with suppress(Empty):
                while len(batch) < _BATCH:
                    batch.append(self._queue.get_nowait())
            now = monotonic()
            self._publish([one[0] for one in batch if one is not None and now < one[1]])
            is_open = None not in batch

    def _publish(self, events: list[Event]) -> None:
        try:
            publish(self._redis, events)
            self._down = False
        except RedisError as error:
            self._note(str(error))

    def _note(self, why: str) -> None:
        """Say it once, not for every event."""
        if not self._down:
            _log.warning("live events are lost: %s", why)
        self._down = True
