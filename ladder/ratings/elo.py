"""Elo for tables of two to four seats, in whole thousandths of a point (milli-Elo).

A table is read as one game of each seat against each other: the better rank scores 1, a shared
rank one half. Each such pair moves its two ratings by K/(n-1) times the surprise, so that a table
of any size can move a rating by K at most. What counts is the rank, not the margin. Expected score:
Arpad Elo, "The Rating of Chessplayers" (1978), in its logistic form with 400 points a decade.

Two kinds of seats differ. A **provisional** one has few rated games yet, so its rating says little:
it moves others that are not provisional by a smaller K, while its own rating moves as usual. A
**pinned** one is the anchor of the ladder: its rating never moves.

Rounding: the change of each pair is rounded to whole milli-Elo (halves to even) before it is added,
and the expectation is always the stronger seat's. So the order of the seats makes no difference,
and at a table of one kind of seats the changes sum to exactly zero.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

TABLE_SIZES: Final = (2, 3, 4)
"""Seats at a table; each size has a ladder of its own."""

START: Final = 1_500_000
"""The rating of a bot before its first rated match, in milli-Elo."""

K: Final = 32_000
"""The most that one match moves a rating, in milli-Elo.

With 32 points a newcomer has come two thirds of its way after some 20 matches; the price is that
ratings vary by about 50 points around the true ones, even after many matches.
"""

PROVISIONAL: Final = 20
"""A version with fewer rated games on a ladder is provisional there.

After 20 games its rating has come about two thirds of its way from the start, and the rest of the
way is no more than ratings vary anyhow.
"""

K_PROVISIONAL: Final = 8_000
"""The most that a table of provisional opponents moves the rating of one that is not, in milli-Elo.

A newcomer may be hundreds of points from its place: surprising results are then due to its rating,
not to those of its opponents. A quarter of K keeps the effect of twenty games against it within the
usual variation of ratings.
"""

_DECADE: Final = 400_000  # milli-Elo for odds of ten to one
_PAIRS: Final = {seats: tuple(combinations(range(seats), 2)) for seats in TABLE_SIZES}
_NOBODY: Final = (False,) * 4

Pair = tuple[int, int, float]
"""Two seats, the stronger one first, and its expected score (0 to 1) against the other."""


def expected(rating: int, opponent: int) -> float:
    """Return the expected score (0 to 1) of a rating against another, both in milli-Elo."""
    return float(1 / (1 + 10 ** ((opponent - rating) / _DECADE)))


def is_provisional(games: int, *, pinned: bool) -> bool:
    """Return True if a version with `games` rated games on a ladder is provisional there."""
    return games < PROVISIONAL and not pinned


def pairs(ratings: Sequence[int]) -> list[Pair]:
    """Return every two seats of a table, the stronger first, with its expected score."""
    if len(ratings) not in _PAIRS:
        raise ValueError(f"{len(ratings)} ratings: a table has two to four seats")
    found = []
    for one, other in _PAIRS[len(ratings)]:
        if ratings[one] >= ratings[other]:
            found.append((one, other, expected(ratings[one], ratings[other])))
        else:
            found.append((other, one, expected(ratings[other], ratings[one])))
    return found


def changes(
    ratings: Sequence[int],
    ranks: Sequence[int],
    provisional: Sequence[bool] = _NOBODY,
    pinned: Sequence[bool] = _NOBODY,
) -> tuple[int, ...]:
    """Return what one match adds to the ratings of its seats, in milli-Elo.

    All are by seat; the lower rank is the better one, equal ranks are a tie.
    """
    return gains(pairs(ratings), ranks, provisional, pinned)


def gains(
    table: Sequence[Pair],
    ranks: Sequence[int],
    provisional: Sequence[bool] = _NOBODY,
    pinned: Sequence[bool] = _NOBODY,
) -> tuple[int, ...]:
    """Compute the same as `changes`, from the `pairs` of the table."""
    seats = len(ranks)
    if len(table) * 2 != seats * (seats - 1):
        raise ValueError(f"{len(table)} pairs and {seats} ranks: give one rank for each seat")
    found = [0] * seats
    for strong, weak, expectation in table:
        surprise = _score(ranks[strong], ranks[weak]) - expectation
        change = round(K * surprise / (seats - 1))
        if provisional[strong] == provisional[weak]:
            found[strong] += change
            found[weak] -= change
        else:
            settled = round(K_PROVISIONAL * surprise / (seats - 1))
            found[strong] += change if provisional[strong] else settled
            found[weak] -= change if provisional[weak] else settled
    if any(pinned):
        return tuple(0 if pinned[seat] else gain for seat, gain in enumerate(found))
    return tuple(found)


def ranks_missed(seats: int, missing: int) -> list[int]:
    """Return the ranks at a table whose seat `missing` counts as the last, and no other counts."""
    return [seats if seat == missing else 1 for seat in range(seats)]


def _score(rank: int, opponent: int) -> float:
    if rank == opponent:
        return 0.5
    return 1.0 if rank < opponent else 0.0
