"""Plan who meets whom in the formats of tournaments: round robin, gauntlet and Swiss.

In a round robin every two bots meet; in a gauntlet the first bot meets all others. Both are planned
at once. A Swiss tournament is planned round by round: bots of about equal score meet, new opponents
if possible. Who asks has checked that the bots fill a table, and that there is a deal.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush, heapreplace
from itertools import combinations, islice, permutations, product
from math import ceil, comb
from random import Random
from typing import Final

from ladder.contests.designs import base_tables, shifted, triangles
from ladder.contests.pairings import PlannedDeal, Table, in_even_orders, planned, unevenness


class Format(StrEnum):
    """The rule by which bots meet."""

    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    GAUNTLET = "gauntlet"


_MORE: Final = 3  # further base tables that are tried so that all meet equally often
_TRIES: Final = 12  # starts of the search for tables at which nobody meets again
_AHEAD: Final = 3  # tables for each number, of which the next one is chosen


def round_robin(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Plan deals in which every two bots meet at least `deals` times, as evenly as possible.

    Every bot plays the same number of deals, and has every seat equally often. Two bots meet as
    often as any other two, or once more. A bot sits behind each other one equally often, give or
    take one deal (two in some plans for tables of four). Bots get their places in the plan at
    random.
    """
    numbered = rng.sample(bots, len(bots))
    tables = _round_robin_tables(len(bots), seats, deals, rng)
    return planned([tuple(numbered[number] for number in table) for table in tables], rng)


def gauntlet(
    bots: Sequence[int], *, seats: int, deals: int, rng: Random
) -> tuple[PlannedDeal, ...]:
    """Plan deals in which the first bot meets each other one at least `deals` times.

    It sits at every table. The others play the same number of deals, and meet one another as evenly
    as possible. Seats and neighbours are as in `round_robin`.
    """
    challenger, *field = bots
    field = rng.sample(field, len(field))
    tables = [
        (challenger, *(field[number] for number in table))
        for table in _shuffled(_field_rounds(len(field), seats - 1, deals, rng), rng)
    ]
    return planned(in_even_orders(tables, rng), rng)


def _round_robin_tables(n: int, seats: int, deals: int, rng: Random) -> Iterator[Table]:
    """Yield tables of numbers below n so that at any time all have played about equally often.

    Takes all combinations if then all play equally often or a design would be no smaller. Else
    tables of three are triangles, and tables of four a cyclic design beside all combinations.
    """
    times, rest = divmod(deals, comb(n - 2, seats - 2))
    bases = ceil(rest * (n - 1) / (seats * (seats - 1)))
    count = comb(n, seats)
    if n * bases >= count:
        times, bases = times + 1, 0
    if bases and seats == 3 and (found := triangles(n, deals, rng)):
        return _in_turn(found, n)
    combined = list(combinations(range(n), seats)) if times else []  # may be millions
    orders = in_even_orders(combined * times, rng)
    all_combinations = [orders[start : start + count] for start in range(0, len(orders), count)]
    if bases:
        designed = shifted(base_tables(n, seats, bases, rng, more=_MORE), n)
        return _shuffled(_evened(all_combinations + designed, rng), rng)
    return _shuffled(all_combinations, rng)


def _evened(rounds: list[list[Table]], rng: Random) -> list[list[Table]]:
    """Return the rounds, in other seat orders if a search finds more even ones."""
    tables = [table for of_round in rounds for table in of_round]
    if unevenness(tables) <= 1:
        return rounds
    found = in_even_orders(tables, rng)
    orders = iter(found if unevenness(found) < unevenness(tables) else tables)
    return [list(islice(orders, len(of_round))) for of_round in rounds]


def _in_turn(tables: list[Table], n: int) -> Iterator[Table]:
    """Yield the tables; each time, of the next few, the one whose numbers have played least.

    How often numbers have played only grows: so the heap's first table is the one, unless it is
    there with an old sum.
    """
    played = [0] * n
    waiting = enumerate(tables)
    heap = [(0, place, table) for place, table in islice(waiting, _AHEAD * n)]
    while heap:
        before, place, table = heap[0]
        now = sum([played[number] for number in table])
        if now > before:
            heapreplace(heap, (now, place, table))
            continue
        heappop(heap)
        if following := next(waiting, None):
            heappush(heap, (0, *following))
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


