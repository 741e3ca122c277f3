"""Who plays whom: round robins for tables of two, three and four. Pure; luck is handed in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from random import Random
from typing import Final

from ladder.errors import Refused

TABLE_SIZES: Final = (2, 3, 4)
Table = tuple[int, ...]
"""Bots by seat."""
_SEED_BITS: Final = 63  # what a signed 64-bit column holds


@dataclass(frozen=True, slots=True)
class PlannedDeal:
    """A layout, and its matches: each a bot a seat, one match for every rotation of the seats."""

    layout_seed: int
    matches: tuple[Table, ...]


def round_robin(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Every combination of `seats` of the bots plays `deals` deals, in rounds of one deal each.

    In a deal every bot has every seat once. Who sits behind whom is a cyclic order, drawn anew for
    each deal: a combination goes through all its (seats-1)! orders before one comes again, so that
    every bot sits behind every other as equally often as the number of deals allows. Within a
    round the combinations come in random order, so that a tournament looks fair at any time.
    Raises Refused where that makes no tournament.
    """
    if deals < 1:
        raise Refused(f"{deals} deals are none: give 1 or more")
    tables = round_robin_tables(bots, seats=seats)
    return tuple(islice(endless_deals(tables, rng), deals * len(tables)))


def round_robin_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """Every combination of `seats` of the bots. Raises Refused where there is none."""
    _check(bots, seats)
    return list(combinations(bots, seats))


def gauntlet_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """The combinations in which the first bot sits: it meets all others, who meet each other only
    at its tables. Raises Refused where there is none."""
    _check(bots, seats)
    return [(bots[0], *others) for others in combinations(bots[1:], seats - 1)]


def endless_deals(tables: Sequence[Table], rng: Random) -> Iterator[PlannedDeal]:
    """Deals in rounds, in which each table has one; see `round_robin`."""
    orders = [_cyclic_orders(table, rng) for table in tables]
    while True:
        rng.shuffle(orders)
        for of_table in orders:
            yield PlannedDeal(rng.getrandbits(_SEED_BITS), rotations(next(of_table)))


def _check(bots: Sequence[int], seats: int) -> None:
    if seats not in TABLE_SIZES:
        raise Refused(f"a table has 2, 3 or 4 seats, not {seats}")
    if len(set(bots)) < len(bots):
        raise Refused("a bot is named twice: name each bot once")
    if len(bots) < seats:
        raise Refused(f"a table of {seats} needs at least {seats} bots, not {len(bots)}")


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
