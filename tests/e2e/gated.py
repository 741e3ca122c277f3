"""A bot that makes as many decisions in a game as a file allows: a test sets the pace."""

import os
import time
from pathlib import Path
from random import Random

from referee.bot import Bot, Decision
from referee.rules import Move

GATE = "SANTIAGO_TEST_GATE"
"""The file with the number of decisions."""

_ASK_EVERY = 0.1  # seconds; bots wait for as long as a browser looks at all pages


class Gated(Bot):
    """Chooses by chance."""

    name = "gated"

    def __init__(self) -> None:
        self._gate = Path(os.environ[GATE])
        self._rng = Random(1)
        self._made = 0

    def choose(self, decision: Decision) -> Move:
        while self._made >= int(self._gate.read_text() or 0):
            time.sleep(_ASK_EVERY)
        self._made += 1
        return self._rng.choice(decision.moves)
