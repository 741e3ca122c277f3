"""The worker: one process, no fork, some matches at once.

gRPC and fork do not mix, so the pool is one of threads; they wait while the matches are played on
one event loop. A SIGTERM gives the matches in play back, so that others play them at once.
"""

from __future__ import annotations

import gc
import logging
import os
import secrets
import socket
import warnings
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Final

from celery.exceptions import Reject, SecurityWarning
from celery.signals import worker_shutting_down
from kombu.transport.redis import Channel, QoS
from prometheus_client import start_http_server
from redis import Redis
from sqlalchemy.orm import Session, sessionmaker

from ladder import matches, model
from ladder.bots import examining
from ladder.celery_app import CHECK, PLAY, celery_app
from ladder.config import Settings
from ladder.live.stream import Publisher
from ladder.worker.checks import Checks, Examine
from ladder.worker.heart import Heart, LookFor
from ladder.worker.looking import look_for
from ladder.worker.playing import Hall, Play
from ladder.worker.refereeing import referee

_PATIENCE: Final = 5.0  # seconds for an answer from Redis
_NEW_OBJECTS: Final = 20_000
_SPARE: Final = 60.0  # seconds that a task may take beyond what it does


@dataclass(frozen=True, slots=True)
class Trades:
    """What a worker does for its living."""

    play: Play = referee
    examine: Examine = examining.run_check
    look_for: LookFor = look_for


def run_worker(settings: Settings, trades: Trades | None = None) -> int:
    """Play matches until SIGTERM or SIGINT; the exit status. Logging is the caller's."""
    trades = trades or Trades()
    model.check_schema(settings.database_url)
    _quieten()
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.metrics_host)
    # Not the process id alone: in a container every worker may have the same.
    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(2)}"
    with ExitStack() as stack:
        engine = model.engine(settings.database_url)
        stack.callback(engine.dispose)
        sessions = model.session_factory(engine)
        redis = Redis.from_url(settings.redis_url, socket_timeout=_PATIENCE)
        live = stack.enter_context(closing(Publisher(stack.enter_context(closing(redis)))))
        hall = stack.enter_context(closing(Hall(settings, sessions, live, trades.play, name)))
        checks = Checks(settings, sessions, hall.stage, trades.examine)
        heart = Heart(settings, sessions, hall.stage, trades.look_for, name)
        stack.enter_context(closing(heart))
        return _consume(settings, _longest(sessions), hall, checks, heart)


def _longest(sessions: sessionmaker[Session]) -> float:
    """Seconds that a task may take, by all clocks that are in use when the worker starts.

    Where a longer one comes later, a message may come twice, and the second finds nothing to take.
    """
    with sessions() as session:
        return max(matches.longest(session), examining.LONGEST) + _SPARE


def _quieten() -> None:
    """Two lines from Celery for every message would hide what an operator looks for."""
    for name in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # Celery warns of running as root for the sake of pickle, which no message here may hold.
    warnings.simplefilter("ignore", SecurityWarning)


class _Acknowledgements(QoS):
    """Acknowledgements that outlive their channel, which ends where Redis is lost.

    kombu 5.7 would then put messages back or acknowledge them on the closed channel, and end the
    worker by an AttributeError. Neither is needed: the scheduler sends again what is missing, and
    a message that comes again finds nothing to take.
    """

    restore_at_shutdown = False

    def ack(self, delivery_tag: str) -> None:
        if not self.channel.closed:
            super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not self.channel.closed:
            super().reject(delivery_tag, requeue=requeue)


def _consume(settings: Settings, longest: float, hall: Hall, checks: Checks, heart: Heart) -> int:
    """Take messages until the process is asked to end."""
    Channel.QoS = _Acknowledgements
    app = celery_app(settings, longest)

    @app.task(name=PLAY)
    def play(match_id: int) -> None:
        if not hall.play(match_id):
            raise Reject("the worker ends", requeue=True)

    @app.task(name=CHECK)
    def check(version_id: int) -> None:
        if not checks.make(version_id):
            raise Reject("the worker ends", requeue=True)

    def stop(**_: object) -> None:
        hall.stop()
        heart.stop()

    worker_shutting_down.connect(stop)
    worker = app.Worker(
        loglevel=logging.getLogger().level,  # Celery would set it, and silence our own lines
        pool="threads",
        concurrency=settings.places,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    _collect_seldom()
    worker.start()
    return int(worker.exitcode or 0)


def _collect_seldom() -> None:
    """Garbage in cycles is rare here, and to look for it took a twentieth of a worker's time: what
    is there from the start is never looked at, and the rest after so many new objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
