"""Sum an analysis up: each seat's loss and luck, and the turning points of the game."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from referee.analysis.judging import DIGITS, Mark
from referee.analysis.results import Chances, Decision, GameAnalysis

MOST_TURNING: Final = 5
"""The most turning points of a game."""
LEAST_SWING: Final = 0.1
"""The least change of a seat's chance to win that makes a turning point."""
_APART: Final = 4  # moments between two turning points, at least


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


def turning_points(chances: Sequence[Chances]) -> tuple[int, ...]:
    """Return the moments at which a seat's chance to win changed most, a few of them.

    The result itself, the last moment, is none.
    """
    swings = {moment: _swing(*pair) for moment, pair in enumerate(pairwise(chances[:-1]), 1)}
    by_size = sorted(swings, key=lambda moment: (-swings[moment], moment))
    return tuple(sorted(_apart(moment for moment in by_size if swings[moment] >= LEAST_SWING)))


def _swing(before: Chances, after: Chances) -> float:
    return max(abs(new[0] - old[0]) for old, new in zip(before, after, strict=True))


def _apart(moments: Iterable[int]) -> list[int]:
    found: list[int] = []
    for moment in moments:
        if len(found) < MOST_TURNING and all(abs(moment - other) >= _APART for other in found):
            found.append(moment)
    return found
