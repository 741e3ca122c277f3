"""Who plays whom: round robins for tables of two, three and four. Pure; luck is handed in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random
from typing import Final

from ladder.errors import Refused

TABLE_SIZES: Final = (2, 3, 4)
_SEED_BITS: Final = 63  # what a signed 64-bit column holds


@dataclass(frozen=True, slots=True)
class PlannedDeal:
    """A layout, and its matches: each a bot a seat, one match for every rotation of the seats."""

    layout_seed: int
    matches: tuple[tuple[int, ...], ...]


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
    _check(bots, seats, deals)
    tables = [_cyclic_orders(table, rng) for table in combinations(bots, seats)]
    planned = []
    for _ in range(deals):
        rng.shuffle(tables)
        planned += [
            PlannedDeal(rng.getrandbits(_SEED_BITS), _rotations(next(orders))) for orders in tables
        ]
    return tuple(planned)


def _check(bots: Sequence[int], seats: int, deals: int) -> None:
    if seats not in TABLE_SIZES:
        raise Refused(f"a table has 2, 3 or 4 seats, not {seats}")
    if len(set(bots)) < len(bots):
        raise Refused("a bot is named twice: name each bot once")
    if len(bots) < seats:
        raise Refused(f"a table of {seats} needs at least {seats} bots, not {len(bots)}")
    if deals < 1:
        raise Refused(f"{deals} deals are none: give 1 or more")


def _cyclic_orders(table: Sequence[int], rng: Random) -> Iterator[tuple[int, ...]]:
    """All orders around the table in random order, again and again, each with a random start."""
    first, *others = table
    orders = [(first, *rest) for rest in permutations(others)]
    while True:
        rng.shuffle(orders)
        for order in orders:
            start = rng.randrange(len(order))
            yield order[start:] + order[:start]


def _rotations(order: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(order[shift:] + order[:shift] for shift in range(len(order)))
