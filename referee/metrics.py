"""Counts and times matches in the process that plays them, for Prometheus.

The numbers come from finished replays, so that measuring takes no time during a game. Only the lag
of the event loop is watched as it happens.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from threading import Lock
from time import monotonic
from typing import Final

from prometheus_client import REGISTRY, Counter, Histogram
from prometheus_client.metrics_core import HistogramMetricFamily
from prometheus_client.registry import Collector

from referee.faults import FaultCode
from referee.game import REASON_WORDS
from referee.wire import game_pb2, replay_pb2


class Spread(Collector):
    """A histogram that takes many values at once; one by one, each takes microseconds."""

    def __init__(self, name: str, documentation: str, bounds: Sequence[float]) -> None:
        """`bounds`: the upper ends of the buckets, ascending; `+Inf` is added."""
        self._name, self._documentation, self._bounds = name, documentation, bounds
        self._names = [*map(str, bounds), "+Inf"]
        self._counts = [0] * len(self._names)
        self._sum = 0.0
        self._lock = Lock()
        REGISTRY.register(self)

    def observe(self, values: Sequence[float]) -> None:
        """Count the values."""
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


_THINK: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_OVERHEAD: Final = (0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.05)
_LAG: Final = (0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.3, 1.0)
_WATCH_EVERY: Final = 0.25

MATCHES: Final = Counter("santiago_matches", "Matches played to an end.", ["reason"])
INTERRUPTIONS: Final = Counter("santiago_interruptions", "Attempts that came to no end.", ["why"])
DECISIONS: Final = Counter("santiago_decisions", "Decisions with a choice.", ["by"])
FAULTS: Final = Counter("santiago_faults", "Faults of bots.", ["code"])
THINK_SECONDS: Final = Spread(
    "santiago_think_seconds", "How long bots took for a decision.", _THINK
)
CPU_SECONDS: Final = Spread(
    "santiago_hosted_cpu_seconds", "CPU time that hosted bots took for a decision.", _THINK
)
OVERHEAD_SECONDS: Final = Spread(
    "santiago_overhead_seconds", "What the referee spent on a decision itself.", _OVERHEAD
)
LAG_SECONDS: Final = Histogram(
    "santiago_loop_lag_seconds",
    "How late the event loop was, looked at 4 times a second.",
    buckets=_LAG,
)


def count_match(replay: replay_pb2.Replay) -> dict[str, object]:
    """Count a match that has ended; return it as a line of a structured log.

    Its times are in seconds, its faults `seat: code`. Each entry is looked at once, since the loop
    of the games waits meanwhile.
    """
    chosen, faults = _chosen_and_faults(replay)
    of_bots = [choice for choice in chosen if choice.by == game_pb2.MADE_BY_BOT]
    reason = REASON_WORDS[replay.result.reason]
    codes = {fault.seat: FaultCode(fault.code).word for fault in faults}
    MATCHES.labels(reason).inc()
    DECISIONS.labels("caretaker").inc(len(chosen) - len(of_bots))
    _count_decisions(of_bots)
    for code in codes.values():
        FAULTS.labels(code).inc()
    return {
        "match": replay.match_id,
        "attempt": replay.attempt,
        "reason": reason,
        "ranks": list(replay.result.ranks),
        "decisions": len(chosen),
        "think_seconds": sum(choice.think_us for choice in of_bots) / 1e6,
        "overhead_seconds": sum(choice.overhead_us for choice in of_bots) / 1e6,
        "faults": codes,
    }


def _count_decisions(of_bots: Sequence[replay_pb2.Chosen]) -> None:
    DECISIONS.labels("bot").inc(len(of_bots))
    THINK_SECONDS.observe([choice.think_us / 1e6 for choice in of_bots])
    CPU_SECONDS.observe([choice.cpu_us / 1e6 for choice in of_bots if choice.cpu_us])
    OVERHEAD_SECONDS.observe([choice.overhead_us / 1e6 for choice in of_bots])


def _chosen_and_faults(
    replay: replay_pb2.Replay,
) -> tuple[list[replay_pb2.Chosen], list[game_pb2.Fault]]:
    chosen, faults = [], []
    for entry in replay.entries:
        if entry.HasField("chosen"):
            chosen.append(entry.chosen)
        elif entry.HasField("fault"):
            faults.append(entry.fault)
    return chosen, faults


async def watch_lag(note: Callable[[float], None]) -> None:
    """Call `note` with the lag of the running event loop, in seconds, until cancelled."""
    while True:
        due = monotonic() + _WATCH_EVERY
        await asyncio.sleep(_WATCH_EVERY)
        note(max(0.0, monotonic() - due))
