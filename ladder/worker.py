"""The worker: one process, no fork, some matches at once.

gRPC and fork do not mix, so the pool is one of threads; they wait while the matches are played on
one event loop. A SIGTERM gives the matches in play back, so that others play them at once.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from typing import Final

from celery.exceptions import Reject, SecurityWarning
from celery.signals import worker_shutting_down
from kombu.transport.redis import Channel, QoS
from prometheus_client import start_http_server
from redis import Redis

from ladder import database
from ladder.celery_app import PLAY, celery_app
from ladder.config import Settings
from ladder.live import Publisher
from ladder.playing import Hall, Play
from ladder.refereeing import referee

_PATIENCE: Final = 5.0  # seconds for an answer from Redis


def run_worker(settings: Settings, play: Play = referee) -> int:
    """Play matches until SIGTERM or SIGINT; the exit status. Logging is the caller's."""
    engine = database.engine(settings.database_url)
    redis = Redis.from_url(settings.redis_url, socket_timeout=_PATIENCE)
    live = Publisher(redis)
    _quieten()
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.metrics_host)
    name = f"{socket.gethostname()}:{os.getpid()}"
    hall = Hall(settings, database.session_factory(engine), live, play, name)
    try:
        return _consume(settings, hall)
    finally:
        hall.close()
        live.close()
        redis.close()
        engine.dispose()


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


def _consume(settings: Settings, hall: Hall) -> int:
    """Take messages until the process is asked to end."""
    Channel.QoS = _Acknowledgements
    app = celery_app(settings)

    @app.task(name=PLAY)
    def play(match_id: int) -> None:
        if not hall.play(match_id):
            raise Reject("the worker ends", requeue=True)

    def stop(**_: object) -> None:
        hall.stop()

    worker_shutting_down.connect(stop)
    worker = app.Worker(
        pool="threads",
        concurrency=settings.places,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    worker.start()
    return int(worker.exitcode or 0)
