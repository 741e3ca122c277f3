"""Serve what Prometheus reads: numbers of a process, gauges of queues, workers and hosts.

A process serves them at /metrics, on a port of its own; the gauges come from the database.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.analyses import queue as analyses
from ladder.analyses.job import ANALYSIS
from ladder.config import METRICS_HOST, METRICS_PORT, Settings
from ladder.errors import SettingsError
from ladder.jobs import workers
from ladder.matches.queue import QueueState, queue_state
from ladder.model import Worker
from ladder.operating import hosting

_log: Final = logging.getLogger(__name__)


def serve_metrics(settings: Settings, registry: CollectorRegistry = REGISTRY) -> None:
    """Serve a registry until the process ends, if the settings name a port.

    Raises SettingsError that says where nothing can listen, and why.
    """
    if not settings.metrics_port:
        return
    try:
        start_http_server(settings.metrics_port, settings.metrics_host, registry)
    except OSError as error:
        raise SettingsError(cannot_listen(settings, settings.metrics_port, error)) from None


def cannot_listen(settings: Settings, port: int, error: OSError) -> str:
    """Return the sentence that says why there are no metrics on a port."""
    return (
        f"the metrics cannot be at {settings.metrics_host}:{port} ({error.strerror}): choose "
        f"another {METRICS_PORT} or {METRICS_HOST}"
    )


class Gauges(Collector):
    """A collector that reads the database at each scrape."""

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions

    def describe(self) -> Iterator[Metric]:
        """Return nothing, so that registering does not read the database."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Read the current values; yield nothing if the database does not answer."""
        try:
            with self._sessions() as session:
                queue = queue_state(session)
                analysed = analyses.queue_state(session)
                living = workers.living(session)
                hosts = hosting.hosts(session)
        except model.OUT_OF_REACH as error:
            _log.warning("no gauges: the database does not answer: %s", model.own_words(error))
            return
        yield from _by_kind(queue, analysed)
        for name, (description, value) in {
            **_queue_values(queue, analysed),
            **_worker_values(living),
            **_host_values(hosts),
        }.items():
            yield GaugeMetricFamily(name, description, value)


_Values = dict[str, tuple[str, float]]
"""The description and the value of gauges, by name."""


def _by_kind(queue: QueueState, analysed: analyses.AnalysisQueue) -> Iterator[Metric]:
    """Yield the gauges that count jobs by kind."""
    for name, description, counts, of_analyses in (
        ("santiago_queued", "Matches, and analyses, that wait.", queue.queued, analysed.waiting),
        ("santiago_running", "Matches, and analyses, under way.", queue.running, analysed.running),
    ):
        gauge = GaugeMetricFamily(name, description, labels=["kind"])
        for kind, count in counts.items():
            gauge.add_metric([kind], count)
        gauge.add_metric([ANALYSIS], of_analyses)
        yield gauge


def _queue_values(queue: QueueState, analysed: analyses.AnalysisQueue) -> _Values:
    return {
        "santiago_oldest_waiting_seconds": (
            "The age of the oldest match that waits though it may be played.",
            queue.oldest_waiting,
        ),
        "santiago_failed": ("Matches that were given up, ever.", float(queue.failed)),
        "santiago_analyses_failed": ("Analyses given up.", float(analysed.failed)),
    }


def _worker_values(living: Sequence[Worker]) -> _Values:
    return {
        "santiago_workers": ("Workers that are alive.", float(len(living))),
        "santiago_places": (
            "Matches that the workers play at the same time, at most.",
            float(sum(worker.places for worker in living)),
        ),
        "santiago_worst_lag_seconds": (
            "How late the loop of any worker was since its last heartbeat.",
            max((worker.lag_ms for worker in living), default=0) / 1000,
        ),
    }


def _host_values(hosts: Sequence[hosting.Host]) -> _Values:
    taking = float(sum(host.there for host in hosts))
    missing = float(sum(not host.there and not host.draining for host in hosts))
    return {
        "santiago_hosts": ("Hosts that take work.", taking),
        "santiago_hosts_missing": ("Hosts in trouble or out of sight.", missing),
        "santiago_sandboxes": ("Sandboxes on all hosts.", _sum(hosts, "sandboxes")),
        "santiago_builds": ("Builds under way on all hosts.", _sum(hosts, "builds")),
        "santiago_host_cache_bytes": ("What hosts have cached.", _sum(hosts, "cache_bytes")),
    }


def _sum(hosts: Sequence[hosting.Host], field: str) -> float:
    return float(sum(getattr(one, field) for one in hosts))
