"""A histogram for Prometheus that takes many values at once: one by one each costs microseconds."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from threading import Lock

from prometheus_client import REGISTRY
from prometheus_client.metrics_core import HistogramMetricFamily
from prometheus_client.registry import Collector


class Spread(Collector):
    """How many values were at most so great, for each of the bounds, which ascend."""

    def __init__(self, name: str, documentation: str, bounds: Sequence[float]) -> None:
        self._name, self._documentation, self._bounds = name, documentation, bounds
        self._names = [*map(str, bounds), "+Inf"]
        self._counts = [0] * len(self._names)
        self._sum = 0.0
        self._lock = Lock()
        REGISTRY.register(self)

    def observe(self, values: Sequence[float]) -> None:
        """Counts all of them."""
        counts, bounds = self._counts, self._bounds
        with self._lock:
            for value in values:
                counts[bisect_left(bounds, value)] += 1
            self._sum += sum(values)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        with self._lock:
            reached, total = list(accumulate(self._counts)), self._sum
        buckets = list(zip(self._names, reached, strict=True))
        yield HistogramMetricFamily(self._name, self._documentation, buckets, total)
