"""The bot: how long it thinks, and that it plays what its tree has found."""

from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Final

from referee.bot import Bot, Decision
from referee.engine.collector import garbage_collector_rests
from referee.rules import Move
from sample_bots.planner.search import Tree
from sample_bots.thinking import thinking_seconds

SECONDS: Final = 0.1
SECONDS_VARIABLE: Final = "SANTIAGO_PLANNER_SECONDS"
LARGEST_PART_OF_TIME_LEFT: Final = 0.2


class PlannerBot(Bot):
    """Searches for a fixed time a decision, and for less when the clock runs low.

    `seconds`: thinking time a decision; by default SANTIAGO_PLANNER_SECONDS, or 0.1.
    `rng`: rolls the dice in the tree. `clock`: returns seconds, as `monotonic` does.
    Raises ValueError if the thinking time is not above 0, InvalidSetting if that of the environment
    is not.
    """

    name = "planner"
    author = "Santiago Arena"

    def __init__(
        self,
        seconds: float | None = None,
        rng: Random | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._seconds = thinking_seconds(seconds, SECONDS_VARIABLE, SECONDS)
        self._rng = rng or Random()
        self._clock = clock

    def choose(self, decision: Decision) -> Move:
        seconds = min(self._seconds, decision.time_left * LARGEST_PART_OF_TIME_LEFT)
        end = self._clock() + seconds
        with garbage_collector_rests():
            tree = Tree(decision.position, self._rng)
            while not tree.is_settled and self._clock() < end:
                tree.grow()
            return tree.best_move
