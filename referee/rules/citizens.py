"""Citizens: what each gives, Pablo's pick, El Zorro's tribute, Alonso's offer (C1 to C5)."""

from typing import Final

from referee.rules.cells import (
    ACTIVE,
    HELD,
    LAWYER_CHOICE,
    MARKERS,
    OWNER,
    PESOS,
    PICK,
    PLAYERS,
    SEAT,
    STRIDE,
    SUPPLY,
    TRIBUTE,
    VP,
)
from referee.rules.moves import GIFT_PESO, GIFT_VP
from referee.rules.options import lawyer_moves, pick_moves, tribute_moves
from referee.rules.pieces import (
    CITRUS,
    EL_ZORRO,
    MARIA,
    MARTINEZ,
    MIGUEL,
    PABLO,
    SUGAR,
    TOBACCO,
    WOOD,
)
from referee.rules.state import State

# The good that a giving citizen hands out, two units each; Maria and Martinez give none.
_GIVEN_GOOD: Final = (TOBACCO, -1, SUGAR, -1, CITRUS, WOOD)
_UNITS_GIVEN: Final = 2
_VP_OF_MARIA: Final = 2
_PESOS_OF_MARTINEZ: Final = 3


def meet(state: State, citizen: int) -> bool:
    """The car has stopped at an awake citizen. True if a decision stands."""
    cells = state.cells
    active = cells[ACTIVE]
    base = PLAYERS + STRIDE * active
    if citizen <= MIGUEL:
        _give(cells, base, citizen)
        return False
    if citizen == PABLO:
        moves = pick_moves(cells)
        if moves:
            state.ask(PICK, active, moves)
        return bool(moves)
    if citizen == EL_ZORRO:
        return ask_tribute(state, active)
    moves = lawyer_moves(cells, base, active)
    if len(moves) > 1:
        state.ask(LAWYER_CHOICE, active, moves)
    return len(moves) > 1


def _give(cells: list[int], base: int, citizen: int) -> None:
    """C2: always used. C1: of goods, no more than the supply has."""
    if citizen == MARIA:
        cells[base + VP] += _VP_OF_MARIA
    elif citizen == MARTINEZ:
        cells[base + PESOS] += _PESOS_OF_MARTINEZ
    else:
        take(cells, base, _GIVEN_GOOD[citizen], _UNITS_GIVEN)


def take(cells: list[int], base: int, good: int, units: int) -> None:
    """C1: a player gets units of a good, or as many as are left."""
    units = min(units, cells[SUPPLY + good])
    cells[SUPPLY + good] -= units
    cells[base + HELD + good] += units


def ask_tribute(state: State, after: int) -> bool:
    """C4: the next player clockwise who has something to give. False when all have been asked."""
    cells = state.cells
    thief = cells[ACTIVE]
    seat = (after + 1) % state.players
    while seat != thief:
        moves = tribute_moves(cells, PLAYERS + STRIDE * seat)
        if moves:
            state.ask(TRIBUTE, seat, moves)
            return True
        seat = (seat + 1) % state.players
    return False


def give_tribute(state: State, gift: int) -> bool:
    """C4: a gift passes to the thief. True if another player is asked for one."""
    cells = state.cells
    giver = PLAYERS + STRIDE * cells[SEAT]
    thief = PLAYERS + STRIDE * cells[ACTIVE]
    if gift == GIFT_PESO:
        what = PESOS
    elif gift == GIFT_VP:
        what = VP
    else:
        what = HELD + gift
    cells[giver + what] -= 1
    cells[thief + what] += 1
    return ask_tribute(state, cells[SEAT])


def own(state: State, building: int) -> None:
    """C5: a marker is put on a building that nobody owned."""
    cells = state.cells
    active = cells[ACTIVE]
    cells[OWNER + building] = active
    cells[PLAYERS + STRIDE * active + MARKERS] -= 1
