"""The game Santiago de Cuba, by docs/rulings.md: pure, without I/O, clock or own randomness.

>>> from random import Random
>>> from referee.rules import Layout, Position
>>> position = Position.start(Layout.shuffled(Random(7)), players=3)
>>> position.roll((1, 4, 0, 2, 3))           # the dice come from outside
>>> position.play("exclude tobacco")         # a move by its text, checked: for people
>>> position.legal_texts()
['drive 1', 'drive 2', 'drive 3', 'drive 4']

>>> position.apply(position.legal_moves[0])  # a move by its number, unchecked: for programs
>>> position.legal_texts()
['visit trading-office', 'visit cigar-factory', 'visit casino']

In the examples of this package `position` is the one above, before its first drive.
"""

from referee.rules import position
from referee.rules.cells import Layout
from referee.rules.errors import (
    IllegalMove,
    InvalidLayout,
    InvalidMove,
    InvalidPosition,
    InvalidRoll,
    InvalidTrace,
    RulesError,
)
from referee.rules.moves import Move, move_text, parse_move
from referee.rules.pieces import BUILDINGS, CITIZENS, FLOWERS, GOODS, PLAIN_GOODS
from referee.rules.playouts import play_out, playouts, roll_dice
from referee.rules.position import Position
from referee.rules.scoring import Outcome, Reason, Score

RULES_VERSION = 1
"""Changes whenever the same choices and rolls could lead to another game."""

CORE = "pure Python" if position.__file__.endswith(".py") else "compiled"
"""The build of the rules that runs; both are the same source."""

__all__ = [
    "BUILDINGS",
    "CITIZENS",
    "CORE",
    "FLOWERS",
    "GOODS",
    "PLAIN_GOODS",
    "RULES_VERSION",
    "IllegalMove",
    "InvalidLayout",
    "InvalidMove",
    "InvalidPosition",
    "InvalidRoll",
    "InvalidTrace",
    "Layout",
    "Move",
    "Outcome",
    "Position",
    "Reason",
    "RulesError",
    "Score",
    "move_text",
    "parse_move",
    "play_out",
    "playouts",
    "roll_dice",
]
