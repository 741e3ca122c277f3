"""The errors that the rules raise.

RulesError (a ValueError)
  +-- InvalidMove       the text is not a move
  +-- IllegalMove       it is a move, but not a legal one here
  +-- InvalidPosition   the text is not a position, or not one that the game can have
  +-- InvalidLayout     not nine citizens and twelve buildings
  +-- InvalidRoll       not five dice, or a die without that face, or no roll is awaited
  +-- InvalidTrace      a line of a trace is not what the rules give

>>> try:
...     position.play("drive 9")
... except RulesError as error:
...     print(error)
'drive 9' is not legal here; legal moves: drive 1, drive 2, drive 3, drive 4.
"""


class RulesError(ValueError):
    """The base of all errors of the rules. The message says what is wrong and what is expected."""


class InvalidMove(RulesError):
    """A text that is not a move of the notation, or a number that is not a move.

    >>> parse_move("fly 3")
    Traceback (most recent call last):
    referee.rules.errors.InvalidMove: 'fly 3' is not a move; moves look like 'drive 3', ...
    """


class IllegalMove(RulesError):
    """A move that cannot be played in this position.

    >>> position.play("pass")
    Traceback (most recent call last):
    referee.rules.errors.IllegalMove: 'pass' is not legal here; legal moves: drive 1, ...
    """


class InvalidPosition(RulesError):
    """A text that is not a position of this game, or a wrong number of players.

    >>> Position.parse("turn=14")
    Traceback (most recent call last):
    referee.rules.errors.InvalidPosition: The position lacks citizens=.
    """


class InvalidLayout(RulesError):
    """Citizens, buildings or flowers that do not make a board.

    >>> Layout((0, 0, 0), ())
    Traceback (most recent call last):
    referee.rules.errors.InvalidLayout: A layout needs each of the nine citizens once.
    """


class InvalidRoll(RulesError):
    """Dice that cannot fall like this, or that nobody has to roll now.

    >>> position.roll((1, 1, 1, 1, 1))
    Traceback (most recent call last):
    referee.rules.errors.InvalidRoll: Nobody has to roll now: the next is a drive decision.
    """


class InvalidTrace(RulesError):
    """A trace that is not the trace of a game by the rules.

    >>> list(read_trace(["{}"]))
    Traceback (most recent call last):
    referee.rules.errors.InvalidTrace: Line 1 of the trace is wrong: ...
    """
