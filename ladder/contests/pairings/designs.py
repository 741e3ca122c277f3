"""Balanced tables for many bots, where every combination would be too many.

A cyclic design: some base tables over the numbers modulo n, each shifted n times. How often two
bots meet depends on the difference of their numbers alone, and so does how often one sits behind
the other. So only n - 1 differences have to be evened out, for any number of tables.

Source of the method: R. C. Bose, "On the construction of balanced incomplete block designs",
Annals of Eugenics 9 (1939). The base tables are found here by simulated annealing, since exact
ones (difference families) do not exist for every n.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp
from random import Random
from typing import Final

from ladder.contests.pairings.tables import Table

_STEPS: Final = 5_000
_STEPS_A_TABLE: Final = 150
_TIMES: Final = 3
_LOOK_EVERY: Final = 10
_HOT: Final = 1.0  # the heat of the annealing when it starts, each time; it cools evenly
_COLD: Final = 0.3


def base_tables(n: int, size: int, fewest: int, rng: Random, *, more: int = 0) -> list[Table]:
    """At least `fewest` base tables of `size` numbers below `n`, in an order around the table.

    Shifted, they let any two numbers meet equally often or once more. Where that is not found,
    up to `more` further base tables are tried; else the most even ones will do. `n` > `size`.
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
    """For each base table, its n shifts; in them every number sits on every seat once."""
    return [[tuple((bot + by) % n for bot in table) for by in range(n)] for table in tables]


@dataclass
class _Differences:
    """Base tables, and how often each difference (from 1 to n - 1) occurs in them."""

    n: int
    tables: list[list[int]]
    far: list[int] = field(init=False)  # between any two of a table
    near: list[int] = field(init=False)  # between neighbours
    unevenness: tuple[int, int] = field(init=False)
    """Of the far and of the near ones: how much more often the most frequent occurs."""

    def __post_init__(self) -> None:
        self.far, self.near = [0] * self.n, [0] * self.n
        for table in self.tables:
            self.count(table, 1)
        self.look()

    def look(self) -> None:
        """Bring `unevenness` up to date."""
        far, near = self.far[1:], self.near[1:]
        self.unevenness = max(far) - min(far), max(near) - min(near)

    def count(self, table: list[int], sign: int) -> float:
        """Add a table or take one away; by how much the sum of all squares changes."""
        change = 0.0
        for seat, bot in enumerate(table):
            self.near[(bot - table[seat - 1]) % self.n] += sign
            change += 2 * sign * self.near[(bot - table[seat - 1]) % self.n] - 1
            for other in table:
                if other != bot:
                    self.far[(bot - other) % self.n] += sign
                    change += 2 * sign * self.far[(bot - other) % self.n] - 1
        return change


def _search(n: int, size: int, count: int, rng: Random) -> _Differences:
    """Base tables whose differences are as even as annealing makes them."""
    found = _Differences(n, [rng.sample(range(n), size) for _ in range(count)])
    best = replace(found, tables=list(found.tables))
    steps = _STEPS + _STEPS_A_TABLE * count
    for step in range(_TIMES * steps):
        if step % _LOOK_EVERY == 0:
            found.look()
            if found.unevenness < best.unevenness:
                best = replace(found, tables=list(found.tables))
            if max(best.unevenness) <= 1:
                break
        _try_a_change(found, _HOT + (_COLD - _HOT) * (step % steps) / steps, rng)
    return best


def _try_a_change(found: _Differences, heat: float, rng: Random) -> None:
    """Put another bot on a seat, or let two change theirs; take it back where that is no good."""
    index = rng.randrange(len(found.tables))
    old = found.tables[index]
    new = _changed(old, rng.randrange(len(old)), rng.randrange(found.n))
    change = found.count(old, -1) + found.count(new, 1)
    if change <= 0 or rng.random() < exp(-change / heat):
        found.tables[index] = new
    else:
        found.count(new, -1)
        found.count(old, 1)


def _changed(table: list[int], seat: int, bot: int) -> list[int]:
    new = list(table)
    if bot in table:
        new[table.index(bot)] = table[seat]
    new[seat] = bot
    return new
