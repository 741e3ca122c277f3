"""The city: the harbour (H1 to H6, D2), the citizens (C1 to C5) and the buildings (B4 to B11).

Names that most moves need are imported one by one: a look-up in a module takes 5 ns each time, of
the 1,200 ns of a decision.
"""

from typing import Final

from referee.rules import cells as at, legal_moves as legal, moves as verbs, pieces
from referee.rules.cells import (
    ACTIVE,
    DELIVER,
    DEMAND,
    EXCLUDED,
    FUNCTION,
    HELD,
    OVER,
    PESOS,
    PHASE,
    PLAYER,
    ROUND,
    SEAT,
    SHIP,
    SUPPLY,
    VALUE,
    VP,
    GameState,
)
from referee.rules.errors import InvalidRoll
from referee.rules.legal_moves import delivery_moves, function_moves
from referee.rules.moves import CONVERTS, PASS, SELLS_WOOD, SWAPS, VERB_BITS, VERB_MASK, Move
from referee.rules.pieces import BANK, CHURCH, DICE, MIGUEL, NEWSPAPER, PLAIN_GOODS

# The harbour.


def open_round(state: GameState) -> bool:
    """Begin a delivery round with the active player (H1). Return True if somebody has to decide."""
    cells = state.cells
    cells[ROUND] = (1 << state.players) - 1
    return _ask_next(state, cells[ACTIVE])


def deliver(state: GameState, move: Move) -> bool:
    """Deliver or pass. Return True if somebody else has to decide in this round."""
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


def _load(state: GameState, seat: int, verb: int, argument: int) -> None:
    """Pay the value for each plain good, 1 VP for each wood; return goods to the supply (H2)."""
    cells = state.cells
    units, good = argument >> 3, argument & 7
    base = PLAYER[seat]
    if verb == verbs.DELIVERS:
        put_back(cells, base, good, units)
        cells[base + VP] += units * cells[VALUE]
    else:
        put_back(cells, base, pieces.WOOD, units)
        cells[base + VP] += units
    lower_demand(state, good, units)


def _ask_next(state: GameState, seat: int) -> bool:
    """Ask the next from `seat` on who can deliver; if all have passed, raise the value."""
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


def put_back(cells: list[int], base: int, good: int, units: int) -> None:
    """Move units of a good from the player whose block begins at `base` to the supply."""
    cells[base + HELD + good] -= units
    cells[SUPPLY + good] += units


def raise_value(state: GameState) -> None:
    """Move the value marker one flag right; from 4 it reaches the chequered flag (D2, H3, B9)."""
    cells = state.cells
    if cells[VALUE] < pieces.HIGHEST_VALUE:
        cells[VALUE] += 1
    else:
        _leave(state)


def _leave(state: GameState) -> None:
    """Bring in the next ship, without demand yet (H4); end the game after the seventh (H6)."""
    cells = state.cells
    if cells[SHIP] == pieces.SHIPS:
        state.end(at.SHIPS_LEFT)
        return
    cells[SHIP] += 1
    cells[VALUE] = pieces.LOWEST_VALUE
    cells[EXCLUDED] = at.NO_DEMAND
    cells[DEMAND : DEMAND + 5] = (0, 0, 0, 0, 0)


def lower_demand(state: GameState, good: int, units: int) -> None:
    """Turn the die of a good down; with all dice at 0 the ship leaves (H4)."""
    cells = state.cells
    cells[DEMAND + good] -= units
    if not (
        cells[DEMAND]
        or cells[DEMAND + 1]
        or cells[DEMAND + 2]
        or cells[DEMAND + 3]
        or cells[DEMAND + 4]
    ):
        _leave(state)


def ask_demand(state: GameState, dice: tuple[int, ...]) -> None:
    """Ask the player who rolled to exclude one of the five goods (H5). Raises InvalidRoll."""
    cells = state.cells
    if len(dice) != len(DICE):
        raise InvalidRoll(f"A roll is five dice ({', '.join(PLAIN_GOODS)}), not {len(dice)}.")
    for good, die in enumerate(dice):
        if die not in DICE[good]:
            raise InvalidRoll(f"The {PLAIN_GOODS[good]} die has no face {die}.")
    cells[DEMAND : DEMAND + 5] = dice
    cells[PHASE] = at.DEMAND_CHOICE
    state.legal_moves = legal.EXCLUDE_MOVES


