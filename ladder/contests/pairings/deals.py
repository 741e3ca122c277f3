"""Deals: a layout that a table plays once in every rotation of its seats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Final

from ladder.contests.pairings.tables import Table

_SEED_BITS: Final = 63  # what a signed 64-bit column holds


@dataclass(frozen=True, slots=True)
class PlannedDeal:
    """A layout, and its matches: each a bot a seat, one match for every rotation of the seats."""

    layout_seed: int
    matches: tuple[Table, ...]


def planned(orders: Iterable[Table], rng: Random) -> tuple[PlannedDeal, ...]:
    """A deal for each order around a table, with a layout of its own."""
    return tuple(PlannedDeal(rng.getrandbits(_SEED_BITS), rotations(order)) for order in orders)


def endless_deals(tables: Sequence[Table], rng: Random) -> Iterator[PlannedDeal]:
    """Deals in rounds, in which each table has one.

    In a deal every bot has every seat once. Who sits behind whom is a cyclic order, drawn anew for
    each deal: a table goes through all its (seats-1)! orders before one comes again. Within a
    round the tables come in random order.
    """
    orders = [_cyclic_orders(table, rng) for table in tables]
    while True:
        rng.shuffle(orders)
        for of_table in orders:
            yield PlannedDeal(rng.getrandbits(_SEED_BITS), rotations(next(of_table)))


def _cyclic_orders(table: Sequence[int], rng: Random) -> Iterator[Table]:
    """All orders around the table in random order, again and again, each with a random start."""
    first, *others = table
    orders = [(first, *rest) for rest in permutations(others)]
    while True:
        rng.shuffle(orders)
        for order in orders:
            start = rng.randrange(len(order))
            yield order[start:] + order[:start]


def rotations(order: Table) -> tuple[Table, ...]:
    """The order from each of its seats on."""
    return tuple(order[shift:] + order[:shift] for shift in range(len(order)))
