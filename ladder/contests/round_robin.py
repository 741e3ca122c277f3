"""Pair bots in a round robin (every two meet) or a gauntlet (the first meets all others)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil, comb
from random import Random
from typing import Final

from ladder.contests.designs import base_tables, shifted, triangles
from ladder.contests.pairings import PlannedDeal, Table, check, in_even_orders, planned
from ladder.errors import Refused

_MORE: Final = 3  # further base tables that are tried so that all meet equally often
_AHEAD: Final = 3  # tables for each number, of which the next one is chosen


def round_robin(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Plan deals in which every two bots meet at least `deals` times, as evenly as possible.

    Every bot plays the same number of deals, and has every seat equally often. Two bots meet as
    often as any other two, or once more. A bot sits behind each other one equally often, give or
    take one deal (two in some plans for tables of four). Bots get their places in the plan at
    random. Raises Refused if no tournament is possible.
    """
    _check(bots, seats, deals)
    numbered = rng.sample(bots, len(bots))
    tables = _tables(len(bots), seats, deals, rng)
    return planned([tuple(numbered[number] for number in table) for table in tables], rng)


def gauntlet(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Plan deals in which the first bot meets each other one at least `deals` times.

    It sits at every table. The others play the same number of deals, and meet one another as evenly
    as possible. Seats and neighbours are as in `round_robin`. Raises Refused if no tournament is
    possible.
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


def round_robin_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """Return every combination of `seats` bots. Raises Refused if there is none."""
    check(bots, seats)
    return list(combinations(bots, seats))


def gauntlet_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """Return the combinations of `seats` bots that include the first. Raises Refused if none."""
    check(bots, seats)
    return [(bots[0], *others) for others in combinations(bots[1:], seats - 1)]


def _check(bots: Sequence[int], seats: int, deals: int) -> None:
    if deals < 1:
        raise Refused("%(deals)s deals are none: give 1 or more", deals=deals)
    check(bots, seats)


def _tables(n: int, seats: int, deals: int, rng: Random) -> Iterator[Table]:
    """Yield tables of numbers below n so that at any time all have played about equally often.

    Takes all combinations if then all play equally often or a design would be no smaller. Else
    tables of three are triangles, and tables of four a cyclic design beside all combinations.
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
    """Yield the tables; of the next few always the one whose numbers have played least."""
    played = [0] * n
    while tables:
        table = min(tables[: _AHEAD * n], key=lambda table: sum(map(played.__getitem__, table)))
        tables.remove(table)
        for number in table:
            played[number] += 1
        yield table


def _shuffled(rounds: list[list[Table]], rng: Random) -> Iterator[Table]:
    """Yield the tables in random order within each round, in which all play equally often."""
    for of_round in rounds:
        yield from rng.sample(of_round, len(of_round))


def _field_rounds(n: int, company: int, deals: int, rng: Random) -> list[list[Table]]:
    """Return rounds of tables of `company` numbers below n, each number in at least `deals`."""
    combined = list(combinations(range(n), company))
    times, rest = divmod(deals, comb(n - 1, company - 1))
    bases = ceil(rest / company)
    if n * bases >= len(combined):
        times, bases = times + 1, 0
    return [combined] * times + shifted(base_tables(n, company, bases, rng), n)
