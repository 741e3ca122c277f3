"""The planner's evaluation: how surely each seat ends ahead, without looking further.

What seats have is worth what the engine's prices say (`referee.engine.worth`): they were learned
from games of the planner against itself, as docs/sample-bots.md describes, and then rounded.
"""

from math import exp
from typing import Final

from referee.engine.worth import LEAD, worths
from referee.rules import cells
from referee.rules.position import Position

LEAD_AT_THE_END: Final = 0.5
"""VP ahead that are enough to feel safe when the game is over."""
SURE: Final = 20.0
"""The hyperbolic tangent of more is 1 as precisely as a float can be."""


def utilities(position: Position) -> list[float]:
    """Return, from -1 to 1, how surely each seat ends ahead of another seat, in the mean."""
    board = position.cells
    if board[cells.PHASE] == cells.OVER:
        ends = [
            score.vp + 0.2 * score.leftover + 0.001 * score.pesos for score in position.scores()
        ]
        return _compared(ends, LEAD_AT_THE_END)
    return _compared(worths(position), LEAD[board[cells.SHIP]])


def _compared(worth: list[float], lead: float) -> list[float]:
    players = len(worth)
    if players == 2:
        ahead = _tanh((worth[0] - worth[1]) / lead)
        return [ahead, -ahead]
    totals = [0.0] * players
    others = float(players - 1)
    for seat in range(players):
        for other in range(seat):
            ahead = _tanh((worth[seat] - worth[other]) / lead) / others
            totals[seat] += ahead
            totals[other] -= ahead
    return totals


def _tanh(x: float) -> float:
    """Return the hyperbolic tangent; compiled code calls `exp` directly, but not `tanh`."""
    if x > SURE:
        return 1.0
    if x < -SURE:
        return -1.0
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
