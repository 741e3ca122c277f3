"""The chance of each rank for each seat at a moment of a game: the time line of an analysis.

The network tells them. While the last ship is loaded, a search sees the end of the game, which the
network does not: then what the search finds counts, too, so that chances and the values of moves
agree (docs/engine.md). A forced move is nobody's doing: it changes no chances.
"""

from random import Random
from typing import Final

from referee.engine.evaluation import rank_chances
from referee.engine.search import Search
from referee.rules import Position
from referee.rules.pieces import SHIPS

_LOOKS: Final = 100
"""The looks at each moment of the last ship, whatever the depth of the analysis."""


def chances_at(
    position: Position, certainty: float, faulted: tuple[int, ...] = (), *, absent: int = 0
) -> list[list[float]]:
    """Return the chances in a position, in a game in which they are so certain.

    `faulted` are the seats whose bots have faulted, in this order: they end below all others, the
    last of them above the one before. The first `absent` of them were empty from the start, and
    share the last ranks.
    """
    if len(position.legal_moves) == 1:
        position = position.copy()
        position.apply(position.legal_moves[0])
    found = rank_chances(position, certainty, faulted, _foreseen(position, faulted))
    for seat in faulted[:absent]:
        found[seat][-absent:] = [1 / absent] * absent
    return found


def _foreseen(position: Position, faulted: tuple[int, ...]) -> tuple[float, ...]:
    """Return the shares that a search finds at the last ship; nothing before it."""
    if position.ship < SHIPS or position.is_over:
        return ()
    search = Search(position, Random(0), faulted)
    search.think(_LOOKS)
    return search.shares
