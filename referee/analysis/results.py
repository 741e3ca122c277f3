"""The analysis of a game, as plain data, and its sums: loss, luck and turning points."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from referee.analysis.judging import DIGITS, Mark
from referee.rules import Move

MOST_TURNING: Final = 5
"""The most turning points of a game."""
LEAST_SWING: Final = 0.1
"""The least change of a seat's chance to win that makes a turning point."""
_APART: Final = 4  # moments between two turning points, at least


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


@dataclass(frozen=True, slots=True)
class Losses:
    """Some decisions, and the share of the points that they cost together."""

    decisions: int
    loss: float

    @property
    def mean(self) -> float:
        """The cost of a decision; 0 without any."""
        return round(self.loss / self.decisions, DIGITS + 1) if self.decisions else 0.0


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """The cost of a seat's decisions, by their kind and phase, and what all rolls gave it."""

    seat: int
    all: Losses
    by_kind: dict[str, Losses]
    by_phase: dict[str, Losses]
    marks: dict[str, int]
    luck: float
    caretaker: int
    """How many moves a caretaker made for the seat: they count nowhere else."""


def summaries(analysis: GameAnalysis) -> tuple[SeatSummary, ...]:
    """Return the summary of each seat."""
    return tuple(_summary(analysis, seat) for seat in range(analysis.players))


def turning_points(chances: Sequence[Chances]) -> tuple[int, ...]:
    """Return the moments at which a seat's chance to win changed most, a few of them.

    The result itself, the last moment, is none.
    """
    swings = {moment: _swing(*pair) for moment, pair in enumerate(pairwise(chances[:-1]), 1)}
    by_size = sorted(swings, key=lambda moment: (-swings[moment], moment))
    return tuple(sorted(_apart(moment for moment in by_size if swings[moment] >= LEAST_SWING)))


def _summary(analysis: GameAnalysis, seat: int) -> SeatSummary:
    own = [decision for decision in analysis.decisions if decision.seat == seat]
    by_kind, by_phase = defaultdict(list), defaultdict(list)
    for decision in own:
        by_kind[decision.kind].append(decision)
        by_phase[decision.phase.value].append(decision)
    marks = Counter(decision.mark for decision in own)
    return SeatSummary(
        seat=seat,
        all=_losses(own),
        by_kind={kind: _losses(some) for kind, some in sorted(by_kind.items())},
        by_phase={phase: _losses(some) for phase, some in by_phase.items()},
        marks={mark.value: marks[mark] for mark in Mark},
        luck=round(sum(roll.luck[seat] for roll in analysis.rolls), DIGITS),
        caretaker=analysis.caretaker[seat],
    )


def _losses(decisions: Sequence[Decision]) -> Losses:
    return Losses(len(decisions), round(sum(one.cost for one in decisions), DIGITS))


def _swing(before: Chances, after: Chances) -> float:
    return max(abs(new[0] - old[0]) for old, new in zip(before, after, strict=True))


def _apart(moments: Iterable[int]) -> list[int]:
    found: list[int] = []
    for moment in moments:
        if len(found) < MOST_TURNING and all(abs(moment - other) >= _APART for other in found):
            found.append(moment)
    return found
