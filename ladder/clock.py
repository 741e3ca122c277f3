"""Stand-in until referee.clock lands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """Seconds."""

    move_limit: float = 10.0
    bank: float = 60.0
    increment: float = 0.5
