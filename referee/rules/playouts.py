"""Random games: random dice, players that choose at random, and many games side by side."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final, TypeAlias

from referee.rules import trace
from referee.rules.cells import PHASE, ROLL
from referee.rules.moves import Move
from referee.rules.pieces import CITRUS_DIE, PLAIN_DIE
from referee.rules.position import Position

Roll: TypeAlias = Callable[[Random], tuple[int, ...]]
"""A way to roll the five dice, by plain good."""


def roll_dice(rng: Random) -> tuple[int, ...]:
    """Roll the five dice fairly (S5).

    Args:
        rng: The source of randomness; the rules have none of their own.

    Returns:
        The faces by plain good: sugar, citrus, tobacco, rum, cigars.

    Example:
        >>> roll_dice(Random(5))
        (2, 3, 2, 3, 2)
    """
    random = rng.random
    return (
        PLAIN_DIE[int(random() * 6)],
        CITRUS_DIE[int(random() * 6)],
        PLAIN_DIE[int(random() * 6)],
        PLAIN_DIE[int(random() * 6)],
        PLAIN_DIE[int(random() * 6)],
    )


def roll_heavy_zero(rng: Random) -> tuple[int, ...]:
    """Roll dice loaded towards 0 (three of four dice are set to 0), for the rare rulings."""
    return tuple([die if rng.random() < 0.25 else 0 for die in roll_dice(rng)])


DICE_BY_NAME: Final[dict[str, Roll]] = {"fair": roll_dice, "heavy-zero": roll_heavy_zero}
"""The ways to roll that a user can choose."""


def play_out(position: Position, rng: Random, roll: Roll = roll_dice) -> int:
    """Play a game to its end in place; each choice is uniformly random among the legal moves.

    Args:
        position: Where the game stands; afterwards its end.
        rng: The source of randomness, for the choices and the dice.
        roll: How to roll the dice; fair by default.

    Returns:
        How many choices there were.

    Example:
        >>> end = position.copy()
        >>> play_out(end, Random(3))
        211
        >>> [score.vp for score in end.scores()]
        [27, 6, 19]
    """
    random = rng.random
    choices = 0
    while True:
        moves = position.legal_moves
        if moves:
            choices += 1
            position.apply(moves[int(random() * len(moves))])
        elif position.cells[PHASE] == ROLL:
            position.roll(roll(rng))
        else:
            return choices


def playouts(position: Position, games: int, rng: Random) -> list[Position]:
    """Play many random games from one position, which stays as it is.

    Args:
        position: Where each game begins.
        games: How many games to play.
        rng: The source of randomness.

    Returns:
        The final positions, one for each game.

    Example:
        >>> ends = playouts(position, 3, Random(1))
        >>> [end.vp(0) for end in ends]
        [18, 8, 8]
    """
    ends = []
    for _ in range(games):
        end = position.copy()
        play_out(end, rng)
        ends.append(end)
    return ends


def play_each(positions: list[Position], moves: list[Move], lucks: list[Random]) -> list[int]:
    """Play a move in each of many games, and roll where dice are awaited, each by its generator.

    Args:
        positions: Where the games stand, changed in place: afterwards a seat has to decide in each
            of them, or it is over.
        moves: A legal move for each game; it is not checked.
        lucks: The source of randomness of each game.

    Returns:
        The numbers of the games that are over now.

    Example:
        >>> games = [position.copy(), position.copy()]
        >>> play_each(games, [65, 97], [Random(1), Random(2)])
        []
        >>> [game.car for game in games]
        [2, 3]
    """
    over = []
    for game in range(len(positions)):
        position = positions[game]
        position.apply(moves[game])
        while not position.legal_moves:
            if position.cells[PHASE] != ROLL:
                over.append(game)
                break
            position.roll(roll_dice(lucks[game]))
    return over


def trace_out(position: Position, rng: Random, roll: Roll = roll_dice) -> Iterator[trace.Line]:
    """Play a game to its end in place, as `play_out` does, and yield the lines of its trace."""
    yield trace.setup_line(position.layout, position.players)
    while (outcome := position.outcome()) is None:
        if position.legal_moves:
            move = rng.choice(position.legal_moves)
            yield trace.decision_line(position, move)
            position.apply(move)
        else:
            dice = roll(rng)
            yield trace.roll_line(position.seat, dice)
            position.roll(dice)
    yield trace.result_line(position, outcome)
