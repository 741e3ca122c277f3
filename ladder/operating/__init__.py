"""What an operator sees of the service and does to it; every deed leaves an entry in the audit."""

from ladder.operating.bots import (
    BotAway,
    InValidation,
    away,
    bar,
    bot,
    pause,
    resume,
    validation,
)
from ladder.operating.matches import UnderWay, cancel, requeue, running, waiting_longest

__all__ = [
    "BotAway",
    "InValidation",
    "UnderWay",
    "away",
    "bar",
    "bot",
    "cancel",
    "pause",
    "requeue",
    "resume",
    "running",
    "validation",
    "waiting_longest",
]
