"""Which positions the game can have: the checks on one that was read from text."""

from collections.abc import Callable
from typing import Final

from referee.rules.cells import (
    ACTIVE,
    BUILDING,
    CAR,
    DELIVER,
    DEMAND,
    DEMAND_CHOICE,
    DRIVE,
    EXCLUDED,
    FUNCTION,
    LAWYER,
    LAWYER_CHOICE,
    MARKERS,
    NO_DEMAND,
    OFF_BOARD,
    OVER,
    OWNER,
    PAWN,
    PHASE,
    PICK,
    PLAYERS,
    ROLL,
    ROUND,
    SEAT,
    SHIP,
    STRIDE,
    SUPPLY,
    TRIBUTE,
    TURN,
    VALUE,
    VISIT,
)
from referee.rules.errors import InvalidPosition
from referee.rules.options import ONLY_PASS
from referee.rules.pieces import (
    ALONSO,
    DICE,
    EL_ZORRO,
    GOODS,
    HARBOUR,
    HIGHEST_VALUE,
    LAST_TURN,
    LOWEST_VALUE,
    PABLO,
    SHIPS,
    STOPS,
    WOOD,
)
from referee.rules.state import State

_DECIDED_BY_THE_ACTIVE: Final = (DRIVE, VISIT, FUNCTION, PICK, LAWYER_CHOICE)
_BEFORE_OR_AFTER_DICE: Final = (ROLL, DEMAND_CHOICE)


def check(state: State) -> None:
    """Raises InvalidPosition where the game cannot stand so, with the first thing that is wrong."""
    for is_right, complaint in _CHECKS:
        if not is_right(state):
            raise InvalidPosition(complaint)


def check_decision(state: State) -> None:
    """Raises InvalidPosition where a decision is awaited that nobody has to make."""
    decides = state.cells[PHASE] not in (ROLL, OVER)
    if decides and state.legal_moves in ((), ONLY_PASS):
        raise InvalidPosition("Nothing is to be decided here: the game would have gone on.")


def _has_players(state: State) -> bool:
    return 2 <= state.players <= 4


def _counts_in_range(state: State) -> bool:
    cells = state.cells
    return (
        cells[TURN] <= LAST_TURN
        and cells[ACTIVE] < state.players
        and 1 <= cells[SHIP] <= SHIPS
        and LOWEST_VALUE <= cells[VALUE] <= HIGHEST_VALUE
        and cells[CAR] < STOPS
    )


def _goods_exist(state: State) -> bool:
    return min(state.cells[SUPPLY : SUPPLY + len(GOODS)]) >= 0


def _markers_exist(state: State) -> bool:
    return all(state.cells[PLAYERS + STRIDE * seat + MARKERS] >= 0 for seat in range(state.players))


def _pawns_apart(state: State) -> bool:
    pawns = [state.cells[PLAYERS + STRIDE * seat + PAWN] for seat in range(state.players)]
    on_board = [pawn for pawn in pawns if pawn != OFF_BOARD]
    return len(set(on_board)) == len(on_board)


def _dice_have_faces(state: State) -> bool:
    return all(0 <= state.cells[DEMAND + good] <= max(DICE[good]) for good in range(WOOD))


def _demand_fits(state: State) -> bool:
    cells = state.cells
    phase, wanted = cells[PHASE], any(cells[DEMAND : DEMAND + WOOD])
    if phase in _BEFORE_OR_AFTER_DICE:
        return cells[EXCLUDED] == NO_DEMAND
    if phase == OVER:
        return True
    return wanted == (cells[EXCLUDED] != NO_DEMAND) and (wanted or phase not in (DRIVE, DELIVER))


def _setup_fits(state: State) -> bool:
    cells = state.cells
    setup = cells[TURN] == 0
    return not setup or (cells[ACTIVE] == 0 and cells[PHASE] in (*_BEFORE_OR_AFTER_DICE, OVER))


def _seat_fits(state: State) -> bool:
    cells = state.cells
    phase, seat, active = cells[PHASE], cells[SEAT], cells[ACTIVE]
    if phase in _BEFORE_OR_AFTER_DICE:
        return seat == (active if cells[TURN] else state.players - 1)
    if phase == TRIBUTE:
        return seat < state.players and seat != active
    if phase == DELIVER:
        return cells[ROUND] < 1 << state.players and bool(cells[ROUND] >> seat & 1)
    return seat == active or (phase == OVER and seat < state.players)


def _car_fits(state: State) -> bool:
    cells = state.cells
    phase, citizen = cells[PHASE], state.layout.citizen_at[cells[CAR]]
    if phase == DELIVER:
        return cells[CAR] == HARBOUR
    if phase == PICK:
        return citizen == PABLO
    if phase == TRIBUTE:
        return citizen == EL_ZORRO
    if phase == LAWYER_CHOICE:
        return citizen == ALONSO
    if phase == VISIT:
        return cells[CAR] != HARBOUR and citizen != EL_ZORRO
    return phase != FUNCTION or cells[CAR] != HARBOUR


def _function_fits(state: State) -> bool:
    cells = state.cells
    if cells[PHASE] != FUNCTION:
        return True
    if cells[LAWYER]:
        alonso = state.layout.citizen_at[cells[CAR]] == ALONSO
        return alonso and cells[OWNER + cells[BUILDING]] == cells[ACTIVE]
    return cells[PLAYERS + STRIDE * cells[ACTIVE] + PAWN] == cells[BUILDING]


_CHECKS: Final[tuple[tuple[Callable[[State], bool], str], ...]] = (
    (_has_players, "A position needs two to four players, p0= to p3= without a gap."),
    (_counts_in_range, "turn=, active=, ship=, value= or car= is out of its range."),
    (_goods_exist, "The players hold more than the 8 units of a good that exist."),
    (_markers_exist, "A player owns more than three buildings."),
    (_pawns_apart, "Two pawns stand on the same building."),
    (_dice_have_faces, "A die shows more than its highest face."),
    (
        _demand_fits,
        "demand= does not fit the phase: no ship waits without demand, or with all met.",
    ),
    (_setup_fits, "In turn 0 only dice are rolled, with active=0."),
    (_seat_fits, "seat= is not the one who decides or rolls in this phase."),
    (_car_fits, "The car does not stand where this phase is played."),
    (
        _function_fits,
        "function= is not the building where the pawn stands or that the lawyer uses.",
    ),
)
