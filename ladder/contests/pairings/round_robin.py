"""Round robin and gauntlet: everybody meets everybody, or one meets all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil, comb
from random import Random
from typing import Final

from ladder.contests.pairings.deals import PlannedDeal, planned
from ladder.contests.pairings.designs import base_tables, shifted
from ladder.contests.pairings.orders import in_even_orders
from ladder.contests.pairings.tables import Table, check
from ladder.contests.pairings.triangles import triangles
from ladder.errors import Refused

_MORE: Final = 3  # further base tables that are tried so that all meet equally often
_AHEAD: Final = 3  # tables for each number, of which the next one is chosen


def round_robin(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Every two of the bots meet in at least `deals` deals, as evenly as possible.

    Every bot plays equally many deals, and has every seat equally often; two bots meet as often as
    any other two, or in one deal more; a bot sits behind each other one equally often, but for one
    deal (at tables of four in some plans for two). Bots take their numbers in the plan by chance.
    Raises Refused where that makes no tournament.
    """
    _check(bots, seats, deals)
    numbered = rng.sample(bots, len(bots))
    tables = _tables(len(bots), seats, deals, rng)
    return planned([tuple(numbered[number] for number in table) for table in tables], rng)


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


def _tables(n: int, seats: int, deals: int, rng: Random) -> Iterator[Table]:
    """Orders around tables of numbers below n, such that at any time all have played about equally
    often.

    All combinations, where it comes out that they play equally often or as well could. Else at
    tables of three triangles, and at tables of four, beside all combinations, a cyclic design.
    """
    combined = list(combinations(range(n), seats))
    times, rest = divmod(deals, comb(n - 2, seats - 2))
    bases = ceil(rest * (n - 1) / (seats * (seats - 1)))
    if n * bases >= len(combined):
        times, bases = times + 1, 0
    if bases and seats == 3 and (found := triangles(n, deals, rng)):
        return _in_turn(found, n)
    orders = in_even_orders(combined * times, rng)
    whole = [
        orders[start : start + len(combined)] for start in range(0, len(orders), len(combined))
    ]
    return _shuffled(whole + shifted(base_tables(n, seats, bases, rng, more=_MORE), n), rng)


def _in_turn(tables: list[Table], n: int) -> Iterator[Table]:
    """Table after table, of the next ones always that whose numbers have played least."""
    played = [0] * n
    while tables:
        table = min(tables[: _AHEAD * n], key=lambda table: sum(map(played.__getitem__, table)))
        tables.remove(table)
        for number in table:
            played[number] += 1
        yield table


def _shuffled(rounds: list[list[Table]], rng: Random) -> Iterator[Table]:
    """Table after table, in random order within a round, in which all play equally often."""
    for of_round in rounds:
        yield from rng.sample(of_round, len(of_round))


def _field_rounds(n: int, company: int, deals: int, rng: Random) -> list[list[Table]]:
    """Tables of `company` numbers below n, each number in at least `deals`."""
    combined = list(combinations(range(n), company))
    times, rest = divmod(deals, comb(n - 1, company - 1))
    bases = ceil(rest / company)
    if n * bases >= len(combined):
        times, bases = times + 1, 0
    return [combined] * times + shifted(base_tables(n, company, bases, rng), n)
