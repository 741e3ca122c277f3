"""The harbour: delivery rounds, the value of the ship, departures, demand (H1 to H6, D2)."""

from referee.rules.cells import (
    ACTIVE,
    DELIVER,
    DEMAND,
    DEMAND_CHOICE,
    EXCLUDED,
    HELD,
    NO_DEMAND,
    OVER,
    PHASE,
    PLAYER,
    ROUND,
    SEAT,
    SHIP,
    SHIPS_LEFT,
    SUPPLY,
    VALUE,
    VP,
)
from referee.rules.errors import InvalidRoll
from referee.rules.legal_moves import EXCLUDE_MOVES, delivery_moves
from referee.rules.moves import DELIVERS, PASS, VERB_BITS, VERB_MASK, Move
from referee.rules.pieces import DICE, HIGHEST_VALUE, LOWEST_VALUE, PLAIN_GOODS, SHIPS, WOOD
from referee.rules.state import GameState


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
    if verb == DELIVERS:
        put_back(cells, base, good, units)
        cells[base + VP] += units * cells[VALUE]
    else:
        put_back(cells, base, WOOD, units)
        cells[base + VP] += units
    lower_demand(state, good, units)


def _ask_next(state: GameState, seat: int) -> bool:
    """Ask the first player from `seat` on, clockwise, who has not passed and can deliver.

    A player who cannot deliver passes without a decision. When all have passed, the value rises.
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


def put_back(cells: list[int], base: int, good: int, units: int) -> None:
    """Move units of a good from the player whose block begins at `base` to the supply."""
    cells[base + HELD + good] -= units
    cells[SUPPLY + good] += units


def raise_value(state: GameState) -> None:
    """Move the value marker one flag right; from 4 it reaches the chequered flag (D2, H3, B9)."""
    cells = state.cells
    if cells[VALUE] < HIGHEST_VALUE:
        cells[VALUE] += 1
    else:
        _leave(state)


def _leave(state: GameState) -> None:
    """Bring in the next ship, without demand yet (H4); end the game after the seventh (H6)."""
    cells = state.cells
    if cells[SHIP] == SHIPS:
        state.end(SHIPS_LEFT)
        return
    cells[SHIP] += 1
    cells[VALUE] = LOWEST_VALUE
    cells[EXCLUDED] = NO_DEMAND
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
    cells[PHASE] = DEMAND_CHOICE
    state.legal_moves = EXCLUDE_MOVES


def exclude(state: GameState, good: int) -> bool:
    """Make the other four dice the demand (H5).

    Return False if all four are 0, so that the same player rolls for the next ship.
    """
    cells = state.cells
    cells[EXCLUDED] = good
    lower_demand(state, good, cells[DEMAND + good])
    return cells[EXCLUDED] != NO_DEMAND or cells[PHASE] == OVER