def exclude(state: GameState, good: int) -> bool:
    """Make the other four dice the demand (H5).

    Return False if all four are 0: the game is over, or the same player rolls for the next ship.
    """
    cells = state.cells
    cells[EXCLUDED] = good
    lower_demand(state, good, cells[DEMAND + good])
    return cells[EXCLUDED] != at.NO_DEMAND and cells[PHASE] != OVER


# The citizens.

# The gift of each citizen who only gives (C2): the cell within the player's block, and how much.
_GIVEN: Final[tuple[int, ...]] = (
    HELD + pieces.TOBACCO,
    VP,
    HELD + pieces.SUGAR,
    PESOS,
    HELD + pieces.CITRUS,
    HELD + pieces.WOOD,
)
_HOW_MUCH: Final[tuple[int, ...]] = (2, 2, 2, 3, 2, 2)


def meet(state: GameState, citizen: int) -> bool:
    """Let the active player meet the citizen at the stop. Return True if there is a choice."""
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
    if citizen == pieces.PABLO:
        moves = legal.pick_moves(cells)
        if moves:
            ask(state, at.PICK, active, moves)
        return bool(moves)
    if citizen == pieces.EL_ZORRO:
        return ask_tribute(state, active)
    moves = legal.lawyer_moves(cells, base, active)
    if len(moves) > 1:
        ask(state, at.LAWYER_CHOICE, active, moves)
    return len(moves) > 1


def ask(state: GameState, phase: int, seat: int, moves: tuple[Move, ...]) -> None:
    """Wait until `seat` has chosen one of `moves`."""
    cells = state.cells
    cells[PHASE] = phase
    cells[SEAT] = seat
    state.legal_moves = moves


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
        moves = legal.tribute_moves(cells, PLAYER[seat])
        if moves:
            ask(state, at.TRIBUTE, seat, moves)
            return True
        seat = seat + 1 if seat + 1 < players else 0
    return False


def give_tribute(state: GameState, gift: int) -> bool:
    """Pass a gift to the thief (C4). Return True if another player is asked for one."""
    cells = state.cells
    giver = PLAYER[cells[SEAT]]
    thief = PLAYER[cells[ACTIVE]]
    if gift == verbs.GIFT_PESO:
        what = PESOS
    elif gift == verbs.GIFT_VP:
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
    cells[at.OWNER + building] = active
    cells[at.OWNED] |= at.BIT[building]
    cells[PLAYER[active] + at.MARKERS] -= 1


# The buildings.


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
        if legal.building_in_use(cells) == pieces.DISTILLERY:
            _exchange(cells, base, pieces.SUGAR, pieces.RUM, argument)
        else:
            _exchange(cells, base, pieces.TOBACCO, pieces.CIGARS, argument)
    elif verb == SWAPS:
        _exchange(cells, base, argument >> 3, argument & 7, 1)
    elif verb == SELLS_WOOD:
        put_back(cells, base, pieces.WOOD, 1)
        cells[base + VP] += 1
        cells[base + PESOS] += 1
    elif verb == verbs.SERVES:
        if argument & verbs.SERVE_RUM:
            put_back(cells, base, pieces.RUM, 1)
            cells[base + VP] += 2
        if argument & verbs.SERVE_CIGARS:
            put_back(cells, base, pieces.CIGARS, 1)
            cells[base + VP] += 2
    elif verb == verbs.CLEARS:
        lower_demand(state, argument, cells[DEMAND + argument])
    elif verb == verbs.BUYS:
        cells[base + PESOS] -= 3 * argument
        cells[base + VP] += argument
    elif verb == verbs.SELLS:
        cells[base + VP] -= argument
        cells[base + PESOS] += 3 * argument
    elif verb == verbs.RAISES:
        raise_value(state)
    elif verb == verbs.LOWERS:
        cells[VALUE] -= 1
    elif verb == verbs.SHIPS_ONE:
        put_back(cells, base, argument, 1)
        cells[base + VP] += 2
        lower_demand(state, argument, 1)
    elif verb == verbs.SILENCES:
        cells[at.SILENCED] |= 1 << argument


def _exchange(cells: list[int], base: int, given: int, got: int, units: int) -> None:
    """Exchange units of one good for as many of another."""
    put_back(cells, base, given, units)
    cells[SUPPLY + got] -= units
    cells[base + HELD + got] += units
