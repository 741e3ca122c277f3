"""Buildings: what each function does (B4 to B11)."""

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
from referee.rules.options import building_in_use, function_moves
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
from referee.rules.ships import lower_demand, raise_value
from referee.rules.state import State


def offer(state: State, building: int) -> bool:
    """The active player may use a building. True if a decision stands; what only gives is done."""
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


def use(state: State, move: Move) -> None:
    """The chosen use of the building; with customs, harbour and trading office a ship may leave."""
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


def put_back(cells: list[int], base: int, good: int, units: int) -> None:
    """Units of a good go from a player to the supply."""
    cells[base + HELD + good] -= units
    cells[SUPPLY + good] += units


def _exchange(cells: list[int], base: int, given: int, got: int, units: int) -> None:
    """Units of one good for as many of another."""
    put_back(cells, base, given, units)
    cells[SUPPLY + got] -= units
    cells[base + HELD + got] += units
