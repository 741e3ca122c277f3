"""The news of all matches that are watched, through one reader for the whole process.

Redis tells what happens, the database which attempt counts and when a match is over. A spectator
waits on the channel of a match: neither for Redis nor for the database.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from threading import BoundedSemaphore, Event, Lock, Thread
from time import monotonic, sleep
from typing import Final

from redis import Redis, RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import live, matches
from ladder.errors import TooMany
from ladder.live import Standing
from web.live.channel import Channel

SPECTATORS: Final = 256
"""Streams that one process of the site serves at once; each holds a thread."""

_WAIT: Final = 0.25  # seconds for which Redis is asked to wait for news
_PAUSE: Final = 0.1  # seconds between readings, so that news come in bundles
_LOOK: Final = 1.0  # seconds after which the database is asked in any case
_PATIENCE: Final = 2.0  # seconds for an answer of Redis
_LATER: Final = 15  # seconds after which to try again

_LOG: Final = logging.getLogger(__name__)


class Hub:
    """The channels of this process. Its thread begins with the first of them."""

    def __init__(self, redis_url: str, sessions: sessionmaker[Session]) -> None:
        self.redis: Redis = Redis.from_url(
            redis_url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE
        )
        self.serves: Callable[[], bool] = lambda: True
        """Whether the process goes on; streams end when it does not."""
        self._sessions = sessions
        self._channels: dict[int, Channel] = {}
        self._lock = Lock()
        self._places = BoundedSemaphore(SPECTATORS)
        self._wanted = Event()
        self._thread: Thread | None = None
        self._hears = True
        self._closed = False

    def channel(self, session: Session, match_id: int) -> Channel:
        """The channel of a match that is being played; raises NotFound for all others."""
        with self._lock:
            found = self._channels.get(match_id)
            if found is None:
                found = self._channels[match_id] = self._open(session, match_id)
                self._wanted.set()
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="live", daemon=True)
                    self._thread.start()
            return found

    def enter(self) -> None:
        """A spectator comes; raises TooMany where there is no place left."""
        if not self._places.acquire(blocking=False):
            raise TooMany("there are too many spectators at the moment: please come later", _LATER)

    def leave(self) -> None:
        """A spectator goes."""
        self._places.release()

    def close(self) -> None:
        """End the reader; streams that still run hear nothing more."""
        self._closed = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()
        self.redis.close()

    def _open(self, session: Session, match_id: int) -> Channel:
        row = matches.match(session, match_id, named=True)
        seats = [{"name": s.name, "version": s.version, "author": s.author} for s in row.seats]
        standing = Standing(matches.State(row.state), row.attempt)
        veiled = row.kind == matches.Kind.LADDER
        channel = Channel(live.layout(session, match_id), seats, standing, veiled=veiled)
        if self._hears:
            try:
                channel.take(live.read(self.redis, match_id))
            except RedisError:
                self._hears = False
        return channel

    def _run(self) -> None:
        looked = 0.0
        while not self._closed:
            self._wanted.wait()
            began = monotonic()
            channels = self._kept()
            try:
                came = self._listen(channels)
                if came or monotonic() - looked >= _LOOK:
                    self._look(channels)
                    looked = monotonic()
                for match_id, events in came.items():
                    channels[match_id].take(events)
            except SQLAlchemyError as error:
                _LOG.warning("the database does not answer: live matches stand still: %s", error)
            except Exception:
                _LOG.exception("the news of live matches")
            sleep(max(0.0, began + _PAUSE - monotonic()))

    def _kept(self) -> dict[int, Channel]:
        with self._lock:
            self._channels = {at: one for at, one in self._channels.items() if one.wanted}
            if not self._channels:
                self._wanted.clear()
            return dict(self._channels)

    def _listen(self, channels: dict[int, Channel]) -> dict[int, list[live.Event]]:
        came: dict[int, list[live.Event]] = defaultdict(list)
        after = {match_id: channel.position for match_id, channel in channels.items()}
        try:
            for event in live.read_many(self.redis, after, wait=_WAIT) if after else ():
                came[event.match_id].append(event)
            self._hears = True
        except RedisError as error:
            if self._hears:
                _LOG.warning("Redis does not answer: no news of live matches: %s", error)
            self._hears = False
            sleep(_LOOK)
        return came

    def _look(self, channels: dict[int, Channel]) -> None:
        with self._sessions() as session:
            found = live.standings(session, channels)
        for match_id, channel in channels.items():
            if match_id in found:
                channel.stand(found[match_id], hears=self._hears)
