"""Celery as the ladder uses it: messages are hints that carry a job's name, and may be lost.

Each queue of a kind of job is a queue of Celery's, and a worker takes from the first one that is
not empty. Operators name the application from outside, with the environment alone:
`celery -A ladder.jobs.celery inspect ping`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from celery import Celery
from kombu import Queue
from kombu.exceptions import BatchPublishError, OperationalError  # type: ignore[attr-defined]
from kombu.utils.scheduling import priority_cycle

from ladder import broker
from ladder.config import Settings

WORK: Final = "santiago.work"
"""The task that does a job; its arguments are the job's kind and the id of its subject."""


def celery_app(settings: Settings, queues: Sequence[str] = ()) -> Celery:
    """Make a Celery application on the settings' Redis, without a result backend.

    `queues`: the names of the queues, the most urgent first; needed only to work and to send.
    """
    names = [redis_list(queue) for queue in queues]
    transport = broker.transport_options()
    transport |= {"queue_order_strategy": _in_order(names), "priority_steps": [0]}
    made = Celery("santiago", broker=_broker_url(settings.redis_url), set_as_current=False)
    made.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_queues=[Queue(name, routing_key=name) for name in names] or None,
        task_ignore_result=True,
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=transport,
    )
    return made


def redis_list(queue: str) -> str:
    """Return the key of a queue, a list in Redis."""
    return f"santiago.{queue}"


def send(app: Celery, kind: str, queue: str, subjects: Iterable[int]) -> None:
    """Send a message for each of these jobs, all in one command. Raises kombu's OperationalError.

    One by one kombu would make a client of Redis for each, which takes longer than to send it.
    """
    name = redis_list(queue)
    try:
        with app.producer_or_acquire() as producer, producer.batch():
            for subject in subjects:
                app.send_task(WORK, (kind, subject), queue=name, retry=False, producer=producer)
    except BatchPublishError as error:
        raise OperationalError(str(error.__cause__)) from error


def _in_order(names: Sequence[str]) -> type[object]:
    """Make the strategy by which a worker looks into its queues: always in this order.

    kombu hands the queues over in no order, together with those of replies.
    """

    rank = {name: number for number, name in enumerate(names)}

    class InOrder(priority_cycle):  # type: ignore[type-arg]
        def update(self, it: Iterable[str]) -> None:
            super().update(sorted(it, key=lambda name: rank.get(name, len(rank))))

    return InOrder


def _broker_url(redis_url: str) -> str:
    """Spell the address as Celery does: a Redis on a unix socket is `redis+socket`."""
    scheme, separator, rest = redis_url.partition("://")
    return f"redis+socket{separator}{rest}" if scheme == "unix" else redis_url


def __getattr__(name: str) -> Any:
    """Make `app` from the environment when `celery -A ladder.jobs.celery` asks for it."""
    if name == "app":
        return celery_app(Settings.from_environment())
    raise AttributeError(name)
