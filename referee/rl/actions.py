"""Number what an agent can choose, mask what is legal, and reward how a game ends.

Three moves count without a bound: `drive N`, `buy N` and `sell N`. Here they end at 64; a longer
drive or a larger trade cannot be chosen. There is always an action: a player who could drive 65
stops can drive 1, and a player who could trade can pass.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules import Move, Outcome, Position, parse_move, pieces
from referee.rules.moves import GIFTS

LARGEST_COUNT: Final = 64


def _texts() -> Iterator[str]:
    """Yield the moves in the order of their numbers, which is public: new ones go to the end."""
    yield "pass"
    yield from _each("drive", range(1, LARGEST_COUNT + 1))
    yield from _each("take", pieces.PLAIN_GOODS)
    yield from _each("own", pieces.BUILDINGS)
    yield from _each("use", pieces.BUILDINGS)
    yield from _each("give", GIFTS)
    yield from _each("visit", pieces.BUILDINGS)
    yield from _each("convert", range(1, pieces.UNITS_OF_EACH_GOOD + 1))
    yield from (f"swap {give} {get}" for give, get in permutations(pieces.PLAIN_GOODS, 2))
    yield "sell wood"
    yield from _each("serve", ("rum", "cigars", "rum cigars"))
    yield from _each("clear", pieces.PLAIN_GOODS)
    yield from _each("buy", range(1, LARGEST_COUNT + 1))
    yield from _each("sell", range(1, LARGEST_COUNT + 1))
    yield from ("raise", "lower")
    yield from _each("ship", pieces.PLAIN_GOODS)
    yield from _each("silence", pieces.CITIZENS)
    loads = [
        (good, n)
        for good, die in zip(pieces.PLAIN_GOODS, pieces.DICE, strict=True)
        for n in die[1:]
    ]
    loads = sorted(set(loads), key=lambda load: (pieces.PLAIN_GOODS.index(load[0]), load[1]))
    yield from (f"deliver {good} {units}" for good, units in loads)
    yield from (f"deliver wood {units} as {good}" for good, units in loads)
    yield from _each("exclude", pieces.PLAIN_GOODS)


def _each(verb: str, arguments: range | tuple[str, ...]) -> Iterator[str]:
    return (f"{verb} {argument}" for argument in arguments)


ACTIONS: Final[tuple[Move, ...]] = tuple(map(parse_move, _texts()))
"""The move of each action."""

ACTION_OF: Final[dict[Move, int]] = {move: action for action, move in enumerate(ACTIONS)}
"""The action of each move; drives and trades beyond 64 have none."""

_ONLY_PASS: Final = (ACTIONS[0],)


def action_mask(position: Position, seat: int) -> NDArray[np.int8]:
    """Return which actions a seat can choose now.

    Args:
        position: The game as it stands.
        seat: The seat that looks, from 0.

    Returns:
        An array of shape (331,), int8: 1 for each action that can be chosen, else 0. It always has
        a 1, so that probabilities can be made of it: for a seat that does not decide now, and when
        the game is over, it is that of `pass`.

    Example:
        >>> [move_text(ACTIONS[action]) for action in np.flatnonzero(action_mask(position, 0))]
        ['drive 1', 'drive 2', 'drive 3', 'drive 4']
    """
    moves = position.legal_moves if seat == position.seat else ()
    return np.frombuffer(mask_bytes(moves), dtype=np.int8).copy()


@lru_cache(maxsize=1 << 14)  # 8 MB; the rules give the same tuples of moves again and again
def mask_bytes(moves: tuple[Move, ...]) -> bytes:
    """Return the mask of these legal moves as 331 bytes: without moves, `pass` alone."""
    mask = bytearray(len(ACTIONS))
    for move in moves or _ONLY_PASS:
        if move in ACTION_OF:
            mask[ACTION_OF[move]] = 1
    return bytes(mask)


def rewards(outcome: Outcome) -> list[float]:
    """Return by seat the share of the others that it ranks above less the share that rank above it.

    1 for a sole winner, -1 for a seat that is last alone, 0 if all are equal; the sum is 0.
    """
    ranks = [score.rank for score in outcome.scores]
    beaten = [sum(other > rank for other in ranks) for rank in ranks]
    beaten_by = [sum(other < rank for other in ranks) for rank in ranks]
    others = len(ranks) - 1
    return [(won - lost) / others for won, lost in zip(beaten, beaten_by, strict=True)]
