"""The hub: one thread of the process reads the news of all matches that are watched.

Events come from Redis; the database says which attempt counts and when a match is over. Spectators
wait on the channel of a match, never for Redis or the database.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Final, TypeVar

from flask import Flask, Response, current_app, request
from redis import ConnectionError, Redis, RedisError, TimeoutError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.broker import open_redis
from ladder.errors import TooMany
from ladder.live import game, stream
from ladder.live.game import AttemptStatus
from ladder.matches import reading
from ladder.matches.reading import MatchRow
from ladder.model import MATCH_OVER
from web import limits, security
from web.database import sessions
from web.frames import Seat, You
from web.languages import language
from web.viewer.channel import HEARTBEAT, Channel, FramesSeen, message

_T = TypeVar("_T")

EXTENSION: Final = "santiago.live"

SPECTATORS: Final = 256
"""Streams that one process of the site serves at once; each holds a thread."""
OF_ONE: Final = 64
"""Streams that one visitor may hold of these, so that nobody takes all."""

_WAIT: Final = 0.25  # seconds that Redis waits for news
_PAUSE: Final = 0.1  # seconds between two reads, so that news come in batches
_LOOK: Final = 1.0  # seconds after which the database is asked even without news
_TIMEOUT: Final = 2.0  # seconds for an answer of Redis
_REST: Final = 5.0  # seconds in which no page asks Redis after it did not answer
_RETRY_AFTER: Final = 15  # seconds until a rejected spectator should try again
_BEAT: Final = 10.0  # seconds between heartbeats of a stream
_CHECK: Final = 1.0  # seconds after which a stream checks if the process ends
_RECONNECT: Final = b"retry: 2000\n\n"  # milliseconds until a browser reconnects

_LOG: Final = logging.getLogger(__name__)


def init_app(app: Flask, redis_url: str) -> None:
    """Create the application's hub; it is idle until somebody watches."""
    app.extensions[EXTENSION] = Hub(redis_url, sessions(app))


def hub() -> Hub:
    """Return the hub of the current application."""
    found: Hub = current_app.extensions[EXTENSION]
    return found


