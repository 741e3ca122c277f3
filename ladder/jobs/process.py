"""The worker as a process: Celery's consumer with threads, and its heartbeats.

gRPC and fork do not mix, so the pool is one of threads; they wait while jobs are done on one event
loop.
"""

import gc
import logging
import signal
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from threading import RLock, Thread
from time import monotonic, sleep
from typing import Any, Final

from celery import Celery, bootsteps
from celery.app import trace
from celery.apps import worker as celery_worker
from celery.exceptions import CPendingDeprecationWarning, Reject, SecurityWarning
from celery.signals import worker_ready, worker_shutting_down
from celery.worker.consumer import Consumer, Tasks
from celery.worker.state import maybe_shutdown
from kombu import Consumer as Messages
from kombu.transport import virtual
from kombu.transport.redis import Channel
from redis import Redis, RedisError, ResponseError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.broker import open_redis
from ladder.config import Settings
from ladder.jobs import room, workers
from ladder.jobs.celery import WORK, celery_app, redis_list
from ladder.jobs.kinds import Kinds, Worst
from ladder.jobs.runner import Runner
from ladder.jobs.stage import Lag
from ladder.model import OUT_OF_REACH, own_words
from ladder.parts import BEAT, Part, Watchdog
from referee.signals import Flag, ending_signals

_log = logging.getLogger(__name__)

MESSAGES: Final = "the loop that takes messages"
"""The watchdog's name for Celery's consumer."""
_NEW_OBJECTS: Final = 20_000
_WRITTEN: Final = "santiago.written"
"""A key that is set only to see if Redis writes."""

Errand = Callable[[Callable[[], bool]], None]
"""Work for the time between heartbeats; it gets a function that returns True while time is left."""


class Heartbeat:
    """Sends heartbeats from its start to its end, and runs an errand between them.

    It has a thread of its own, so that it beats also when all places are taken.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        lag: Lag,
        errand: Errand,
        part: Part,
        watchdog: Watchdog,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._lag = lag
        self._errand = errand
        self._part = part
        self._watchdog = watchdog
        self._ended = Flag()
        self._thread = Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Sign off soon. Safe in signal handlers."""
        self._ended.set()

    def close(self) -> None:
        """Sign off and end."""
        self.stop()
        self._thread.join()

    def _run(self) -> None:
        worst = Worst()
        while not self._ended.is_set():
            self._try(partial(self._beat, worst.milliseconds))
            worst = Worst()
            with self._lag.watched(worst):
                next_beat = monotonic() + min(self._settings.renew, BEAT)
                self._try(partial(self._errand, partial(self._has_time, next_beat)))
                self._ended.wait(next_beat - monotonic())
            self._watchdog.came_round("the heartbeat")
        self._try(self._sign_off)

    def _has_time(self, until: float) -> bool:
        return monotonic() < until and not self._ended.is_set()

    def _try(self, step: Callable[[], None]) -> None:
        """Take a step; whatever fails in it, the next heartbeat comes."""
        try:
            step()
        except SQLAlchemyError as error:
            _log.warning("no heartbeat: %s", own_words(error))
        except Exception:
            _log.exception("a heartbeat failed, or the work between two")

    def _beat(self, lag_ms: int) -> None:
        """Beat, unless the worker stands still in another place: then it is not to count."""
        if duty := self._watchdog.late(self._settings.lease):
            _log.warning("no heartbeat: %s does not come round", duty)
            return
        with self._sessions.begin() as session:
            self._part.beat(session)
            workers.beat(session, self._part.name, places=self._settings.places, lag_ms=lag_ms)

    def _sign_off(self) -> None:
        with self._sessions.begin() as session:
            self._part.sign_off(session)
            workers.sign_off(session, self._part.name)


class InHand(virtual.QoS):
    """The messages that a worker has taken, in its memory alone.

    kombu's own class keeps them in Redis, too, so that another worker gets what a dead one had,
    and fails if its channel has ended, as it does if Redis is lost. Neither is needed: the
    scheduler sends again what is missing, and a message that comes again finds nothing to take.
    """

    restore_at_shutdown = False

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if requeue and not self.channel.closed:
            virtual.Channel._restore(self.channel, self.get(delivery_tag))
        self.ack(delivery_tag)


