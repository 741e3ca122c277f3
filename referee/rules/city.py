"""The city: the harbour (H1 to H6, D2), the citizens (C1 to C5) and the buildings (B4 to B11)."""

from typing import Final

from referee.rules import cells as at, legal_moves as legal, moves as verbs, pieces
from referee.rules.cells import GameState
from referee.rules.errors import InvalidRoll
from referee.rules.moves import Move


def ask(state: GameState, phase: int, seat: int, moves: tuple[Move, ...]) -> None:
    """Wait until `seat` has chosen one of `moves`, or has rolled if there are none."""
    cells = state.cells
    cells[at.PHASE] = phase
    cells[at.SEAT] = seat
    state.legal_moves = moves


def next_seat(state: GameState, seat: int) -> int:
    """Return the seat after another, clockwise."""
    return seat + 1 if seat + 1 < state.players else 0


# The harbour.


def open_round(state: GameState) -> bool:
    """Begin a delivery round with the active player (H1). Return True if somebody has to decide."""
    cells = state.cells
    cells[at.ROUND] = (1 << state.players) - 1
    return _ask_next(state, cells[at.ACTIVE])


def deliver(state: GameState, move: Move) -> bool:
    """Deliver or pass. Return True if somebody else has to decide in this round."""
    cells = state.cells
    seat = cells[at.SEAT]
    verb = move & verbs.VERB_MASK
    if verb == verbs.PASS:
        cells[at.ROUND] ^= 1 << seat
    else:
        ship = cells[at.SHIP]
        _load(state, seat, verb, move >> verbs.VERB_BITS)
        if cells[at.SHIP] != ship or cells[at.PHASE] == at.OVER:
            cells[at.ROUND] = 0
            return False
    return _ask_next(state, next_seat(state, seat))


def _load(state: GameState, seat: int, verb: int, argument: int) -> None:
    """Pay the value for each plain good, 1 VP for each wood; return goods to the supply (H2)."""
    cells = state.cells
    units, good = argument >> 3, argument & 7
    base = at.PLAYER[seat]
    if verb == verbs.DELIVERS:
        _put_back(cells, base, good, units)
        cells[base + at.VP] += units * cells[at.VALUE]
    else:
        _put_back(cells, base, pieces.WOOD, units)
        cells[base + at.VP] += units
    _lower_demand(state, good, units)


def _ask_next(state: GameState, seat: int) -> bool:
    """Ask the next from `seat` on who can deliver; if all have passed, raise the value."""
    cells = state.cells
    while cells[at.ROUND]:
        if cells[at.ROUND] >> seat & 1:
            moves = legal.delivery_moves(cells, at.PLAYER[seat])
            if len(moves) > 1:
                ask(state, at.DELIVER, seat, moves)
                return True
            cells[at.ROUND] ^= 1 << seat
        seat = next_seat(state, seat)
    raise_value(state)
    return False


def _put_back(cells: list[int], base: int, good: int, units: int) -> None:
    """Move units of a good from the player whose block begins at `base` to the supply."""
    cells[base + at.HELD + good] -= units
    cells[at.SUPPLY + good] += units


def raise_value(state: GameState) -> None:
    """Move the value marker one flag right; from 4 it reaches the chequered flag (D2, H3, B9)."""
    cells = state.cells
    if cells[at.VALUE] < pieces.HIGHEST_VALUE:
        cells[at.VALUE] += 1
    else:
        _leave(state)


def _leave(state: GameState) -> None:
    """Bring in the next ship, without demand yet (H4); end the game after the seventh (H6)."""
    cells = state.cells
    if cells[at.SHIP] == pieces.SHIPS:
        state.end(at.SHIPS_LEFT)
        return
    cells[at.SHIP] += 1
    cells[at.VALUE] = pieces.LOWEST_VALUE
    cells[at.EXCLUDED] = at.NO_DEMAND
    cells[at.DEMAND : at.DEMAND + 5] = (0, 0, 0, 0, 0)


