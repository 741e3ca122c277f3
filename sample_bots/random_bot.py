"""The bot that chooses at random: every other bot should beat it."""

from random import Random

from referee.bot import Bot, Decision
from referee.rules import Move


class RandomBot(Bot):
    """Chooses any of the legal moves, by `rng` if it is given."""

    name = "random"
    author = "Santiago Arena"

    def __init__(self, rng: Random | None = None) -> None:
        self._rng = rng or Random()

    def choose(self, decision: Decision) -> Move:
        return self._rng.choice(decision.moves)
