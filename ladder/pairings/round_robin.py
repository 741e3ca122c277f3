"""Round robin and gauntlet: everybody meets everybody, or one meets all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil, comb
from random import Random
from typing import Final

from ladder.errors import Refused
from ladder.pairings.deals import PlannedDeal, planned
from ladder.pairings.designs import base_tables, shifted
from ladder.pairings.orders import in_even_orders
from ladder.pairings.tables import Table, check

_MORE: Final = 3  # further base tables that are tried so that all meet equally often


def round_robin(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Every two of the bots meet in at least `deals` deals, as evenly as possible.

    All combinations play as often as that comes out; what is left over is a cyclic design. So:
    every bot plays equally many deals, and has every seat equally often; two bots meet as often
    as any other two, or in one deal more; a bot sits behind each other one equally often, but for
    one deal (in most plans), two or three. Bots take their numbers in the design by chance. Raises
    Refused where that makes no tournament.
    """
    _check(bots, seats, deals)
    numbered = rng.sample(bots, len(bots))
    rounds = [
        [tuple(numbered[number] for number in table) for table in of_round]
        for of_round in _rounds(len(bots), seats, deals, rng)
    ]
    return planned(_shuffled(rounds, rng), rng)


def gauntlet(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """The first bot meets each other one in at least `deals` deals, and sits at every table.

    The others play equally many deals, and meet one another at its tables as evenly as possible.
    Seats and neighbours are as in `round_robin`. Raises Refused where that makes no tournament.
    """
    _check(bots, seats, deals)
    challenger, *field = bots
    field = rng.sample(field, len(field))
    tables = [
        (challenger, *(field[number] for number in table))
        for of_round in _field_rounds(len(field), seats - 1, deals, rng)
        for table in rng.sample(of_round, len(of_round))
    ]
    return planned(in_even_orders(tables, rng), rng)


def _check(bots: Sequence[int], seats: int, deals: int) -> None:
    if deals < 1:
        raise Refused("%(deals)s deals are none: give 1 or more", deals=deals)
    check(bots, seats)


def _rounds(n: int, seats: int, deals: int, rng: Random) -> list[list[Table]]:
    """Orders around tables of numbers below n; in a round all play equally often."""
    combined = list(combinations(range(n), seats))
    times, rest = divmod(deals, comb(n - 2, seats - 2))
    bases = ceil(rest * (n - 1) / (seats * (seats - 1)))
    if n * bases >= len(combined):
        times, bases = times + 1, 0
    orders = in_even_orders(combined * times, rng)
    whole = [
        orders[start : start + len(combined)] for start in range(0, len(orders), len(combined))
    ]
    return whole + shifted(base_tables(n, seats, bases, rng, more=_MORE), n)


def _field_rounds(n: int, company: int, deals: int, rng: Random) -> list[list[Table]]:
    """Tables of `company` numbers below n, each number in at least `deals`."""
    combined = list(combinations(range(n), company))
    times, rest = divmod(deals, comb(n - 1, company - 1))
    bases = ceil(rest / company)
    if n * bases >= len(combined):
        times, bases = times + 1, 0
    return [combined] * times + shifted(base_tables(n, company, bases, rng), n)


def _shuffled(rounds: list[list[Table]], rng: Random) -> Iterator[Table]:
    """Table after table, in random order within a round, so that it looks fair at any time."""
    for of_round in rounds:
        yield from rng.sample(of_round, len(of_round))
