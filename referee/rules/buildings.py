"""The buildings: the function of each (B4 to B11)."""

from referee.rules.cells import (
    ACTIVE,
    DEMAND,
    FUNCTION,
    HELD,
    PESOS,
    PHASE,
    PLAYER,
    SEAT,
    SILENCED,
    SUPPLY,
    VALUE,
    VP,
)
from referee.rules.harbour import lower_demand, put_back, raise_value
from referee.rules.legal_moves import building_in_use, function_moves
from referee.rules.moves import (
    BUYS,
    CLEARS,
    CONVERTS,
    LOWERS,
    PASS,
    RAISES,
    SELLS,
    SELLS_WOOD,
    SERVE_CIGARS,
    SERVE_RUM,
    SERVES,
    SHIPS_ONE,
    SILENCES,
    SWAPS,
    VERB_BITS,
    VERB_MASK,
    Move,
)
from referee.rules.pieces import (
    BANK,
    CHURCH,
    CIGARS,
    DISTILLERY,
    NEWSPAPER,
    RUM,
    SUGAR,
    TOBACCO,
    WOOD,
)
from referee.rules.state import GameState


def offer(state: GameState, building: int) -> bool:
    """Offer a building's function to the active player. Return True if there is a choice.

    A function that only gives something is carried out at once.
    """
    cells = state.cells
    active = cells[ACTIVE]
    base = PLAYER[active]
    if building == BANK:
        cells[base + PESOS] += 2
        return False
    if building == CHURCH:
        cells[base + VP] += 1
        return False
    if building == NEWSPAPER:
        cells[base + PESOS] += 1
    moves = function_moves(cells, base, building)
    if len(moves) == 1:
        return False
    cells[PHASE] = FUNCTION
    cells[SEAT] = active
    state.legal_moves = moves
    return True


def use(state: GameState, move: Move) -> None:
    """Carry out the chosen use of a building; a ship may leave (customs, both offices)."""
    if move == PASS:
        return
    cells = state.cells
    base = PLAYER[cells[ACTIVE]]
    verb = move & VERB_MASK
    argument = move >> VERB_BITS
    if verb == CONVERTS:
        if building_in_use(cells) == DISTILLERY:
            _exchange(cells, base, SUGAR, RUM, argument)
        else:
            _exchange(cells, base, TOBACCO, CIGARS, argument)
    elif verb == SWAPS:
        _exchange(cells, base, argument >> 3, argument & 7, 1)
    elif verb == SELLS_WOOD:
        put_back(cells, base, WOOD, 1)
        cells[base + VP] += 1
        cells[base + PESOS] += 1
    elif verb == SERVES:
        if argument & SERVE_RUM:
            put_back(cells, base, RUM, 1)
            cells[base + VP] += 2
        if argument & SERVE_CIGARS:
            put_back(cells, base, CIGARS, 1)
            cells[base + VP] += 2
    elif verb == CLEARS:
        lower_demand(state, argument, cells[DEMAND + argument])
    elif verb == BUYS:
        cells[base + PESOS] -= 3 * argument
        cells[base + VP] += argument
    elif verb == SELLS:
        cells[base + VP] -= argument
        cells[base + PESOS] += 3 * argument
    elif verb == RAISES:
        raise_value(state)
    elif verb == LOWERS:
        cells[VALUE] -= 1
    elif verb == SHIPS_ONE:
        put_back(cells, base, argument, 1)
        cells[base + VP] += 2
        lower_demand(state, argument, 1)
    elif verb == SILENCES:
        cells[SILENCED] |= 1 << argument


def _exchange(cells: list[int], base: int, given: int, got: int, units: int) -> None:
    """Exchange units of one good for as many of another."""
    put_back(cells, base, given, units)
    cells[SUPPLY + got] -= units
    cells[base + HELD + got] += units
