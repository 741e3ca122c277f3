"""Measure how stable the marks of analyses are: `python -m benchmarks marks`.

Decisions are drawn from games between `greedy`, the planner with few looks, and a careless greedy
that plays one move in five by chance, at 2, 3 and 4 seats. Each is judged twice at standard depth,
with different random generators, and once with ten times the looks. It also prints the processor
time a decision beside that of 650 looks of the planner in the same run, and what a stored analysis
takes. It uses the compiled core of the wheel in dist/ if there is one (`make build`); the planner
is pure Python in any case.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Final, Literal, TypedDict

from benchmarks.compiled_core import ROOT, compiled_path, run

DEEPER: Final = 10
_Z: Final = 1.96


class Judged(TypedDict):
    """A decision: its kind, and its marks by two runs and by a deep one."""

    seats: int
    kind: str
    first: str | None
    second: str | None
    deep: str | None


class Figures(TypedDict):
    """What `benchmarks._marks` prints: processor seconds a decision, bytes of stored analyses."""

    core: str
    judged: list[Judged]
    seconds: float
    looks: float
    bytes: list[int]


def main() -> None:
    """Judge the decisions in a process of the compiled core, if there is one."""
    planner = float(run("benchmarks._marks", "planner", path=str(ROOT), capture=True))
    with compiled_path() as compiled:
        told = run("benchmarks._marks", "judge", path=compiled or str(ROOT), capture=True)
    found: Figures = json.loads(told)
    judged = found["judged"]
    print(f"{len(judged)} decisions, engine in {found['core']}")
    _print_agreement("two runs", judged, "second", wanted=0.95)
    _print_agreement(f"a run and {DEEPER} times the looks", judged, "deep", wanted=0.93)
    counts = Counter(one["first"] or "none" for one in judged)
    print("marks: " + ", ".join(f"{mark} {count}" for mark, count in counts.most_common()))
    ratio = found["seconds"] / planner
    print(
        f"processor time a decision: {1000 * found['seconds']:.0f} ms; 650 looks of the planner "
        f"in pure Python: {1000 * planner:.0f} ms ({ratio:.2f} times; wanted: at most 1); "
        f"{found['looks']:.0f} looks on average"
    )
    sizes = sorted(found["bytes"])
    print(f"bytes of a stored analysis, {len(sizes)} games: {sizes[0]} to {sizes[-1]}")


def _print_agreement(
    name: str, judged: Sequence[Judged], other: Literal["second", "deep"], wanted: float
) -> None:
    same = sum(one["first"] == one[other] for one in judged)
    low, high = interval(same, len(judged))
    print(
        f"{name} agree on {same / len(judged):.1%} of marks ({low:.1%} to {high:.1%}; "
        f"wanted: {wanted:.0%})"
    )
    marked = [one for one in judged if one["first"] or one[other]]
    same = sum(one["first"] == one[other] for one in marked)
    print(f"  where either marks: {same} of {len(marked)}")


def interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, "Probable inference", 1927)."""
    share, square = count / of, _Z * _Z / of
    middle = (share + square / 2) / (1 + square)
    reach = _Z * sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return middle - reach, middle + reach
