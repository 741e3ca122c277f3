"""Tables: the bots that sit together, and every combination of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ladder.errors import Refused
from ladder.ratings.elo import TABLE_SIZES

Table = tuple[int, ...]
"""Bots by seat."""


def round_robin_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """Every combination of `seats` of the bots. Raises Refused where there is none."""
    check(bots, seats)
    return list(combinations(bots, seats))


def gauntlet_tables(bots: Sequence[int], *, seats: int) -> list[Table]:
    """The combinations in which the first bot sits: it meets all others, who meet each other only
    at its tables. Raises Refused where there is none."""
    check(bots, seats)
    return [(bots[0], *others) for others in combinations(bots[1:], seats - 1)]


def check(bots: Sequence[int], seats: int) -> None:
    """Raises Refused unless the bots fill a table, each named once."""
    if seats not in TABLE_SIZES:
        raise Refused("a table has 2, 3 or 4 seats, not %(seats)s", seats=seats)
    if len(set(bots)) < len(bots):
        raise Refused("a bot is named twice: name each bot once")
    if len(bots) < seats:
        raise Refused(
            "a table of %(seats)s needs at least %(seats)s bots, not %(given)s",
            seats=seats,
            given=len(bots),
        )
