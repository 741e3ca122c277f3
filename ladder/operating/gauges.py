"""Export the scheduler's metrics to Prometheus: queue and workers, read from the database."""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.orm import Session, sessionmaker

from ladder.jobs import workers
from ladder.matches.queue import queue_state

REGISTRY: Final = CollectorRegistry()
"""The scheduler's metrics; the worker's are apart, for the scheduler plays no matches."""

REAPED: Final = Counter(
    "santiago_reaped", "Attempts taken back because their worker was dead.", registry=REGISTRY
)


def serve(sessions: sessionmaker[Session], host: str, port: int) -> None:
    """Serve the metrics at /metrics until the process ends."""
    REGISTRY.register(Gauges(sessions))
    start_http_server(port, host, REGISTRY)


class Gauges(Collector):
    """A collector that reads the database at each scrape."""

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions

    def describe(self) -> Iterator[Metric]:
        """Return nothing, so that registering does not read the database."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Read the current values."""
        with self._sessions() as session:
            queue = queue_state(session)
            living = workers.living(session)
        for name, what, counts in (
            ("santiago_queued", "Matches that wait.", queue.queued),
            ("santiago_running", "Matches that are played.", queue.running),
        ):
            gauge = GaugeMetricFamily(name, what, labels=["kind"])
            for kind, count in counts.items():
                gauge.add_metric([kind], count)
            yield gauge
        for name, what, value in (
            (
                "santiago_oldest_waiting_seconds",
                "The age of the oldest match that waits though it may be played.",
                queue.oldest_waiting,
            ),
            ("santiago_failed", "Matches that were given up, ever.", float(queue.failed)),
            ("santiago_workers", "Workers that are alive.", float(len(living))),
            (
                "santiago_places",
                "Matches that the workers play at the same time, at most.",
                float(sum(worker.places for worker in living)),
            ),
            (
                "santiago_worst_lag_seconds",
                "How late the loop of any worker was since its last heartbeat.",
                max((worker.lag_ms for worker in living), default=0) / 1000,
            ),
        ):
            yield GaugeMetricFamily(name, what, value)
