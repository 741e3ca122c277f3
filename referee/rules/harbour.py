"""The harbour: delivery rounds (H1 to H3)."""

from referee.rules.buildings import put_back
from referee.rules.cells import (
    ACTIVE,
    DELIVER,
    OVER,
    PHASE,
    PLAYER,
    ROUND,
    SEAT,
    SHIP,
    VALUE,
    VP,
)
from referee.rules.moves import DELIVERS, PASS, VERB_BITS, VERB_MASK, Move
from referee.rules.options import delivery_moves
from referee.rules.pieces import WOOD
from referee.rules.ships import lower_demand, raise_value
from referee.rules.state import State


def open_round(state: State) -> bool:
    """H1: a delivery round begins with the active player. True if a decision stands."""
    cells = state.cells
    cells[ROUND] = (1 << state.players) - 1
    return _ask_next(state, cells[ACTIVE])


def deliver(state: State, move: Move) -> bool:
    """A delivery or a pass. True if another decision of this round stands."""
    cells = state.cells
    seat = cells[SEAT]
    verb = move & VERB_MASK
    if verb == PASS:
        cells[ROUND] ^= 1 << seat
    else:
        ship = cells[SHIP]
        _load(state, seat, verb, move >> VERB_BITS)
        if cells[SHIP] != ship or cells[PHASE] == OVER:
            cells[ROUND] = 0
            return False
    return _ask_next(state, seat + 1 if seat + 1 < state.players else 0)


def _load(state: State, seat: int, verb: int, argument: int) -> None:
    """H2: the value for each plain good, 1 VP for each wood; goods go back to the supply."""
    cells = state.cells
    units, good = argument >> 3, argument & 7
    base = PLAYER[seat]
    if verb == DELIVERS:
        put_back(cells, base, good, units)
        cells[base + VP] += units * cells[VALUE]
    else:
        put_back(cells, base, WOOD, units)
        cells[base + VP] += units
    lower_demand(state, good, units)


def _ask_next(state: State, seat: int) -> bool:
    """The first from `seat` on, clockwise, who is still in and can deliver, is asked.

    Who cannot deliver passes, which is nobody's decision. When all have passed the value rises.
    """
    cells = state.cells
    while cells[ROUND]:
        if cells[ROUND] >> seat & 1:
            moves = delivery_moves(cells, PLAYER[seat])
            if len(moves) > 1:
                cells[PHASE] = DELIVER
                cells[SEAT] = seat
                state.legal_moves = moves
                return True
            cells[ROUND] ^= 1 << seat
        seat = seat + 1 if seat + 1 < state.players else 0
    raise_value(state)
    return False
