"""The scheduler: finds dead attempts and absent bots, and sends messages for queued matches.

Any number may run at once. Its tasks run right here and not in the queue, where they would wait
behind the very matches that they look after.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from celery import Celery, beat
from celery.schedules import schedule as every
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from sqlalchemy.exc import OperationalError as DatabaseAway
from sqlalchemy.orm import Session, sessionmaker

from ladder import matches, model
from ladder.bots import checking
from ladder.config import Settings
from ladder.contests import matchmaking
from ladder.jobs import attempts, dispatch, workers
from ladder.jobs.celery import celery_app, redis_list, send
from ladder.kinds import KINDS
from ladder.operating import gauges

_log = logging.getLogger(__name__)

_REDIS_TIMEOUT: Final = 5.0  # seconds for an answer from Redis
_TEND_EVERY: Final = 1.0
_FORGET_EVERY: Final = 3600.0


def run_scheduler(settings: Settings) -> None:
    """Look after the queue until SIGTERM or SIGINT. Logging is the caller's."""
    model.check_schema(settings.database_url)
    engine = model.engine(settings.database_url)
    redis = Redis.from_url(settings.redis_url, socket_timeout=_REDIS_TIMEOUT)
    app = celery_app(settings, KINDS.order)
    sessions = model.session_factory(engine)
    if settings.metrics_port:
        gauges.serve(sessions, settings.metrics_host, settings.metrics_port)
    duties = Duties(settings, sessions, redis, app)
    schedule(app, duties.by_pause())
    service = beat.Service(app, max_interval=1, scheduler_cls=InPlace)
    stopped = Event()
    Thread(target=_keep_strengths, args=(sessions, stopped), daemon=True).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: service.stop())
    try:
        service.start()
    finally:
        stopped.set()
        redis.close()
        engine.dispose()


def _keep_strengths(sessions: sessionmaker[Session], stopped: Event) -> None:
    """In a thread: on a large ladder this takes longer than a lease lasts."""
    from ladder.ratings.strength import keep_current  # imports numpy, which takes its time

    keep_current(sessions, stopped)


def schedule(app: Celery, duties: Mapping[Callable[[], None], float]) -> None:
    """Let the beat of the application do each duty again after so many seconds."""
    app.conf.beat_schedule = {
        duty.__name__: {
            "task": f"santiago.{duty.__name__}",
            "schedule": every(pause, nowfun=_steady),
        }
        for duty, pause in duties.items()
    }
    for duty in duties:
        app.task(name=f"santiago.{duty.__name__}", shared=False)(duty)


def _steady() -> datetime:
    """A time that nobody sets: when a clock was set back, beat would else wait for as long."""
    return datetime.fromtimestamp(monotonic(), UTC)


class Duties:
    """What the scheduler does. Any number of schedulers may do it at once."""

    def __init__(
        self, settings: Settings, sessions: sessionmaker[Session], redis: Redis, app: Celery
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._redis = redis
        self._app = app

    def by_pause(self) -> dict[Callable[[], None], float]:
        """Each duty, and the seconds after which it is done again."""
        return {
            self.reap: self._settings.reap_every,
            self.tend: _TEND_EVERY,
            self.dispatch: self._settings.dispatch_every,
            self.match: self._settings.match_every,
            self.forget: _FORGET_EVERY,
        }

    def reap(self) -> None:
        """Take jobs back from dead workers."""
        for kind in KINDS:
            with self._sessions.begin() as session:
                dead = attempts.reap(session, kind)
            if dead:
                gauges.REAPED.inc(len(dead))
                _log.warning("no sign of life: %s %s are taken back", kind.name, dead)

    def tend(self) -> None:
        """Let nobody wait for bots that are away."""
        with self._sessions.begin() as session:
            matches.withdraw(session)
        with self._sessions.begin() as session:
            forfeited = matches.forfeits(session)
        if forfeited:
            _log.warning("bots stayed away: matches %s are forfeited", forfeited)

    def dispatch(self) -> None:
        """Send messages for the jobs that can be done."""
        age = self._settings.message_age
        with self._sessions.begin() as session:
            checking.tend(session)
        with self._sessions() as session:
            waiting = dispatch.waiting(session, KINDS, message_age=age)
        for kind, queue in waiting:
            room = self._room(queue.name)
            if room > 0:
                with self._sessions.begin() as session:
                    due = dispatch.due(session, KINDS, queue.name, limit=room, message_age=age)
                if due:
                    send(self._app, kind.name, queue.name, due)

    def match(self) -> None:
        """Make matches for the ladders."""
        settings = self._settings
        with self._sessions.begin() as session:
            matchmaking.top_up(session, message_age=settings.message_age, pace=settings.ladder_pace)

    def forget(self) -> None:
        """Drop what nobody asks for any more."""
        with self._sessions.begin() as session:
            workers.forget(session)

    def _room(self, queue: str) -> int:
        """How many messages the queue may still take."""
        waiting: int = self._redis.llen(redis_list(queue))
        return max(0, self._settings.dispatch_window - waiting)


class InPlace(beat.Scheduler):
    """Celery's beat, but a task that is due runs at once in this process."""

    producer: Any = None  # beat would otherwise wait for Redis before each task

    def adjust(self, n: float, drift: float = 0.0) -> float:
        """When it is due: beat would wake 10 ms before, and turn in a circle until then."""
        return n + drift

    def apply_entry(self, entry: Any, producer: object = None) -> None:  # noqa: ARG002
        try:
            self.app.tasks[entry.task]()
        except (OperationalError, RedisError) as error:
            _log.warning("%s: Redis is out of reach: %s", entry.name, error)
        except DatabaseAway as error:
            _log.warning("%s: the database does not answer: %s", entry.name, error.orig)
        except Exception:
            _log.exception("%s failed; it is tried again", entry.name)
