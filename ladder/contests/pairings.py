"""Tables and deals: the bots that sit together, the rotations of their seats, and seat orders.

A deal is a layout that a table plays once in every rotation of its seats. All functions are pure:
the caller passes the random numbers in.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from operator import itemgetter
from random import Random
from typing import Final

from ladder.errors import Invalid
from ladder.ratings.elo import TABLE_SIZES

Table = tuple[int, ...]
"""Bots by seat."""


def check(bots: Sequence[int], seats: int) -> None:
    """Raise Invalid (`seats`, `bots`) unless the bots fill a table and each is named once."""
    if seats not in TABLE_SIZES:
        raise Invalid("seats", "a table has 2, 3 or 4 seats, not %(seats)s", seats=seats)
    if len(set(bots)) < len(bots):
        raise Invalid("bots", "a bot is listed twice: list each bot once")
    if len(bots) < seats:
        raise Invalid(
            "bots",
            "a table of %(seats)s needs at least %(seats)s bots, not %(given)s",
            seats=seats,
            given=len(bots),
        )


SEED_BITS: Final = 63
"""The random bits of a seed: as many as a signed 64-bit column holds."""


@dataclass(frozen=True, slots=True)
class PlannedDeal:
    """A layout and its matches: the bots by seat, one match for every rotation of the seats."""

    layout_seed: int
    matches: tuple[Table, ...]


def planned(orders: Iterable[Table], rng: Random) -> tuple[PlannedDeal, ...]:
    """Make a deal with a layout of its own for each seat order."""
    return tuple(PlannedDeal(rng.getrandbits(SEED_BITS), rotations(order)) for order in orders)


def round_robin_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """Return every combination of `seats` bots. Raises Invalid if there is none."""
    check(bots, seats)
    return list(combinations(bots, seats))


def gauntlet_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """Return the combinations of `seats` bots that include the first. Raises Invalid if none."""
    check(bots, seats)
    return [(bots[0], *others) for others in combinations(bots[1:], seats - 1)]


def endless_deals(tables: Sequence[Table], rng: Random) -> Iterator[PlannedDeal]:
    """Yield deals in rounds, in which each table has one; within a round in random order.

    In a deal every bot has every seat once. The cyclic order, which says who sits behind whom, is
    drawn for each deal: a table goes through all its (seats-1)! orders before one repeats.
    """
    orders = [_cyclic_orders(table, rng) for table in tables]
    while True:
        rng.shuffle(orders)
        for of_table in orders:
            yield PlannedDeal(rng.getrandbits(SEED_BITS), rotations(next(of_table)))


def _cyclic_orders(table: Sequence[int], rng: Random) -> Iterator[Table]:
    """Yield all cyclic orders in random order, again and again, each with a random start."""
    first, *others = table
    orders = [(first, *rest) for rest in permutations(others)]
    while True:
        rng.shuffle(orders)
        for order in orders:
            start = rng.randrange(len(order))
            yield order[start:] + order[:start]


def rotations(order: Table) -> tuple[Table, ...]:
    """Return the order as it starts from each of its seats."""
    return tuple(order[shift:] + order[:shift] for shift in range(len(order)))


_PASSES: Final = 12
_TABLES: Final = 100  # of all further tries together, if the first is uneven

_Neighbours = defaultdict[int, defaultdict[int, int]]
"""In how many deals a bot moved right after each other one."""


def neighbours(order: Table) -> Iterator[tuple[int, int]]:
    """Yield each bot around a table with the one before it."""
    return ((bot, order[seat - 1]) for seat, bot in enumerate(order))


def in_even_orders(
    tables: Sequence[Sequence[int]], rng: Random, past: Iterable[Table] = ()
) -> list[Table]:
    """Order the seats of each table so that all sit behind all others about equally often.

    If they are few, it tries again while that may be better. `past` are the orders played before.
    """
    if all(len(table) == 2 for table in tables):
        return [tuple(table) for table in tables]  # each has one cyclic order
    before = list(past)
    best = _even_orders(tables, rng, before)
    for _ in range(_TABLES // len(tables)):
        if unevenness(before + best) <= 1:
            break
        best = min(
            best, _even_orders(tables, rng, before), key=lambda orders: unevenness(before + orders)
        )
    return best


def unevenness(orders: Collection[Table]) -> int:
    """Return by how much it differs how often bots sit behind those whom they meet."""
    behind = Counter(pair for order in orders for pair in neighbours(order))
    often = [behind[pair] for pair in {pair for order in orders for pair in permutations(order, 2)}]
    return max(often) - min(often)


def _even_orders(
    tables: Sequence[Sequence[int]], rng: Random, before: Iterable[Table]
) -> list[Table]:
    """Order the seats of each table by chance, but evenly.

    Each table in turn takes the order with the pairs that were rarest so far, ties at random; then
    each chooses again, `_PASSES` times.
    """
    counts: _Neighbours = defaultdict(lambda: defaultdict(int))
    for order in before:
        _count(order, counts, 1)
    chosen: list[Table] = []
    for table in tables:
        chosen.append(_rarest(table, counts, rng))
        _count(chosen[-1], counts, 1)
    for _ in range(_PASSES):
        for index in rng.sample(range(len(chosen)), len(chosen)):
            _count(chosen[index], counts, -1)
            chosen[index] = _rarest(chosen[index], counts, rng)
            _count(chosen[index], counts, 1)
    return chosen


def _count(order: Table, counts: _Neighbours, times: int) -> None:
    for bot, before in neighbours(order):
        counts[bot][before] += times


_ORDERS: Final = {
    size: [(0, *rest) for rest in permutations(range(1, size))] for size in TABLE_SIZES
}
"""The cyclic orders of the seats of a table."""
_PAIRS: Final = {
    size: [
        itemgetter(*(seat * size + before for seat, before in neighbours(order)))
        for order in orders
    ]
    for size, orders in _ORDERS.items()
}
"""For each of them, what picks its neighbours out of all pairs, seat by seat."""


def _rarest(table: Sequence[int], counts: _Neighbours, rng: Random) -> Table:
    """Return the order whose neighbours were rarest. Plans of many bots ask a hundred thousand
    times, so pairs are looked up once for all orders."""
    pairs = [row[other] for row in map(counts.__getitem__, table) for other in table]
    sums = [sum(of_order(pairs)) for of_order in _PAIRS[len(table)]]
    rarest = min(sums)
    orders = zip(_ORDERS[len(table)], sums, strict=True)
    order = rng.choice([order for order, total in orders if total == rarest])
    return tuple([table[seat] for seat in order])
