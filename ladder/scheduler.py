"""The scheduler: finds dead attempts and sends messages for queued matches, again and again.

Any number may run at once. Its tasks run right here and not in the queue, where they would wait
behind the very matches that they look after.
"""

from __future__ import annotations

import logging
import signal
from typing import Any, Final

from celery import Celery, beat
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from sqlalchemy.orm import Session, sessionmaker

from ladder import database, matches
from ladder.celery_app import PLAY, QUEUE, celery_app
from ladder.config import Settings

_log = logging.getLogger(__name__)

REAP: Final = "santiago.reap"
DISPATCH: Final = "santiago.dispatch"

_PATIENCE: Final = 5.0  # seconds for an answer from Redis


def run_scheduler(settings: Settings) -> None:
    """Look after the queue until SIGTERM or SIGINT. Logging is the caller's."""
    engine = database.engine(settings.database_url)
    redis = Redis.from_url(settings.redis_url, socket_timeout=_PATIENCE)
    app = celery_app(settings)
    add_tasks(app, settings, database.session_factory(engine), redis)
    app.conf.beat_schedule = {
        "reap": {"task": REAP, "schedule": settings.reap_every},
        "dispatch": {"task": DISPATCH, "schedule": settings.dispatch_every},
    }
    service = beat.Service(app, max_interval=1, scheduler_cls=_InPlace)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: service.stop())
    try:
        service.start()
    finally:
        redis.close()
        engine.dispose()


def add_tasks(
    app: Celery, settings: Settings, sessions: sessionmaker[Session], redis: Redis
) -> None:
    """Give the application the tasks of the scheduler."""

    @app.task(name=REAP)
    def reap() -> None:
        with sessions.begin() as session:
            dead = matches.reap(session)
        if dead:
            _log.warning("no sign of life: matches %s are taken back", dead)

    @app.task(name=DISPATCH)
    def dispatch() -> None:
        waiting: Any = redis.llen(QUEUE)
        room = settings.dispatch_window - waiting
        if room <= 0:
            return
        with sessions.begin() as session:
            due = matches.due(session, limit=room, message_age=settings.message_age)
        for match_id in due:
            app.send_task(PLAY, (match_id,), retry=False)


class _InPlace(beat.Scheduler):
    """Celery's beat, but a task that is due runs at once in this process."""

    producer: Any = None  # beat would otherwise wait for Redis before each task

    def apply_entry(self, entry: Any, producer: object = None) -> None:  # noqa: ARG002
        try:
            self.app.tasks[entry.task]()
        except (OperationalError, RedisError) as error:
            _log.warning("%s: Redis is out of reach: %s", entry.name, error)
        except Exception:
            _log.exception("%s failed; it is tried again", entry.name)
