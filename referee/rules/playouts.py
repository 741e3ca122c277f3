"""Random games: dice that fall by chance, players that choose by chance."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final, TypeAlias

from referee.rules.cells import PHASE, ROLL
from referee.rules.pieces import CITRUS_DIE, PLAIN_DIE
from referee.rules.position import Position
from referee.rules.trace import Line, decision_line, result_line, roll_line, setup_line

Roll: TypeAlias = Callable[[Random], tuple[int, ...]]
"""A way to roll the five dice, by plain good."""


def roll_dice(rng: Random) -> tuple[int, ...]:
    """A fair roll of the five dice (S5), by plain good."""
    random = rng.random
    return (
        PLAIN_DIE[int(random() * 6)],
        CITRUS_DIE[int(random() * 6)],
        PLAIN_DIE[int(random() * 6)],
        PLAIN_DIE[int(random() * 6)],
        PLAIN_DIE[int(random() * 6)],
    )


def roll_heavy_zero(rng: Random) -> tuple[int, ...]:
    """A roll loaded towards 0, so that the rare rulings come up: of four dice three are turned."""
    return tuple([die if rng.random() < 0.25 else 0 for die in roll_dice(rng)])


DICE_BY_NAME: Final[dict[str, Roll]] = {"fair": roll_dice, "heavy-zero": roll_heavy_zero}
"""The ways to roll from which a user can choose."""


def play_out(position: Position, rng: Random, roll: Roll = roll_dice) -> int:
    """Plays the game to its end in place, each choice uniformly random among the legal moves.

    Returns how many choices there were.
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
    """The ends of many random games that go on from one position, which itself stays as it is."""
    ends = []
    for _ in range(games):
        end = position.copy()
        play_out(end, rng)
        ends.append(end)
    return ends


def trace_out(position: Position, rng: Random, roll: Roll = roll_dice) -> Iterator[Line]:
    """Plays the game to its end in place as `play_out` does, and yields its trace."""
    yield setup_line(position.layout, position.players)
    while (outcome := position.outcome()) is None:
        if position.legal_moves:
            move = rng.choice(position.legal_moves)
            yield decision_line(position, move)
            position.apply(move)
        else:
            dice = roll(rng)
            yield roll_line(position.seat, dice)
            position.roll(dice)
    yield result_line(position, outcome)
