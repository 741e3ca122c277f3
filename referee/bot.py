"""The Python bot kit: a bot is a class with one method.

    class Hasty(Bot):
        def choose(self, decision: Decision) -> Move:
            return decision.moves[0]

`referee.serving.serve(Hasty)` makes it a process that the referee can call. One object of the
class plays one game; the kit makes as many as there are games.
"""

import secrets
from dataclasses import dataclass, field

from referee.errors import InvalidBot
from referee.rules import Move, Position


@dataclass(frozen=True, slots=True)
class Decision:
    """What a bot is asked: which of two or more legal moves."""

    position: Position
    """The game as it stands. It is the bot's own copy, to search on as it likes."""
    seat: int
    """Who asks: the bot's seat, from 0. `position.seat` says the same."""
    time_left: float
    """Seconds for this move: the smaller of the move's limit and the bank."""
    bank_left: float
    """Seconds for the rest of the game."""
    moves: tuple[Move, ...] = field(init=False)
    """The legal moves. They stay, whatever is played in `position`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", self.position.legal_moves)


class Bot:
    """The base of a bot. The class attributes are what it tells of itself (`Describe`)."""

    name = "unnamed"
    version = "1"
    author = "unknown"
    language = "Python"

    def nonce(self) -> bytes:
        """Up to 32 bytes that go into the dice of a game, so that nobody can choose them.

        They are asked for where the referee is another process (docs/dice.md). Random by default.
        """
        return secrets.token_bytes(16)

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        """One of `decision.moves`."""
        raise InvalidBot(
            f"{self.name} has no method choose(decision). Write into the class "
            f"{type(self).__name__}: def choose(self, decision): return decision.moves[0]"
        )
