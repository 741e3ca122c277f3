"""The Python bot kit: a bot is a class with one method.

>>> class Hasty(Bot):
...     def choose(self, decision: Decision) -> Move:
...         return decision.moves[0]

`referee.serving.serve(Hasty)` makes it a process that the referee can call. One object of the
class plays one game; the kit makes an object for each game.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from referee.errors import InvalidBot
from referee.rules import InvalidMove, Move, Position, move_text

_MOST_LEGAL: Final = 8  # moves in the message of an illegal one


@dataclass(frozen=True, slots=True)
class Note:
    """Words of a bot beside a choice, for people: see `Decision.note`."""

    text: str = ""
    chances: Sequence[float] = ()
    line: Sequence[Move] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice among two or more legal moves, as a bot gets it.

    The kit makes decisions; in a test of your own, make one from a position:

    >>> decision = Decision(position, position.seat, time_left=10.0, bank_left=60.0)
    >>> decision.moves == position.legal_moves
    True
    """

    position: Position
    """The game as it stands. It is the bot's own copy: play on it as you like."""
    seat: int
    """The bot's seat, from 0; the same as `position.seat`."""
    time_left: float
    """Seconds for this move: the smaller of the move's limit and the bank."""
    bank_left: float
    """Seconds for the rest of the game."""
    moves: tuple[Move, ...] = field(init=False)
    """The legal moves. They stay the same, whatever is played in `position`."""
    noted: Note | None = field(init=False, default=None, compare=False, repr=False)
    """The newest note; None if there is none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", self.position.legal_moves)

    def note(
        self, text: str = "", *, chances: Sequence[float] = (), line: Sequence[Move] = ()
    ) -> None:
        """Leave a note beside the choice, for people; the newest one counts.

        You see it at once on the page of the match, all others after the game. It changes nothing
        in the game: what is too long is cut, and what is wrong is left out (docs/protocol.md).

        Args:
            text: At most 200 characters.
            chances: Your estimate of each seat's chance to win, by seat, from 0 to 1.
            line: The moves that you expect, your own choice first; at most 12.

        Example:
            >>> decision = Decision(position, position.seat, time_left=10.0, bank_left=60.0)
            >>> decision.note("The bank pays.", chances=[0.5, 0.3, 0.2], line=decision.moves[:1])
            >>> decision.noted.text
            'The bank pays.'
        """
        object.__setattr__(self, "noted", Note(text, chances, line))


class Bot:
    """The base class of a bot: derive from it and write `choose`.

    The class attributes are what the bot says about itself when the referee calls `Describe`.
    Prepare what takes long in `__init__`, without arguments: it runs before the bot accepts a game.

    >>> class Hasty(Bot):
    ...     name = "hasty"
    ...     author = "me"
    ...
    ...     def choose(self, decision: Decision) -> Move:
    ...         return decision.moves[0]
    """

    name = "unnamed"
    """The bot's name on results and replays."""
    version = "1"
    """The version of the bot; on a ladder, the one that was submitted."""
    author = "unknown"
    """The author's name."""
    language = "Python"
    """The language that the bot is written in."""

    def nonce(self) -> bytes:
        """Return the bot's part in the dice, so that who drew the seed can't have chosen them.

        Override it for a fixed nonce. It is called once a game, if the referee is another process
        (docs/dice.md).

        Returns:
            0 to 32 bytes; 16 random ones by default.

        Example:
            >>> class Lucky(Bot):
            ...     def nonce(self) -> bytes:
            ...         return b"lucky number 7"
        """
        return secrets.token_bytes(16)

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        """Choose a move. Every bot overrides this method.

        Args:
            decision: The position, the legal moves, and the time that is left.

        Returns:
            One of `decision.moves`.

        Raises:
            InvalidBot: The class has no `choose` of its own. Any error that your method raises ends
                the bot's game as a fault; its text is shown to you.

        Example:
            >>> class Hasty(Bot):
            ...     def choose(self, decision: Decision) -> Move:
            ...         return decision.moves[0]
            >>> move_text(Hasty().choose(Decision(position, position.seat, 10.0, 60.0)))
            'drive 1'
        """
        raise InvalidBot(
            f"{self.name} has no method choose(decision). Write into the class "
            f"{type(self).__name__}: def choose(self, decision): return decision.moves[0]"
        )


def illegal_move(move: object, moves: Sequence[Move]) -> str:
    """Return the end of a sentence on a bot that chose a move which is not one of `moves`."""
    legal = ", ".join(map(_named, moves[:_MOST_LEGAL]))
    more = "" if len(moves) <= _MOST_LEGAL else f" and {len(moves) - _MOST_LEGAL} more"
    return f"{_named(move)}, which is not one of decision.moves: {legal}{more}."


def _named(move: object) -> str:
    """Return a move's number with its text; anything else as Python shows it."""
    try:
        return f"{move} ({move_text(cast(Move, move))})"
    except (InvalidMove, TypeError):
        return repr(move)