def consume(
    settings: Settings, kinds: Kinds, runner: Runner, heartbeat: Heartbeat, watchdog: Watchdog
) -> int:
    """Take messages until the process is asked to end; return the exit status.

    A SIGTERM gives the jobs in hand back, so that others do them at once.
    """
    _quieten()
    Channel.QoS = InHand  # type: ignore[assignment]  # not kombu's own for Redis
    app = celery_app(settings, kinds.order)
    app.conf.broker_channel_error_retry = True  # what Redis refuses now it may take later
    add_task(app, runner)

    def stop(**_: object) -> None:
        runner.stage.stop()
        heartbeat.stop()

    def ready(sender: Any, **_: object) -> None:
        sender.hub.on_tick.add(tick)
        # Celery would wait for all jobs to end, without heartbeats, and then start itself anew.
        end = signal.getsignal(signal.SIGTERM) if hang_up else signal.SIG_IGN
        signal.signal(signal.SIGHUP, end)

    tick = partial(watchdog.came_round, MESSAGES)
    apart = {
        redis_list(queue.name): room.part_of(settings.places, queue.part or 1)
        for _, queue in kinds.queues
        if queue.apart
    }
    app.steps["consumer"].add(_step_class(apart))
    hang_up = signal.SIGHUP in ending_signals()
    # Celery's own lock is not re-entrant, and the next signal may come while a handler holds it.
    worker_shutting_down.lock = RLock()  # type: ignore[attr-defined]
    worker_shutting_down.connect(stop)
    worker_ready.connect(ready)
    worker = app.Worker(
        hostname=f"worker@{runner.worker}",  # several may run on one machine
        consumer_cls=_consumer_class(settings.redis_url, settings.places, tick),
        loglevel=logging.getLogger().level,  # Celery would set it, and silence our own lines
        pool="threads",
        concurrency=settings.places + sum(apart.values()),
        exclude_queues=list(apart),
        quiet=True,
        without_heartbeat=True,  # it would block as it tells a Redis that is silent
        without_gossip=True,
        without_mingle=True,
    )
    # When Redis is lost: of messages that it redelivers, which `InHand` does not, and of version 6.
    warnings.simplefilter("ignore", CPendingDeprecationWarning)  # the worker has set it to "always"
    _collect_seldom()
    worker.start()
    return int(worker.exitcode or 0)


def _step_class(places: Mapping[str, int]) -> type[bootsteps.ConsumerStep]:
    """Make the step that takes messages of the queues apart, each up to its number of places.

    It has a channel for each, on which nothing is counted against the worker's other places.
    """

    class Apart(bootsteps.ConsumerStep):
        requires = (Tasks,)

        def start(self, c: Any) -> None:
            self.consumers = [self._consumer(c, name, most) for name, most in places.items()]
            for consumer in self.consumers:
                consumer.consume()

        def _consumer(self, c: Any, name: str, most: int) -> Messages:
            channel, queues = c.connection.channel(), [c.app.amqp.queues[name]]
            made: Messages = c.app.amqp.TaskConsumer(
                channel, queues, on_decode_error=c.on_decode_error
            )
            made.on_message = c.create_task_handler()
            made.qos(prefetch_count=most)
            return made

    return Apart


def _consumer_class(redis_url: str, places: int, tick: Callable[[], None]) -> type[Consumer]:
    """Make the class of Celery's consumer: it waits for a Redis that answers and writes.

    Meanwhile it calls `tick` every second. It takes no more messages than there are `places`; the
    pool has more threads.
    """

    class Ticking(Consumer):
        max_prefetch_count = places

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options | {"initial_prefetch_count": places})

        def ensure_connected(self, conn: Any) -> Any:
            ensure = conn.ensure_connection

            def ensure_connection(*arguments: Any, callback: Callable[[], None]) -> Any:
                def waiting() -> None:
                    tick()
                    callback()

                return ensure(*arguments, callback=waiting)

            conn.ensure_connection = ensure_connection
            tick()
            connected = super().ensure_connected(conn)
            _wait_for_writes(redis_url, tick)
            return connected

    return Ticking


def _wait_for_writes(redis_url: str, tick: Callable[[], None]) -> None:
    """Wait until Redis writes again, if its disk or memory is full; say so once.

    Celery would end the worker, or connect again and again.
    """
    refused = False
    with closing(open_redis(redis_url)) as redis:
        while why := _refusal(redis):
            if not refused:
                _log.error("Redis refuses to write, so no job begins until it does: %s", why)
            refused = True
            maybe_shutdown()
            tick()
            sleep(1.0)
    if refused:
        _log.info("Redis writes again")


def _refusal(redis: Redis) -> str:
    """Return why Redis does not write; "" if it does, or does not answer."""
    try:
        redis.set(_WRITTEN, 1, ex=1)
    except ResponseError as error:
        return str(error)
    except RedisError:  # the consumer notices, and waits for the connection
        pass
    return ""


def add_task(app: Celery, runner: Runner) -> None:
    """Let the application's task WORK do jobs by `runner`.

    If the database is out of reach, the scheduler sends another message once it is back.
    """

    @app.task(name=WORK, shared=False)
    def work(kind: str, subject: int) -> None:
        try:
            takes_work = runner.work(kind, subject)
        except OUT_OF_REACH as error:
            why = own_words(error)
            _log.warning("%s %d is left to a later attempt: %s", kind, subject, why)
            return
        if not takes_work:
            raise Reject("the worker ends", requeue=True)


def _quieten() -> None:
    """Silence Celery's two lines for every message, and what it prints beside the log."""
    for name in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # With a traceback, when a message goes back since the worker ends.
    trace.log_policy_reject = trace.log_policy_ignore
    # On a signal, to stdout, whatever form the log has.
    celery_worker.safe_say = lambda *_: None  # type: ignore[attr-defined]  # no types for it
    # Celery warns of running as root for the sake of pickle, which no message here may hold.
    warnings.simplefilter("ignore", SecurityWarning)


def _collect_seldom() -> None:
    """Collect cyclic garbage seldom: it is rare, and the search took 5 % of a worker's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
