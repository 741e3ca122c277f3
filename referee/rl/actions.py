"""The action space: every move of the game has a fixed number.

Three moves count without a bound: `drive N`, `buy N` and `sell N`. Here they end at 64; a longer
drive or a larger trade cannot be chosen. Something always can: whoever could drive 65 stops can
drive 1, and whoever could trade can pass.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules import Move, Position, parse_move
from referee.rules.moves import GIFTS
from referee.rules.pieces import (
    BUILDINGS,
    CITIZENS,
    DICE,
    PLAIN_GOODS,
    UNITS_OF_EACH_GOOD,
)

LARGEST_COUNT: Final = 64


def _texts() -> Iterator[str]:
    """The moves in the order of their numbers. Its order is public: new ones go to the end."""
    yield "pass"
    yield from _each("drive", range(1, LARGEST_COUNT + 1))
    yield from _each("take", PLAIN_GOODS)
    yield from _each("own", BUILDINGS)
    yield from _each("use", BUILDINGS)
    yield from _each("give", GIFTS)
    yield from _each("visit", BUILDINGS)
    yield from _each("convert", range(1, UNITS_OF_EACH_GOOD + 1))
    yield from (f"swap {give} {get}" for give, get in permutations(PLAIN_GOODS, 2))
    yield "sell wood"
    yield from _each("serve", ("rum", "cigars", "rum cigars"))
    yield from _each("clear", PLAIN_GOODS)
    yield from _each("buy", range(1, LARGEST_COUNT + 1))
    yield from _each("sell", range(1, LARGEST_COUNT + 1))
    yield from ("raise", "lower")
    yield from _each("ship", PLAIN_GOODS)
    yield from _each("silence", CITIZENS)
    loads = [(good, n) for good, die in zip(PLAIN_GOODS, DICE, strict=True) for n in die[1:]]
    loads = sorted(set(loads), key=lambda load: (PLAIN_GOODS.index(load[0]), load[1]))
    yield from (f"deliver {good} {units}" for good, units in loads)
    yield from (f"deliver wood {units} as {good}" for good, units in loads)
    yield from _each("exclude", PLAIN_GOODS)


def _each(verb: str, arguments: range | tuple[str, ...]) -> Iterator[str]:
    return (f"{verb} {argument}" for argument in arguments)


ACTIONS: Final[tuple[Move, ...]] = tuple(map(parse_move, _texts()))
"""The move of each action."""

ACTION_OF: Final[dict[Move, int]] = {move: action for action, move in enumerate(ACTIONS)}
"""The action of a move; drives and trades beyond 64 have none."""

_ONLY_PASS: Final = (ACTIONS[0],)


def action_mask(position: Position, seat: int) -> NDArray[np.int8]:
    """1 for each action that a seat can choose now, else 0.

    For a seat that is not asked, and when the game is over, `pass` alone stands in the mask: it is
    never empty, so that probabilities can be made of it.
    """
    mask = np.zeros(len(ACTIONS), dtype=np.int8)
    moves = position.legal_moves if seat == position.seat else ()
    mask[[ACTION_OF[move] for move in moves or _ONLY_PASS if move in ACTION_OF]] = 1
    return mask
