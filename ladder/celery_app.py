"""Celery as the ladder uses it: messages are hints that carry a match's id and may be lost."""

from __future__ import annotations

from typing import Final

from celery import Celery

from ladder.config import Settings

PLAY: Final = "santiago.play"
"""The task that plays a match; its one argument is the match's id."""

QUEUE: Final = "santiago.matches"
"""The queue of matches; in Redis a list of that name."""

_VISIBILITY: Final = (
    12 * 3600
)  # seconds; far above the longest match, whose worker acknowledges late


def celery_app(settings: Settings) -> Celery:
    """A Celery application on the settings' Redis, without a result backend."""
    app = Celery("santiago", broker=_broker_url(settings.redis_url), set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_default_queue=QUEUE,
        task_ignore_result=True,
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={"visibility_timeout": _VISIBILITY},
    )
    return app


def _broker_url(redis_url: str) -> str:
    """The address as Celery spells it: it calls a Redis on a unix socket `redis+socket`."""
    scheme, separator, rest = redis_url.partition("://")
    return f"redis+socket{separator}{rest}" if scheme == "unix" else redis_url
