"""Celery as the ladder uses it: messages are hints that carry an id and may be lost.

There is a queue for each kind of match, and one for checks of new versions. A worker takes what is
in the first of them that holds anything, by name: so the names begin with their place in the order.
"""

from __future__ import annotations

from typing import Final

from celery import Celery
from kombu import Queue

from ladder.config import Settings
from ladder.matches import Kind

PLAY: Final = "santiago.play"
"""The task that plays a match; its one argument is the match's id."""

CHECK: Final = "santiago.check"
"""The task that checks a version; its one argument is the version's id."""

CHECKS: Final = "santiago.0.check"
"""The queue of checks; in Redis a list of that name, as all queues are."""

QUEUES: Final = {kind: f"santiago.{number}.{kind}" for number, kind in enumerate(Kind, 1)}
"""The queues of matches. The first one that holds anything goes before the others."""


def celery_app(settings: Settings, longest: float | None = None) -> Celery:
    """A Celery application on the settings' Redis, without a result backend.

    `longest`: seconds that a task may take. A worker acknowledges late, and what it has not
    acknowledged by then is given to another one; who only sends need not know it.
    """
    transport: dict[str, object] = {"queue_order_strategy": "sorted", "priority_steps": [0]}
    if longest is not None:
        transport["visibility_timeout"] = longest
    app = Celery("santiago", broker=_broker_url(settings.redis_url), set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_queues=[Queue(name, routing_key=name) for name in (CHECKS, *QUEUES.values())],
        task_default_queue=QUEUES[Kind.TOURNAMENT],
        task_ignore_result=True,
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=transport,
    )
    return app


def _broker_url(redis_url: str) -> str:
    """The address as Celery spells it: it calls a Redis on a unix socket `redis+socket`."""
    scheme, separator, rest = redis_url.partition("://")
    return f"redis+socket{separator}{rest}" if scheme == "unix" else redis_url
