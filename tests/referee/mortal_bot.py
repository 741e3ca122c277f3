"""A bot whose process dies in the middle of a decision, once: it leaves a file behind."""

import os
import signal
from pathlib import Path

from referee.bot import Decision
from referee.rules import Move
from tests.referee.games import DrawingBot


class MortalBot(DrawingBot):
    """Kills its process at its third decision, if the file GRAVE is not there yet."""

    name = "mortal"

    def __init__(self) -> None:
        super().__init__()
        self._decisions = 0

    def choose(self, decision: Decision) -> Move:
        self._decisions += 1
        grave = Path(os.environ["GRAVE"])
        if self._decisions == 3 and not grave.exists():
            grave.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(decision)
