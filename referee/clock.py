"""The clock of a match: a limit for each move, and a bank for the whole game."""

from dataclasses import dataclass
from typing import Final

from referee.rules.pieces import LAST_TURN

_DECISIONS_A_TURN: Final = 32
"""The most: 5 of the turn itself, 7 rolls, 3 gifts to El Zorro, and 17 in a delivery round of at
most 13 units."""
LONGEST_WAIT: Final = 6 * 3600.0
"""Seconds that all hosted bots of a match together may wait for processors, on nobody's clock."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that each seat has, in seconds.

    Raises ValueError if nobody could play on such a clock.
    """

    move_limit: float = 10.0
    """The longest that one move may take."""
    bank: float = 60.0
    """The time for the whole game."""
    increment: float = 0.5
    """Added to the bank before each decision."""
    start_up: float = 10.0
    """The time in which a bot gets ready and accepts the game, from the first dial."""

    def __post_init__(self) -> None:
        if not (0 < self.move_limit <= 3600 and 0 <= self.bank <= 36000):
            raise ValueError(
                "A clock needs a move limit above 0 and up to 3600 s, and a bank from 0 to 36000 s."
            )
        if not 0 <= self.increment <= 60 or self.bank + self.increment <= 0:
            raise ValueError("A clock needs an increment from 0 to 60 s, and some time at all.")
        if not 0 < self.start_up <= 600:
            raise ValueError("A clock needs a start-up time above 0 and up to 600 s.")

    def longest_match(self, seats: int) -> float:
        """Return the seconds after which a match on this clock is over, whatever its bots do."""
        return self.start_up + seats * self.bank + self.increment * _DECISIONS_A_TURN * LAST_TURN
