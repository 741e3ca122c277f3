"""Tables of three for many bots, such that all sit behind all others about equally often.

An order around a table is a triangle of arrows, from each number to the one before it. Between two
numbers as many arrows are wanted as they are to meet: half of them in either direction, and where
that is odd, one more in one of them.

Source of the method: D. R. Stinson, "Hill-climbing algorithms for the construction of combinatorial
designs", Annals of Discrete Mathematics 26 (1985). Each step lays a triangle on two arrows that are
wanted, and takes up one that lies in the way of the third: so there are never fewer.
"""

from __future__ import annotations

from collections import defaultdict
from math import ceil
from random import Random
from typing import Final

from ladder.contests.pairings.orders import neighbours
from ladder.contests.pairings.tables import Table

_TRIES: Final = 20
_STEPS: Final = 200  # of a try, for each triangle: mostly 5 are enough


def triangles(n: int, deals: int, rng: Random) -> list[Table]:
    """Tables of three numbers below `n`, each in an order; none where they are not found. `n` > 3.

    All play equally often. Any two meet in `deals` deals, or one more for as few as can be; and one
    sits behind the other as often as any, or once more.
    """
    fewest = ceil(deals * (n - 1) / 2)
    for plays in range(fewest, fewest + 3):  # how often each number does
        if n * plays % 3 == 0:
            for _ in range(_TRIES):
                if found := _Layout(*_wanted(n, deals, plays, rng), rng).climb(n * plays // 3):
                    return rng.sample(found, len(found))
    return []


def _wanted(n: int, deals: int, plays: int, rng: Random) -> tuple[list[int], list[int]]:
    """By the difference of two numbers, such that each plays so often: how often they meet, and how
    often at most the one sits behind the other."""
    more, middle = divmod(2 * plays - deals * (n - 1), 2)
    once_more = rng.sample(range(1, (n + 1) // 2), more)
    often = {*once_more, *(n - by for by in once_more), *[n // 2] * middle}
    meetings = [deals + (by in often) for by in range(n)]
    return meetings, [(deals + 1 + (by in once_more)) // 2 for by in range(n)]


class _Layout:
    """The triangles that lie; see `_wanted` for `meetings` and `most`."""

    def __init__(self, meetings: list[int], most: list[int], rng: Random) -> None:
        self._n, self._meetings, self._most, self._rng = len(most), meetings, most, rng
        self._on: defaultdict[tuple[int, int], list[Table]] = defaultdict(list)
        """By arrow: the triangles on it."""
        self._open = [[one for one in range(self._n) if one != other] for other in range(self._n)]
        """By number: those with whom it is to meet yet."""

    def climb(self, count: int) -> list[Table]:
        """So many triangles; empty where that was not reached."""
        lying = 0
        for _ in range(_STEPS * count):
            lying += self._step()
            if lying == count:
                return [
                    table for (one, _), on in self._on.items() for table in on if table[0] == one
                ]
        return []

    def _step(self) -> int:
        """Lay a triangle on two arrows from and to a number; how many more lie then."""
        first = self._rng.randrange(self._n)
        if len(self._open[first]) < 2:
            return 0
        second, third = self._rng.sample(self._open[first], 2)
        if not (self._free(second, first) and self._free(first, third)):
            return 0
        way_is_free = self._free(third, second)
        if not way_is_free:
            self._take_up(self._rng.choice(self._on[third, second] or self._on[second, third]))
        self._lay((first, second, third))
        return int(way_is_free)

    def _left(self, one: int, other: int) -> int:
        """How many arrows between the two are wanted yet."""
        lying = len(self._on[one, other]) + len(self._on[other, one])
        return self._meetings[one - other] - lying

    def _free(self, one: int, before: int) -> bool:
        few = len(self._on[one, before]) < self._most[one - before]
        return few and self._left(one, before) > 0

    def _lay(self, table: Table) -> None:
        for one, before in neighbours(table):
            self._on[one, before].append(table)
            if not self._left(one, before):
                self._open[one].remove(before)
                self._open[before].remove(one)

    def _take_up(self, table: Table) -> None:
        for one, before in neighbours(table):
            if not self._left(one, before):
                self._open[one].append(before)
                self._open[before].append(one)
            self._on[one, before].remove(table)
