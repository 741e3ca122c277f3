"""Which legal moves are worth a look: the search has no time for the others."""

from typing import Final

from referee.rules import Move, Position
from referee.rules.cells import DELIVER, DRIVE, FUNCTION, PHASE
from referee.rules.moves import BUYS, SELLS, VERB_BITS, VERB_MASK
from referee.rules.pieces import CASINO, STOPS

CASINO_DEALS: Final = 3
GOOD_MASK: Final = 7


def candidates(position: Position) -> tuple[Move, ...]:
    """At least one of the legal moves, if there are any."""
    phase = position.cells[PHASE]
    if phase == DRIVE:
        return position.legal_moves[:STOPS]
    if phase == DELIVER:
        return _full_loads(position.legal_moves)
    if phase == FUNCTION and position.building == CASINO:
        return _casino_deals(position.legal_moves)
    return position.legal_moves


def _full_loads(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """As many units as possible of each good; the legal moves stand in order of units."""
    largest = {(move & VERB_MASK, move >> VERB_BITS & GOOD_MASK): move for move in moves}
    return tuple(largest.values())


def _casino_deals(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """The most VP that can be bought and a little less, a few pesos for VP, or nothing."""
    buys = [move for move in moves if move & VERB_MASK == BUYS]
    sells = [move for move in moves if move & VERB_MASK == SELLS]
    return (*buys[-CASINO_DEALS:], *sells[:CASINO_DEALS], moves[-1])
