"""Counts who met whom, who sat behind whom and who had which seat."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from ladder.contests.pairings import PlannedDeal


@dataclass(frozen=True)
class Balance:
    """How often, in deals, each two bots met, each sat behind each, and each played; and, in
    matches, each had each seat."""

    met: tuple[int, ...]
    behind: tuple[int, ...]
    played: tuple[int, ...]
    on_seat: tuple[int, ...]


def balance(planned: Sequence[PlannedDeal], bots: Sequence[int], seats: int) -> Balance:
    orders = [deal.matches[0] for deal in planned]
    met = Counter(pair for order in orders for pair in combinations(sorted(order), 2))
    behind = Counter(pair for order in orders for pair in around(order))
    played = Counter(bot for order in orders for bot in order)
    on_seat = Counter(place for table in matches(planned) for place in enumerate(table))
    return Balance(
        tuple(met[pair] for pair in combinations(sorted(bots), 2)),
        tuple(behind[pair] for pair in permutations(bots, 2)),
        tuple(played[bot] for bot in bots),
        tuple(on_seat[seat, bot] for seat in range(seats) for bot in bots),
    )


def around(table: tuple[int, ...]) -> list[tuple[int, int]]:
    """Every bot and the one that moves before it."""
    return [(bot, table[seat - 1]) for seat, bot in enumerate(table)]


def matches(planned: Iterable[PlannedDeal]) -> list[tuple[int, ...]]:
    return [table for deal in planned for table in deal.matches]


def unevenness(counts: Sequence[int]) -> int:
    return max(counts) - min(counts)
