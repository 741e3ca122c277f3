"""Random games: dice that fall by chance, players that choose by chance."""

from random import Random

from referee.rules.cells import PHASE, ROLL
from referee.rules.pieces import DICE
from referee.rules.position import Position


def roll_dice(rng: Random) -> tuple[int, ...]:
    """A fair roll of the five dice (S5), by plain good."""
    return tuple(faces[int(rng.random() * 6)] for faces in DICE)


def play_out(position: Position, rng: Random) -> None:
    """Plays the game to its end in place, each choice uniformly random among the legal moves."""
    random = rng.random
    while True:
        moves = position.legal_moves
        if moves:
            position.apply(moves[int(random() * len(moves))])
        elif position.cells[PHASE] == ROLL:
            position.roll(roll_dice(rng))
        else:
            return