class Hub:
    """The channels of this process. The reader thread starts with the first channel."""

    def __init__(self, redis_url: str, sessions: sessionmaker[Session]) -> None:
        self._redis: Redis = open_redis(redis_url, _TIMEOUT)
        self._ask_after = 0.0
        self.serves: Callable[[], bool] = lambda: True
        """Returns False once the process is about to stop; streams then end."""
        self._sessions = sessions
        self._channels: dict[int, Channel] = {}
        self._lock = Lock()
        self._places = limits.Places(SPECTATORS, OF_ONE)
        self._wanted = Event()
        self._thread: Thread | None = None
        self._hears = True
        self._closed = False

    def ask(self, question: Callable[[Redis], _T]) -> _T | None:
        """Return what Redis answers; None if it refuses, is silent, or was some seconds ago.

        So a page waits once at most, whatever it has to ask for.
        """
        if monotonic() < self._ask_after:
            return None
        try:
            answer = question(self._redis)
        except (ConnectionError, TimeoutError) as error:
            self._rest(error)
            return None
        except RedisError:  # such as: no memory is left; who reads gets answers all the same
            return None
        self._hears = True
        return answer

    def channel(self, session: Session, match_id: int) -> Channel:
        """Return the channel of a match that is being played. Raises NotFound for any other."""
        if found := self._channels.get(match_id):
            return found
        session.connection()  # waits for none with the lock: those who wait for that may hold all
        with self._lock:
            found = self._channels.get(match_id)
            if found is None:
                found = self._open(session, match_id)
                if self._thread is None:
                    thread = Thread(target=self._run, name="live", daemon=True)
                    thread.start()  # raises if there is none left; the next one tries again
                    self._thread = thread
                self._channels[match_id] = found
                self._wanted.set()
            return found

    def enter(self, visitor: str = "") -> None:
        """Admit a spectator; count those of a visitor who is named.

        Raises TooMany if all places are taken, or all that one visitor may have.
        """
        if not self._places.take(visitor):
            raise TooMany("too many spectators at the moment: please try again later", _RETRY_AFTER)

    def leave(self, visitor: str = "") -> None:
        """Release a spectator's place."""
        self._places.leave(visitor)

    def spectate(self, channel: Channel, you: You | None = None) -> Response:
        """Return a stream of a channel's news, as server-sent events; it takes a place.

        It begins at ?from= or, if a browser reconnects, at Last-Event-ID. Raises TooMany if all
        places are taken, or all that one visitor may have.
        """
        last_seen = request.headers.get("Last-Event-ID") or request.args.get("from", "")
        visitor = limits.stranger()
        self.enter(visitor)
        channel.watch(begins=True)
        news = self._news(channel, FramesSeen.parse(last_seen), language(), you)
        answer = Response(news, mimetype="text/event-stream")
        answer.call_on_close(lambda: self._leave(channel, visitor))
        return _undelayed(answer)

    def _news(
        self, channel: Channel, seen: FramesSeen, code: str, you: You | None
    ) -> Iterator[bytes]:
        yield _RECONNECT
        word, beat = "", monotonic()
        while self.serves():
            news = channel.news(seen, word, _CHECK, code, you)
            if news is not None:
                text, seen, word = news
                yield text
                beat = monotonic()
                if word in MATCH_OVER or text.startswith(b"event: restart"):
                    return
            elif monotonic() - beat >= _BEAT:
                yield HEARTBEAT
                beat = monotonic()

    def _leave(self, channel: Channel, visitor: str) -> None:
        channel.watch(begins=False)
        self.leave(visitor)

    def close(self) -> None:
        """Stop the reader thread; open streams get no more news."""
        self._closed = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()
        self._redis.close()

    def _open(self, session: Session, match_id: int) -> Channel:
        row = reading.match(session, match_id, named=True)
        standing = AttemptStatus.of(row.state, row.attempt, row.started_at)
        veiled = row.kind == model.MatchKind.LADDER
        channel = Channel(game.layout(session, match_id), seats_of(row), standing, veiled=veiled)
        channel.take(self.ask(lambda redis: stream.read(redis, match_id)) or ())
        return channel

    def _rest(self, error: RedisError) -> None:
        if self._hears:
            _LOG.warning("Redis does not answer: no news of live matches: %s", error)
        self._hears = False
        self._ask_after = monotonic() + _REST

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
                _LOG.warning(
                    "the database does not answer: live matches stand still: %s",
                    model.own_words(error),
                )
            except Exception:
                _LOG.exception("reading the news of live matches failed")
            sleep(max(0.0, began + _PAUSE - monotonic()))

    def _kept(self) -> dict[int, Channel]:
        with self._lock:
            self._channels = {at: one for at, one in self._channels.items() if one.wanted}
            if not self._channels:
                self._wanted.clear()
            return dict(self._channels)

    def _listen(self, channels: dict[int, Channel]) -> dict[int, list[stream.LiveEvent]]:
        came: dict[int, list[stream.LiveEvent]] = defaultdict(list)
        if not channels:
            return came
        after = {match_id: channel.position for match_id, channel in channels.items()}
        try:
            for event in stream.read_many(self._redis, after, wait=_WAIT):
                came[event.match_id].append(event)
            self._hears, self._ask_after = True, 0.0
        except RedisError as error:
            self._rest(error)
            sleep(_LOOK)
        return came

    def _look(self, channels: dict[int, Channel]) -> None:
        with self._sessions() as session:
            found = game.attempt_statuses(session, channels)
        for match_id, channel in channels.items():
            if match_id in found:
                channel.stand(found[match_id], hears=self._hears)


def seats_of(row: MatchRow) -> list[Seat]:
    """Return the seats of a match, which may be named, for the viewer."""
    return [
        {"name": seat.name or "", "version": seat.version or "", "author": seat.author or ""}
        for seat in row.seats
    ]


def last_word(state: str) -> Response:
    """Return a stream that says only how a match that is over stands."""
    body = [_RECONNECT, message("standing", {"word": state})]
    return _undelayed(Response(body, mimetype="text/event-stream"))


def _undelayed(answer: Response) -> Response:
    """Have an answer sent as it is made, and kept by nobody."""
    answer.headers["X-Accel-Buffering"] = "no"  # else nginx delays messages
    return security.no_store(answer)
