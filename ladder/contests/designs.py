"""Design balanced tables for many bots, if every combination would be too many.

A **cyclic design** is a set of base tables over the numbers modulo n, each shifted n times. The
difference of two numbers decides how often they meet and how often one sits behind the other, so
only n - 1 differences have to be balanced, for any number of tables. Source: R. C. Bose, "On the
construction of balanced incomplete block designs", Annals of Eugenics 9 (1939). Simulated annealing
finds the base tables, since exact ones (difference families) don't exist for every n.

**Triangles** are tables of three. The order around a table is a triangle of arrows, from each
number to the one before it. Two numbers need as many arrows as they are to meet, half of them in
each direction, and if that is odd, one more in one of them. Source: D. R. Stinson, "Hill-climbing
algorithms for the construction of combinatorial designs", Annals of Discrete Mathematics 26 (1985).
Each step places a triangle on two arrows that are needed, and removes one that is in the way of the
third: so their number never falls.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from math import ceil, exp
from random import Random
from typing import Final

from ladder.contests.pairings import Table, neighbours

_STEPS: Final = 5_000  # of an annealing
_STEPS_A_TABLE: Final = 150  # so many more for each base table
_TIMES: Final = 3  # annealings, each from where the one before ended
_MEASURE_EVERY: Final = 10  # steps
_HOT: Final = 1.0  # temperature at the start of each annealing; it falls evenly to the next
_COLD: Final = 0.3
_CLIMBS: Final = 20  # tries
_CLIMB_STEPS: Final = 200  # of a try, for each triangle: mostly 5 are enough


def base_tables(n: int, size: int, fewest: int, rng: Random, *, more: int = 0) -> list[Table]:
    """Return at least `fewest` base tables of `size` numbers below `n`, each in seat order.

    Shifted, they let any two numbers meet equally often or once more. If the search fails, it tries
    up to `more` further base tables; else it returns the most even ones. Requires `n` > `size`.
    """
    if not fewest:
        return []
    best = _search(n, size, fewest, rng)
    for further in range(1, more + 1):
        if best.unevenness[0] > 1:
            found = _search(n, size, fewest + further, rng)
            best = min(best, found, key=lambda found: found.unevenness)
    return [tuple(table) for table in best.tables]


def shifted(tables: list[Table], n: int) -> list[list[Table]]:
    """Return the n shifts of each base table; in them every number has every seat once."""
    return [[tuple((bot + by) % n for bot in table) for by in range(n)] for table in tables]


def triangles(n: int, deals: int, rng: Random) -> list[Table]:
    """Return tables of three numbers below `n` (> 3) in seat order; empty if none are found.

    All play equally often. Any two meet in `deals` deals, as few as possible in one more. Each sits
    behind each other one equally often, or once more.
    """
    fewest = ceil(deals * (n - 1) / 2)
    for plays in range(fewest, fewest + 3):  # deals of each number
        if n * plays % 3 == 0:
            for _ in range(_CLIMBS):
                if found := _Triangles(*_wanted(n, deals, plays, rng), rng).climb(n * plays // 3):
                    return rng.sample(found, len(found))
    return []


@dataclass
class _Differences:
    """Base tables, and how often each difference (1 to n - 1) occurs in them."""

    n: int
    tables: list[list[int]]
    far: list[int] = field(init=False)  # between any two of a table
    near: list[int] = field(init=False)  # between neighbours
    unevenness: tuple[int, int] = field(init=False)
    """Largest minus smallest count of the far and of the near differences."""

    def __post_init__(self) -> None:
        self.far, self.near = [0] * self.n, [0] * self.n
        for table in self.tables:
            self.count(table, 1)
        self.measure()

    def measure(self) -> None:
        """Update `unevenness`."""
        far, near = self.far[1:], self.near[1:]
        self.unevenness = max(far) - min(far), max(near) - min(near)

    def count(self, table: list[int], sign: int) -> int:
        """Add (1) or remove (-1) a table; return the change of the sum of squares of all counts.

        A negative difference is that modulo n, as an index of a list of n.
        """
        far, near = self.far, self.near
        counts, before = 0, table[-1]
        for bot in table:
            near[bot - before] += sign
            counts += near[bot - before]
            before = bot
            for other in table:
                if other != bot:
                    far[bot - other] += sign
                    counts += far[bot - other]
        return 2 * sign * counts - len(table) ** 2


def _search(n: int, size: int, count: int, rng: Random) -> _Differences:
    """Find base tables whose differences are as even as annealing makes them."""
    found = _Differences(n, [rng.sample(range(n), size) for _ in range(count)])
    best = replace(found, tables=list(found.tables))
    steps = _STEPS + _STEPS_A_TABLE * count
    for step in range(_TIMES * steps):
        if step % _MEASURE_EVERY == 0:
            found.measure()
            if found.unevenness < best.unevenness:
                best = replace(found, tables=list(found.tables))
            if max(best.unevenness) <= 1:
                break
        _try_a_change(found, _HOT + (_COLD - _HOT) * (step % steps) / steps, rng)
    return best


def _try_a_change(tables: _Differences, heat: float, rng: Random) -> None:
    """Replace a bot or swap two seats; undo the change if the annealing rejects it."""
    index = rng.randrange(len(tables.tables))
    old, far, near = tables.tables[index], tables.far.copy(), tables.near.copy()
    new = _changed(old, rng.randrange(len(old)), rng.randrange(tables.n))
    change = tables.count(old, -1) + tables.count(new, 1)
    if change <= 0 or rng.random() < exp(-change / heat):
        tables.tables[index] = new
    else:
        tables.far, tables.near = far, near


def _changed(table: list[int], seat: int, bot: int) -> list[int]:
    new = list(table)
    if bot in table:
        new[table.index(bot)] = table[seat]
    new[seat] = bot
    return new


def _wanted(n: int, deals: int, plays: int, rng: Random) -> tuple[list[int], list[int]]:
    """Return how often two numbers meet, and how often one may sit behind the other.

    Both lists are indexed by the difference of the two numbers, each of which plays `plays` deals.
    """
    more, middle = divmod(2 * plays - deals * (n - 1), 2)
    once_more = rng.sample(range(1, (n + 1) // 2), more)
    often = {*once_more, *(n - by for by in once_more), *[n // 2] * middle}
    meetings = [deals + (by in often) for by in range(n)]
    return meetings, [(deals + 1 + (by in once_more)) // 2 for by in range(n)]


class _Triangles:
    """The triangles placed so far; see `_wanted` for `meetings` and `most`."""

    def __init__(self, meetings: list[int], most: list[int], rng: Random) -> None:
        self._n, self._meetings, self._most, self._rng = len(most), meetings, most, rng
        self._on: defaultdict[tuple[int, int], list[Table]] = defaultdict(list)
        """The triangles on each arrow."""
        self._open = [[one for one in range(self._n) if one != other] for other in range(self._n)]
        """The numbers that each number has still to meet."""

    def climb(self, count: int) -> list[Table]:
        """Return `count` triangles; empty if the climb did not get there."""
        placed = 0
        for _ in range(_CLIMB_STEPS * count):
            placed += self._step()
            if placed == count:
                return [
                    table for (one, _), on in self._on.items() for table in on if table[0] == one
                ]
        return []

    def _step(self) -> int:
        """Place a triangle on two arrows of a number; return how many more there are, 0 or 1."""
        first = self._rng.randrange(self._n)
        if len(self._open[first]) < 2:
            return 0
        second, third = self._rng.sample(self._open[first], 2)
        if not (self._is_free(second, first) and self._is_free(first, third)):
            return 0
        third_is_free = self._is_free(third, second)
        if not third_is_free:
            self._remove(self._rng.choice(self._on[third, second] or self._on[second, third]))
        self._place((first, second, third))
        return int(third_is_free)

    def _left(self, bot: int, before: int) -> int:
        """Return how many more arrows are needed between the two."""
        placed = len(self._on[bot, before]) + len(self._on[before, bot])
        return self._meetings[bot - before] - placed

    def _is_free(self, bot: int, before: int) -> bool:
        """Return True if another triangle may have this arrow."""
        few = len(self._on[bot, before]) < self._most[bot - before]
        return few and self._left(bot, before) > 0

    def _place(self, table: Table) -> None:
        for bot, before in neighbours(table):
            self._on[bot, before].append(table)
            if not self._left(bot, before):
                self._open[bot].remove(before)
                self._open[before].remove(bot)

    def _remove(self, table: Table) -> None:
        for bot, before in neighbours(table):
            if not self._left(bot, before):
                self._open[bot].append(before)
                self._open[before].append(bot)
            self._on[bot, before].remove(table)