def _lower_demand(state: GameState, good: int, units: int) -> None:
    """Turn the die of a good down; with all dice at 0 the ship leaves (H4)."""
    cells = state.cells
    cells[at.DEMAND + good] -= units
    if not (
        cells[at.DEMAND]
        or cells[at.DEMAND + 1]
        or cells[at.DEMAND + 2]
        or cells[at.DEMAND + 3]
        or cells[at.DEMAND + 4]
    ):
        _leave(state)


def ask_demand(state: GameState, dice: tuple[int, ...]) -> None:
    """Ask the player who rolled to exclude one of the five goods (H5). Raises InvalidRoll."""
    cells = state.cells
    if len(dice) != len(pieces.DICE):
        raise InvalidRoll(
            f"A roll is five dice ({', '.join(pieces.PLAIN_GOODS)}), not {len(dice)}."
        )
    for good, die in enumerate(dice):
        if die not in pieces.DICE[good]:
            raise InvalidRoll(f"The {pieces.PLAIN_GOODS[good]} die has no face {die}.")
    cells[at.DEMAND : at.DEMAND + 5] = dice
    cells[at.PHASE] = at.DEMAND_CHOICE
    state.legal_moves = legal.EXCLUDE_MOVES


def exclude(state: GameState, good: int) -> bool:
    """Make the other four dice the demand (H5).

    Return False if all four are 0: the game is over, or the same player rolls for the next ship.
    """
    cells = state.cells
    cells[at.EXCLUDED] = good
    _lower_demand(state, good, cells[at.DEMAND + good])
    return cells[at.EXCLUDED] != at.NO_DEMAND and cells[at.PHASE] != at.OVER


# The citizens.

# The gift of each citizen who only gives (C2): the cell within the player's block, and how much.
_GIVEN: Final[tuple[int, ...]] = (
    at.HELD + pieces.TOBACCO,
    at.VP,
    at.HELD + pieces.SUGAR,
    at.PESOS,
    at.HELD + pieces.CITRUS,
    at.HELD + pieces.WOOD,
)
_HOW_MUCH: Final[tuple[int, ...]] = (2, 2, 2, 3, 2, 2)


def meet(state: GameState, citizen: int) -> bool:
    """Let the active player meet the citizen at the stop. Return True if there is a choice."""
    cells = state.cells
    active = cells[at.ACTIVE]
    base = at.PLAYER[active]
    if citizen <= pieces.MIGUEL:
        cell = _GIVEN[citizen]
        if cell >= at.HELD:
            take(cells, base, cell - at.HELD, _HOW_MUCH[citizen])
        else:
            cells[base + cell] += _HOW_MUCH[citizen]
        return False
    if citizen == pieces.PABLO:
        moves = legal.pick_moves(cells)
        if moves:
            ask(state, at.PICK, active, moves)
        return bool(moves)
    if citizen == pieces.EL_ZORRO:
        return _ask_tribute(state, active)
    moves = legal.lawyer_moves(cells, base, active)
    if len(moves) > 1:
        ask(state, at.LAWYER_CHOICE, active, moves)
    return len(moves) > 1


def take(cells: list[int], base: int, good: int, units: int) -> None:
    """Give a player units of a good, or as many as the supply has left (C1)."""
    left = cells[at.SUPPLY + good]
    if units > left:
        units = left
    cells[at.SUPPLY + good] = left - units
    cells[base + at.HELD + good] += units


def _ask_tribute(state: GameState, after: int) -> bool:
    """Ask the next player after `after`, clockwise, who has something to give (C4).

    Return False if all have been asked.
    """
    cells = state.cells
    thief = cells[at.ACTIVE]
    seat = next_seat(state, after)
    while seat != thief:
        moves = legal.tribute_moves(cells, at.PLAYER[seat])
        if moves:
            ask(state, at.TRIBUTE, seat, moves)
            return True
        seat = next_seat(state, seat)
    return False


