"""Ships: the value marker, departures, the demand of the next ship (D2, H3 to H6)."""

from referee.rules.cells import (
    DEMAND,
    DEMAND_CHOICE,
    EXCLUDED,
    NO_DEMAND,
    OVER,
    PHASE,
    SHIP,
    SHIPS_LEFT,
    VALUE,
)
from referee.rules.errors import InvalidRoll
from referee.rules.options import EXCLUDE_MOVES
from referee.rules.pieces import DICE, HIGHEST_VALUE, LOWEST_VALUE, PLAIN_GOODS, SHIPS
from referee.rules.state import State


def raise_value(state: State) -> None:
    """D2, H3, B9: the marker moves one flag right; from 4 it reaches the chequered flag."""
    cells = state.cells
    if cells[VALUE] < HIGHEST_VALUE:
        cells[VALUE] += 1
    else:
        leave(state)


def leave(state: State) -> None:
    """H4: the next ship comes at once, without demand yet. H6: with the seventh the game ends."""
    cells = state.cells
    if cells[SHIP] == SHIPS:
        state.end(SHIPS_LEFT)
        return
    cells[SHIP] += 1
    cells[VALUE] = LOWEST_VALUE
    cells[EXCLUDED] = NO_DEMAND
    cells[DEMAND : DEMAND + 5] = (0, 0, 0, 0, 0)


def lower_demand(state: State, good: int, units: int) -> None:
    """The die of a good is turned down; with all dice at 0 the ship leaves (H4)."""
    cells = state.cells
    cells[DEMAND + good] -= units
    if not (
        cells[DEMAND]
        or cells[DEMAND + 1]
        or cells[DEMAND + 2]
        or cells[DEMAND + 3]
        or cells[DEMAND + 4]
    ):
        leave(state)


def ask_demand(state: State, dice: tuple[int, ...]) -> None:
    """H5: five dice have fallen; the player who rolled excludes one good. Raises InvalidRoll."""
    cells = state.cells
    if len(dice) != len(DICE):
        raise InvalidRoll(f"A roll is five dice ({', '.join(PLAIN_GOODS)}), not {len(dice)}.")
    for good, die in enumerate(dice):
        if die not in DICE[good]:
            raise InvalidRoll(f"The {PLAIN_GOODS[good]} die has no face {die}.")
    cells[DEMAND : DEMAND + 5] = dice
    cells[PHASE] = DEMAND_CHOICE
    state.legal_moves = EXCLUDE_MOVES


def exclude(state: State, good: int) -> bool:
    """H5: the other four dice are the demand. True if there is one, or the game is over."""
    cells = state.cells
    cells[EXCLUDED] = good
    lower_demand(state, good, cells[DEMAND + good])
    return cells[EXCLUDED] != NO_DEMAND or cells[PHASE] == OVER
