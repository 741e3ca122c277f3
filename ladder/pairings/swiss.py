"""Swiss: in each round bots of about equal score sit together, and new opponents where possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import Final

from ladder.errors import Refused
from ladder.pairings.deals import PlannedDeal, planned
from ladder.pairings.orders import in_even_orders
from ladder.pairings.tables import Table, check

_TRIES: Final = 12  # starts of the search for tables at which nobody meets again


def swiss_round(
    ranks: Mapping[int, int],
    *,
    seats: int,
    deals: int,
    past: Sequence[Sequence[Table]],
    rng: Random,
) -> tuple[PlannedDeal, ...]:
    """The next round: each table plays `deals` deals.

    `ranks` is the standing: each bot's rank, ties shared; equal ones are ordered by chance, so in
    the first round all are. `past` holds the tables of each round before, one order a deal. Where
    the bots do not fill the last table, those who sat out least often so far sit out, of these the
    last in the standing; so nobody sits out twice before all have once. Next to each other in the
    standing come to one table, unless they have met; where all would meet again, those do who met
    least. Raises Refused where that makes no tournament.
    """
    if deals < 1:
        raise Refused("%(deals)s deals are none: give 1 or more", deals=deals)
    check(list(ranks), seats)
    order = rng.sample(list(ranks), len(ranks))
    order.sort(key=ranks.__getitem__)
    for bot in _sitting_out(order, len(order) % seats, past):
        order.remove(bot)
    tables = _tables(order, seats, _meetings(past), rng)
    played = [table for of_round in past for table in of_round]
    return planned(in_even_orders(tables * deals, rng, played), rng)


def _sitting_out(order: Sequence[int], count: int, past: Sequence[Sequence[Table]]) -> list[int]:
    played = Counter(bot for of_round in past for bot in {b for table in of_round for b in table})
    place = {bot: index for index, bot in enumerate(order)}
    return sorted(order, key=lambda bot: (-played[bot], -place[bot]))[:count]


@dataclass(frozen=True, slots=True)
class _Meetings:
    """In how many rounds two bots have met."""

    counts: Mapping[tuple[int, int], int]

    def of(self, bot: int, other: int) -> int:
        return self.counts.get((min(bot, other), max(bot, other)), 0)

    def again(self, table: Sequence[int]) -> int:
        """How bad it is that these meet again: 0 where none does, third times count more."""
        return sum(self.of(*pair) ** 2 for pair in combinations(table, 2))


def _meetings(past: Sequence[Sequence[Table]]) -> _Meetings:
    """All deals of a table count as one meeting."""
    counts: Counter[tuple[int, int]] = Counter()
    for of_round in past:
        counts.update({pair for table in of_round for pair in combinations(sorted(table), 2)})
    return _Meetings(counts)


def _tables(order: Sequence[int], seats: int, met: _Meetings, rng: Random) -> list[list[int]]:
    """The bots, best first, at tables; of some ways to seat them the one with fewest repeats."""
    place = {bot: index for index, bot in enumerate(order)}

    def badness(tables: list[list[int]]) -> tuple[int, int]:
        spreads = ([place[bot] for bot in table] for table in tables)
        return sum(map(met.again, tables)), sum((max(of) - min(of)) ** 2 for of in spreads)

    best = _repaired(_from_the_top(order, seats, met), met)
    for _ in range(_TRIES):
        if not badness(best)[0]:
            break
        roughly = sorted(order, key=lambda bot: place[bot] + rng.uniform(0, 4 * seats))
        other = _repaired(_from_the_top(roughly, seats, met), met)
        best = min(best, other, key=badness)
    return best


def _from_the_top(order: Sequence[int], seats: int, met: _Meetings) -> list[list[int]]:
    """The best who still stands sits down, then the next ones who met the table least."""
    standing = list(order)
    tables: list[list[int]] = []
    while standing:
        table = [standing.pop(0)]
        while len(table) < seats:
            table.append(min(standing, key=lambda bot: sum(met.of(bot, one) ** 2 for one in table)))
            standing.remove(table[-1])
        tables.append(table)
    return tables


def _repaired(tables: list[list[int]], met: _Meetings) -> list[list[int]]:
    """Let two bots of different tables change places as long as that leaves fewer repeats."""
    while any(_exchanged(tables, index, met) for index in reversed(range(len(tables)))):
        pass
    return tables


def _exchanged(tables: list[list[int]], index: int, met: _Meetings) -> bool:
    """Tries to better this table by an exchange with the nearest one that allows it."""
    table = tables[index]
    if not met.again(table):
        return False
    others = sorted(range(len(tables)), key=lambda other: abs(other - index))[1:]
    for other, seat, other_seat in product(others, range(len(table)), range(len(table))):
        before = met.again(table) + met.again(tables[other])
        _exchange(table, seat, tables[other], other_seat)
        if met.again(table) + met.again(tables[other]) < before:
            return True
        _exchange(table, seat, tables[other], other_seat)
    return False


def _exchange(table: list[int], seat: int, other: list[int], other_seat: int) -> None:
    table[seat], other[other_seat] = other[other_seat], table[seat]
