"""The analysis of a game, as plain data."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from referee.analysis.judging import DIGITS, Mark
from referee.rules import Move


class Phase(StrEnum):
    """The part of a game that a decision belongs to, by the ship in the harbour."""

    OPENING = "opening"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True)
class Valued:
    """A legal move, and the share of the points that its seat may expect after it."""

    move: Move
    share: float


@dataclass(frozen=True, slots=True)
class Decision:
    """A bot's or a person's choice among two or more legal moves.

    `moment` is that of the move: the one before it is the position in which the seat chose.
    """

    moment: int
    seat: int
    turn: int
    kind: str
    """The kind of the decision, such as `visit`."""
    phase: Phase
    move: Move
    """The move that was played."""
    mark: Mark | None
    values: tuple[Valued, ...]
    """All legal moves, the best one first."""
    line: tuple[Move, ...]
    """The best move and what may follow it, all seats playing well, up to the next roll."""
    looks: int
    """How often the search looked further."""

    @property
    def share(self) -> float:
        """The share of the points after the move that was played."""
        return next(value.share for value in self.values if value.move == self.move)

    @property
    def cost(self) -> float:
        """The share of the points that the move lost against the best one; 0 for the best."""
        return max(0.0, round(self.values[0].share - self.share, DIGITS))

    @property
    def gap(self) -> float:
        """How much better the best move is than the second best."""
        return max(0.0, round(self.values[0].share - self.values[1].share, DIGITS))


@dataclass(frozen=True, slots=True)
class RollLuck:
    """The luck that a roll gave each seat, in share of the points; below zero if it took."""

    moment: int
    seat: int
    luck: tuple[float, ...]


Chances = tuple[tuple[float, ...], ...]
"""The chance of each rank, from the first, for each seat."""


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """All that is known of a game. A caretaker's moves are random: they are no decisions."""

    engine: int
    """The version of the engine that made it."""
    looks: int
    """The looks for a decision that were asked for."""
    chances: tuple[Chances, ...]
    """The chances at each moment; the last one is the result."""
    decisions: tuple[Decision, ...]
    rolls: tuple[RollLuck, ...]
    turning: tuple[int, ...]
    """The moments at which the chances changed most, in their order."""
    caretaker: tuple[int, ...]
    """How many moves a caretaker made for each seat."""

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.caretaker)


def rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    """Round chances or shares to the precision in which they are kept."""
    return tuple(round(number, DIGITS) for number in numbers)
