"""Scoring (E1, E2), how a game ended, and how its table ranks after faults."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from referee.rules.cells import HELD, PESOS, PLAYERS, STRIDE, VP
from referee.rules.pieces import GOODS

GOODS_PER_VP: Final = 3


class Reason(Enum):
    """Why a game ended (H6, H7).

    >>> Reason.TURNS.value
    'turns'
    """

    SHIPS = "ships"
    """The seventh ship left (H6)."""
    TURNS = "turns"
    """Turn 300 was over (H7)."""


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's result: VP after E1, and what breaks ties (E2).

    >>> position.scores()[0]
    Score(seat=0, vp=3, leftover=0, pesos=3, rank=1)
    """

    seat: int
    """From 0."""
    vp: int
    """Victory points, with one for every three goods held."""
    leftover: int
    """Goods that made no further VP, 0 to 2: the first tie-break."""
    pesos: int
    """The second tie-break."""
    rank: int
    """From 1; players equal in VP, leftover goods and pesos share a rank (1 1 3)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the reason and the scores.

    >>> outcome = playouts(position, 1, Random(3))[0].outcome()
    >>> outcome.reason.value, [score.rank for score in outcome.scores]
    ('ships', [1, 3, 2])
    """

    reason: Reason
    scores: tuple[Score, ...]
    """One score a seat, in the order of the seats."""


def scores(cells: list[int], players: int) -> tuple[Score, ...]:
    """Return the scores by seat, as if the game ended here."""
    totals = [_total(cells, PLAYERS + STRIDE * seat) for seat in range(players)]
    return tuple(
        Score(seat, *total, rank=1 + sum(other > total for other in totals))
        for seat, total in enumerate(totals)
    )


def _total(cells: list[int], base: int) -> tuple[int, int, int]:
    """Return VP, leftover goods and pesos: in the order in which they are compared (E2)."""
    goods = sum(cells[base + HELD : base + HELD + len(GOODS)])
    return cells[base + VP] + goods // GOODS_PER_VP, goods % GOODS_PER_VP, cells[base + PESOS]


def table_ranks(
    seats: int, faulted: Sequence[int], scores: Sequence[Score], *, absent: int = 0
) -> tuple[int, ...]:
    """Return the ranks by seat, from 1, ties shared.

    The seats in `faulted` have faulted in that order; they rank below all others, a later fault
    above an earlier one. The first `absent` of them were empty from the start, and share the last
    rank. `scores` are those of the finished game; none after a forfeit.
    """
    standing = [seat for seat in range(seats) if seat not in faulted]
    ranks = [0] * seats
    for seat in standing:
        better = [other for other in standing if scores and scores[other].rank < scores[seat].rank]
        ranks[seat] = 1 + len(better)
    for place, seat in enumerate(reversed(faulted)):
        ranks[seat] = 1 + len(standing) + place
    for seat in faulted[:absent]:
        ranks[seat] = 1 + seats - absent
    return tuple(ranks)
