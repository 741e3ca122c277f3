"""The tree of what may follow a position, and the value of each legal move."""

from dataclasses import dataclass
from random import Random

from referee.engine.evaluation import shares
from referee.rules.moves import Move
from referee.rules.position import Position


@dataclass(frozen=True, slots=True)
class MoveValue:
    """What a legal move leads to."""

    move: Move
    shares: tuple[float, ...]
    """The share of the points that each seat may expect after it."""
    looks: int
    """How often the search looked at what follows."""
    line: tuple[Move, ...]
    """The best moves that follow, up to the next roll."""


class Search:
    """A search of one position that has two or more legal moves."""

    def __init__(self, position: Position, rng: Random) -> None:
        self._position = position
        self._rng = rng
        self._looks = 0

    def think(self, looks: int) -> None:
        """Look so many times further; may be called again."""
        self._looks += looks

    def moves(self) -> list[MoveValue]:
        """Return the values of all legal moves, the best one first."""
        found = []
        for move in self._position.legal_moves:
            after = self._position.copy()
            after.apply(move)
            found.append(MoveValue(move, tuple(shares(after)), self._looks, ()))
        seat = self._position.seat
        return sorted(found, key=lambda value: value.shares[seat], reverse=True)
