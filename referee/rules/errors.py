"""The errors that the rules raise.

RulesError (a ValueError)
  +-- InvalidMove       the text is not a move
  +-- IllegalMove       it is a move, but not a legal one here
  +-- InvalidPosition   the text is not a position, or not one that the game can have
  +-- InvalidLayout     not nine citizens and twelve buildings
  +-- InvalidRoll       not five dice, or a die without that face, or no roll is awaited
  +-- InvalidTrace      a line of a trace is not what the rules give

    try:
        position.play(input("Your move: "))
    except RulesError as error:
        print(error)
"""


class RulesError(ValueError):
    """The base of all errors of the rules. The message says what is wrong and what is expected."""


class InvalidMove(RulesError):
    """A text that is not a move of the notation, or a number that is not a move."""


class IllegalMove(RulesError):
    """A move that cannot be played in this position."""


class InvalidPosition(RulesError):
    """A text that is not a position of this game, or a wrong number of players."""


class InvalidLayout(RulesError):
    """Citizens, buildings or flowers that do not make a board."""


class InvalidRoll(RulesError):
    """Dice that cannot fall like this, or that nobody has to roll now."""


class InvalidTrace(RulesError):
    """A trace that is not the trace of a game by the rules."""
