"""Random games: dice that fall by chance, players that choose by chance."""

from collections.abc import Iterator
from random import Random

from referee.rules.cells import PHASE, ROLL
from referee.rules.pieces import CITRUS_DIE, PLAIN_DIE
from referee.rules.position import Position
from referee.rules.trace import Line, decision_line, result_line, roll_line, setup_line


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


def trace_out(position: Position, rng: Random) -> Iterator[Line]:
    """Plays the game to its end in place as `play_out` does, and yields its trace."""
    yield setup_line(position.layout, position.players)
    while (outcome := position.outcome()) is None:
        if position.legal_moves:
            move = rng.choice(position.legal_moves)
            yield decision_line(position, move)
            position.apply(move)
        else:
            dice = roll_dice(rng)
            yield roll_line(position.seat, dice)
            position.roll(dice)
    yield result_line(position, outcome)
