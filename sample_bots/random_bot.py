"""The bot that does not think: every other bot should beat it."""

from random import Random

from referee.bot import Bot, Decision
from referee.rules import Move


class RandomBot(Bot):
    """Chooses any legal move."""

    name = "random"
    author = "Santiago Arena"

    def __init__(self) -> None:
        self._rng = Random()

    def choose(self, decision: Decision) -> Move:
        return self._rng.choice(decision.moves)
