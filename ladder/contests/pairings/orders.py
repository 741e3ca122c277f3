"""Who sits behind whom: cyclic orders of tables in which this is as even as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from random import Random
from typing import Final

from ladder.contests.pairings.tables import Table

_PASSES: Final = 12

Neighbours = Counter[tuple[int, int]]
"""How often the first of a pair moved right after the second, in deals."""


def neighbours(order: Table) -> Iterator[tuple[int, int]]:
    """Every bot around a table, with the one before it."""
    return ((bot, order[seat - 1]) for seat, bot in enumerate(order))


def in_even_orders(
    tables: Sequence[Sequence[int]], rng: Random, past: Iterable[Table] = ()
) -> list[Table]:
    """The tables, each in an order such that all sit behind all others about equally often.

    Each table in turn takes the order whose pairs have been the rarest so far, ties by chance, and
    once all have one, thinks it over some times. `past` are orders that have been played before.
    """
    counts: Neighbours = Counter(pair for order in past for pair in neighbours(order))
    chosen: list[Table] = []
    for table in tables:
        chosen.append(_rarest(table, counts, rng))
        counts.update(neighbours(chosen[-1]))
    for _ in range(_PASSES):
        for index in rng.sample(range(len(chosen)), len(chosen)):
            counts.subtract(neighbours(chosen[index]))
            chosen[index] = _rarest(chosen[index], counts, rng)
            counts.update(neighbours(chosen[index]))
    return chosen


def _rarest(table: Sequence[int], counts: Neighbours, rng: Random) -> Table:
    first, *others = table
    orders = [(first, *rest) for rest in permutations(others)]
    rng.shuffle(orders)
    return min(orders, key=lambda order: sum(counts[pair] for pair in neighbours(order)))