def give_tribute(state: GameState, gift: int) -> bool:
    """Pass a gift to the thief (C4). Return True if another player is asked for one."""
    cells = state.cells
    giver = at.PLAYER[cells[at.SEAT]]
    thief = at.PLAYER[cells[at.ACTIVE]]
    if gift == verbs.GIFT_PESO:
        what = at.PESOS
    elif gift == verbs.GIFT_VP:
        what = at.VP
    else:
        what = at.HELD + gift
    cells[giver + what] -= 1
    cells[thief + what] += 1
    return _ask_tribute(state, cells[at.SEAT])


def own(state: GameState, building: int) -> None:
    """Put a marker of the active player on a building that nobody owns (C5)."""
    cells = state.cells
    active = cells[at.ACTIVE]
    cells[at.OWNER + building] = active
    cells[at.OWNED] |= at.BIT[building]
    cells[at.PLAYER[active] + at.MARKERS] -= 1


# The buildings.


def offer(state: GameState, building: int) -> bool:
    """Offer a building's function to the active player. Return True if there is a choice.

    A function that only gives something is carried out at once.
    """
    cells = state.cells
    active = cells[at.ACTIVE]
    base = at.PLAYER[active]
    if building == pieces.BANK:
        cells[base + at.PESOS] += 2
        return False
    if building == pieces.CHURCH:
        cells[base + at.VP] += 1
        return False
    if building == pieces.NEWSPAPER:
        cells[base + at.PESOS] += 1
    moves = legal.function_moves(cells, base, building)
    if len(moves) == 1:
        return False
    ask(state, at.FUNCTION, active, moves)
    return True


def use(state: GameState, move: Move) -> None:
    """Carry out the chosen use of a building; a ship may leave (customs, both offices)."""
    if move == verbs.PASS:
        return
    cells = state.cells
    base = at.PLAYER[cells[at.ACTIVE]]
    verb = move & verbs.VERB_MASK
    argument = move >> verbs.VERB_BITS
    if verb == verbs.CONVERTS:
        if legal.building_in_use(cells) == pieces.DISTILLERY:
            _exchange(cells, base, pieces.SUGAR, pieces.RUM, argument)
        else:
            _exchange(cells, base, pieces.TOBACCO, pieces.CIGARS, argument)
    elif verb == verbs.SWAPS:
        _exchange(cells, base, argument >> 3, argument & 7, 1)
    elif verb == verbs.SELLS_WOOD:
        _put_back(cells, base, pieces.WOOD, 1)
        cells[base + at.VP] += 1
        cells[base + at.PESOS] += 1
    elif verb == verbs.SERVES:
        if argument & verbs.SERVE_RUM:
            _put_back(cells, base, pieces.RUM, 1)
            cells[base + at.VP] += 2
        if argument & verbs.SERVE_CIGARS:
            _put_back(cells, base, pieces.CIGARS, 1)
            cells[base + at.VP] += 2
    elif verb == verbs.CLEARS:
        _lower_demand(state, argument, cells[at.DEMAND + argument])
    elif verb == verbs.BUYS:
        cells[base + at.PESOS] -= 3 * argument
        cells[base + at.VP] += argument
    elif verb == verbs.SELLS:
        cells[base + at.VP] -= argument
        cells[base + at.PESOS] += 3 * argument
    elif verb == verbs.RAISES:
        raise_value(state)
    elif verb == verbs.LOWERS:
        cells[at.VALUE] -= 1
    elif verb == verbs.SHIPS_ONE:
        _put_back(cells, base, argument, 1)
        cells[base + at.VP] += 2
        _lower_demand(state, argument, 1)
    elif verb == verbs.SILENCES:
        cells[at.SILENCED] |= 1 << argument


def _exchange(cells: list[int], base: int, given: int, got: int, units: int) -> None:
    """Exchange units of one good for as many of another."""
    _put_back(cells, base, given, units)
    take(cells, base, got, units)
