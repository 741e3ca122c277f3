"""The bot: how long it thinks, and that it plays what its tree has found."""

import os
from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Final

from referee.bot import Bot, Decision
from referee.engine.collector import garbage_collector_rests
from referee.errors import InvalidSetting
from referee.rules import Move
from sample_bots.planner.search import Tree

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
        self._seconds = seconds_from_environment() if seconds is None else _checked(seconds)
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


def seconds_from_environment() -> float:
    """Return the thinking time that the environment asks for. Raises InvalidSetting."""
    text = os.environ.get(SECONDS_VARIABLE) or str(SECONDS)
    try:
        return _checked(float(text))
    except ValueError:
        raise InvalidSetting(
            f"{SECONDS_VARIABLE} is {text!r}; set it to the seconds that the planner may think "
            "about a decision, such as 0.1, or unset it."
        ) from None


def _checked(seconds: float) -> float:
    if not 0 < seconds < float("inf"):
        raise ValueError(f"The planner needs a thinking time above 0 seconds, not {seconds}.")
    return seconds
