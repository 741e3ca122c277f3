"""Elo for tables of two to four seats, in whole thousandths of a point (milli-Elo).

A table is read as one game of each seat against each other: the better rank scores 1, a shared
rank one half. Each such pair moves its two ratings by K/(n-1) times the surprise, so that a table
of any size can move a rating by K at most. What counts is the rank, not the margin. Expected score:
Arpad Elo, "The Rating of Chessplayers" (1978), in its logistic form with 400 points a decade.

Rounding: the change of each pair is rounded once to whole milli-Elo (halves to even), then added on
the one side and taken from the other. So changes at a table sum to exactly zero, and the order of
the seats makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

START: Final = 1_500_000
"""The rating of a bot before its first rated match, in milli-Elo."""

K: Final = 32_000
"""The most that one match moves a rating, in milli-Elo.

With 32 points a newcomer has come two thirds of its way after some 20 matches; the price is that a
rating scatters by about 50 points around the true one, however long it has settled.
"""

_DECADE: Final = 400_000  # milli-Elo for odds of ten to one


def expected(rating: int, opponent: int) -> float:
    """The expected score (0 to 1) of a rating against another, both in milli-Elo."""
    return float(1 / (1 + 10 ** ((opponent - rating) / _DECADE)))


def changes(ratings: Sequence[int], ranks: Sequence[int]) -> tuple[int, ...]:
    """What one match adds to the ratings of its seats, in milli-Elo; they sum to zero.

    `ratings` and `ranks` are by seat; the lower rank is the better one, equal ranks are a tie.
    """
    if not 2 <= len(ratings) == len(ranks):
        raise ValueError(f"{len(ratings)} ratings and {len(ranks)} ranks: give one of each a seat")
    gains = [0] * len(ratings)
    for one, other in combinations(range(len(ratings)), 2):
        # The expectation is always the stronger seat's, so that floats round alike in any order.
        strong, weak = (one, other) if ratings[one] >= ratings[other] else (other, one)
        surprise = _score(ranks[strong], ranks[weak]) - expected(ratings[strong], ratings[weak])
        change = round(K * surprise / (len(ratings) - 1))
        gains[strong] += change
        gains[weak] -= change
    return tuple(gains)


def _score(rank: int, opponent: int) -> float:
    if rank == opponent:
        return 0.5
    return 1.0 if rank < opponent else 0.0
