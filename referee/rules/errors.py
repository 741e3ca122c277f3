"""What can be wrong with what is given to the rules.

RulesError (a ValueError)
  +-- InvalidMove       the text is not a move
  +-- IllegalMove       it is a move, but not a legal one here
  +-- InvalidPosition   the text is not a position, or not one that the game can have
  +-- InvalidLayout     not nine citizens and twelve buildings
  +-- InvalidRoll       not five dice, or a die without that face, or no roll is awaited
  +-- InvalidTrace      a line of a trace is not what the rules give
"""


class RulesError(ValueError):
    """The base of all errors of the rules; the message says what is wrong and what is expected."""


class InvalidMove(RulesError):
    """A text that is not a move of the notation."""


class IllegalMove(RulesError):
    """A move that cannot be played in this position."""


class InvalidPosition(RulesError):
    """A text that is not a position of this game."""


class InvalidLayout(RulesError):
    """Tiles that do not make a board."""


class InvalidRoll(RulesError):
    """Dice that cannot have fallen so, or that nobody has to roll now."""


class InvalidTrace(RulesError):
    """A trace that is not that of a game by the rules."""
