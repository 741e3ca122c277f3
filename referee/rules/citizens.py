"""The citizens: their gifts, Pablo's pick, El Zorro's tribute, Alonso's offer (C1 to C5)."""

from typing import Final

from referee.rules.cells import (
    ACTIVE,
    BIT,
    HELD,
    LAWYER_CHOICE,
    MARKERS,
    OWNED,
    OWNER,
    PESOS,
    PICK,
    PLAYER,
    SEAT,
    SUPPLY,
    TRIBUTE,
    VP,
)
from referee.rules.legal_moves import lawyer_moves, pick_moves, tribute_moves
from referee.rules.moves import GIFT_PESO, GIFT_VP
from referee.rules.pieces import (
    CITRUS,
    EL_ZORRO,
    MIGUEL,
    PABLO,
    SUGAR,
    TOBACCO,
    WOOD,
)
from referee.rules.state import GameState

# The gift of each citizen who only gives (C2): the cell within the player's block, and how much.
_GIVEN: Final[tuple[int, ...]] = (
    HELD + TOBACCO,
    VP,
    HELD + SUGAR,
    PESOS,
    HELD + CITRUS,
    HELD + WOOD,
)
_HOW_MUCH: Final[tuple[int, ...]] = (2, 2, 2, 3, 2, 2)


def meet(state: GameState, citizen: int) -> bool:
    """Let the active player meet the citizen at whose stop the car is. Return True if there is a
    choice.
    """
    cells = state.cells
    active = cells[ACTIVE]
    base = PLAYER[active]
    if citizen <= MIGUEL:
        cell = _GIVEN[citizen]
        if cell >= HELD:
            take(cells, base, cell - HELD, _HOW_MUCH[citizen])
        else:
            cells[base + cell] += _HOW_MUCH[citizen]
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


def take(cells: list[int], base: int, good: int, units: int) -> None:
    """Give a player units of a good, or as many as the supply has left (C1)."""
    left = cells[SUPPLY + good]
    if units > left:
        units = left
    cells[SUPPLY + good] = left - units
    cells[base + HELD + good] += units


def ask_tribute(state: GameState, after: int) -> bool:
    """Ask the next player after `after`, clockwise, who has something to give (C4).

    Return False if all have been asked.
    """
    cells = state.cells
    thief = cells[ACTIVE]
    players = state.players
    seat = after + 1 if after + 1 < players else 0
    while seat != thief:
        moves = tribute_moves(cells, PLAYER[seat])
        if moves:
            state.ask(TRIBUTE, seat, moves)
            return True
        seat = seat + 1 if seat + 1 < players else 0
    return False


def give_tribute(state: GameState, gift: int) -> bool:
    """Pass a gift to the thief (C4). Return True if another player is asked for one."""
    cells = state.cells
    giver = PLAYER[cells[SEAT]]
    thief = PLAYER[cells[ACTIVE]]
    if gift == GIFT_PESO:
        what = PESOS
    elif gift == GIFT_VP:
        what = VP
    else:
        what = HELD + gift
    cells[giver + what] -= 1
    cells[thief + what] += 1
    return ask_tribute(state, cells[SEAT])


def own(state: GameState, building: int) -> None:
    """Put a marker of the active player on a building that nobody owns (C5)."""
    cells = state.cells
    active = cells[ACTIVE]
    cells[OWNER + building] = active
    cells[OWNED] |= BIT[building]
    cells[PLAYER[active] + MARKERS] -= 1
