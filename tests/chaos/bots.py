"""The bots of the chaos: they take a moment for each move, so that there is a game to disturb."""

import os
import time
from typing import Final

from referee.bot import Bot, Decision
from referee.rules import Move

PAUSE: Final = "SANTIAGO_CHAOS_PAUSE"
"""The variable that tells how many seconds a move takes."""


class Ponderer(Bot):
    """Plays like no other bot, and takes its time."""

    name = "ponderer"

    def choose(self, decision: Decision) -> Move:
        time.sleep(float(os.environ[PAUSE]))
        return decision.moves[decision.position.turn % len(decision.moves)]