def swiss_round(
    ranks: Mapping[int, float],
    *,
    seats: int,
    deals: int,
    past: Sequence[Sequence[Table]],
    rng: Random,
) -> tuple[PlannedDeal, ...]:
    """Plan the next round, in which each table plays `deals` deals.

    `ranks` is each bot's rank in the standings; equal ranks are ordered at random, as all are in
    the first round. `past` holds the tables of each earlier round, one seat order for each deal.

    If the bots don't fill the last table, some sit out: those that have sat out least often, and of
    these the lowest in the standings. So no bot sits out twice before all have once. Neighbours in
    the standings sit at one table unless they have met; if bots must meet again, it is those that
    have met least often.
    """
    order = rng.sample(list(ranks), len(ranks))
    order.sort(key=ranks.__getitem__)
    for bot in _sitting_out(order, len(order) % seats, past):
        order.remove(bot)
    tables = _swiss_tables(order, seats, _meetings(past), rng)
    played = [table for of_round in past for table in of_round]
    return planned(in_even_orders(tables * deals, rng, played), rng)


def _sitting_out(order: Sequence[int], count: int, past: Sequence[Sequence[Table]]) -> list[int]:
    played = Counter(bot for of_round in past for bot in {b for table in of_round for b in table})
    place = {bot: index for index, bot in enumerate(order)}
    return sorted(order, key=lambda bot: (-played[bot], -place[bot]))[:count]


@dataclass(frozen=True, slots=True)
class _Meetings:
    """The cost of a repeated meeting: the square of the number of rounds in which the two have met,
    so that a third meeting costs more than two second ones."""

    squares: Mapping[int, Mapping[int, int]]

    def with_all(self, bot: int, table: Iterable[int]) -> int:
        """Return the cost of this bot meeting each other bot of the table."""
        squares = self.squares[bot]
        return sum([squares.get(other, 0) for other in table])

    def again(self, table: Sequence[int]) -> int:
        """Return the cost of all bots of the table meeting one another."""
        return sum(self.with_all(bot, table) for bot in table) // 2


def _meetings(past: Sequence[Sequence[Table]]) -> _Meetings:
    """Count the meetings; all deals of a table are one."""
    counts: Counter[tuple[int, int]] = Counter()
    for of_round in past:
        counts.update({pair for table in of_round for pair in permutations(table, 2)})
    squares: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for (bot, other), times in counts.items():
        squares[bot][other] = times**2
    return _Meetings(squares)


def _swiss_tables(order: Sequence[int], seats: int, met: _Meetings, rng: Random) -> list[list[int]]:
    """Seat the bots (best first) at tables; try some ways and take the one with fewest repeats."""
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
    """Fill tables from the best unseated bot on, each with those that met its table least."""
    standing = list(order)
    tables: list[list[int]] = []
    while standing:
        table = [standing.pop(0)]
        while len(table) < seats:
            table.append(min(standing, key=lambda bot: met.with_all(bot, table)))
            standing.remove(table[-1])
        tables.append(table)
    return tables


def _repaired(tables: list[list[int]], met: _Meetings) -> list[list[int]]:
    """Swap bots of different tables as long as that reduces repeats."""
    while any(_exchanged(tables, index, met) for index in reversed(range(len(tables)))):
        pass
    return tables


def _exchanged(tables: list[list[int]], index: int, met: _Meetings) -> bool:
    """Improve this table by a swap with the nearest table that allows one; True if done."""
    table = tables[index]
    if not met.again(table):
        return False
    others = sorted(range(len(tables)), key=lambda other: abs(other - index))[1:]
    return any(_exchanged_between(table, tables[other], met) for other in others)


def _exchanged_between(table: list[int], other_table: list[int], met: _Meetings) -> bool:
    """Swap two bots of these tables if that reduces repeats; return True if done.

    Each of the two meets the other table's bots except the one that it replaces. In late rounds of
    many bots this runs a million times, so the costs are summed up beforehand.
    """
    left = [met.with_all(bot, table) for bot in table]
    other_left = [met.with_all(bot, other_table) for bot in other_table]
    joined = [met.with_all(bot, other_table) for bot in table]
    other_joined = [met.with_all(bot, table) for bot in other_table]
    for seat, other_seat in product(range(len(table)), range(len(other_table))):
        bot, stranger = table[seat], other_table[other_seat]
        before = left[seat] + other_left[other_seat]
        between = 2 * met.squares[bot].get(stranger, 0)
        if joined[seat] + other_joined[other_seat] - between < before:
            table[seat], other_table[other_seat] = stranger, bot
            return True
    return False
