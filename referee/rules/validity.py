"""Checks that a position read from text is one that the game can come to."""

from collections.abc import Callable
from typing import Final

from referee.rules import cells as at, pieces
from referee.rules.cells import GameState
from referee.rules.errors import InvalidPosition
from referee.rules.legal_moves import ONLY_PASS, building_in_use
from referee.rules.text import NOT_IN_USE

_BEFORE_OR_AFTER_DICE: Final = (at.ROLL, at.DEMAND_CHOICE)


def check(state: GameState) -> None:
    """Raise InvalidPosition if the game cannot come to this position, naming the first reason."""
    for fits, complaint in _CHECKS:
        if not fits(state):
            raise InvalidPosition(complaint)


def check_decision(state: GameState) -> None:
    """Raise InvalidPosition if a decision is awaited that leaves no choice."""
    decides = state.cells[at.PHASE] not in (at.ROLL, at.OVER)
    if decides and state.legal_moves in ((), ONLY_PASS):
        raise InvalidPosition("Nothing is to be decided here: the game would have gone on.")


def _has_players(state: GameState) -> bool:
    return pieces.MIN_PLAYERS <= state.players <= pieces.MAX_PLAYERS


def _counts_in_range(state: GameState) -> bool:
    cells = state.cells
    return (
        cells[at.TURN] <= pieces.LAST_TURN
        and cells[at.ACTIVE] < state.players
        and 1 <= cells[at.SHIP] <= pieces.SHIPS
        and pieces.LOWEST_VALUE <= cells[at.VALUE] <= pieces.HIGHEST_VALUE
        and cells[at.CAR] < pieces.STOPS
    )


def _goods_exist(state: GameState) -> bool:
    return min(state.cells[at.SUPPLY : at.SUPPLY + len(pieces.GOODS)]) >= 0


def _markers_exist(state: GameState) -> bool:
    return all(state.cells[at.PLAYER[seat] + at.MARKERS] >= 0 for seat in range(state.players))


def _pawns_apart(state: GameState) -> bool:
    pawns = [state.cells[at.PLAYER[seat] + at.PAWN] for seat in range(state.players)]
    on_board = [pawn for pawn in pawns if pawn != at.OFF_BOARD]
    return len(set(on_board)) == len(on_board)


def _dice_have_faces(state: GameState) -> bool:
    return all(
        0 <= state.cells[at.DEMAND + good] <= max(pieces.DICE[good]) for good in range(pieces.WOOD)
    )


def _demand_fits(state: GameState) -> bool:
    cells = state.cells
    phase, is_set = cells[at.PHASE], any(cells[at.DEMAND : at.DEMAND + pieces.WOOD])
    if phase in _BEFORE_OR_AFTER_DICE:
        return cells[at.EXCLUDED] == at.NO_DEMAND
    if phase == at.OVER:
        return True
    return is_set == (cells[at.EXCLUDED] != at.NO_DEMAND) and (
        is_set or phase not in (at.DRIVE, at.DELIVER)
    )


def _setup_fits(state: GameState) -> bool:
    cells = state.cells
    setup = cells[at.TURN] == 0
    return not setup or (
        cells[at.ACTIVE] == 0 and cells[at.PHASE] in (*_BEFORE_OR_AFTER_DICE, at.OVER)
    )


def _active_fits(state: GameState) -> bool:
    turn = state.cells[at.TURN]
    return turn == 0 or state.cells[at.ACTIVE] == (turn - 1) % state.players


def _seat_fits(state: GameState) -> bool:
    cells = state.cells
    phase, seat, active = cells[at.PHASE], cells[at.SEAT], cells[at.ACTIVE]
    if phase in _BEFORE_OR_AFTER_DICE:
        return seat == (active if cells[at.TURN] else state.players - 1)
    if phase == at.TRIBUTE:
        return seat < state.players and seat != active
    if phase == at.DELIVER:
        return cells[at.ROUND] < 1 << state.players and bool(cells[at.ROUND] >> seat & 1)
    return seat == active or (phase == at.OVER and seat < state.players)


def _car_fits(state: GameState) -> bool:
    cells = state.cells
    phase, citizen = cells[at.PHASE], state.layout.citizen_at[cells[at.CAR]]
    if phase == at.DELIVER:
        return cells[at.CAR] == pieces.HARBOUR
    if phase == at.PICK:
        return citizen == pieces.PABLO
    if phase == at.TRIBUTE:
        return citizen == pieces.EL_ZORRO
    if phase == at.LAWYER_CHOICE:
        return citizen == pieces.ALONSO
    if phase == at.VISIT:
        return cells[at.CAR] != pieces.HARBOUR and citizen != pieces.EL_ZORRO
    return phase != at.FUNCTION or cells[at.CAR] != pieces.HARBOUR


def _end_fits(state: GameState) -> bool:
    cells = state.cells
    if cells[at.PHASE] == at.OVER:
        by_ships = cells[at.REASON] == at.SHIPS_LEFT
        return cells[at.SHIP] == pieces.SHIPS if by_ships else cells[at.TURN] == pieces.LAST_TURN
    return cells[at.PHASE] not in _BEFORE_OR_AFTER_DICE or cells[at.TURN] < pieces.LAST_TURN


def _function_fits(state: GameState) -> bool:
    cells = state.cells
    if cells[at.PHASE] != at.FUNCTION:
        return True
    building = building_in_use(cells)
    if building in (pieces.BANK, pieces.CHURCH, at.OFF_BOARD):
        return False
    alonso = state.layout.citizen_at[cells[at.CAR]] == pieces.ALONSO
    return not cells[at.LAWYER] or (alonso and cells[at.OWNER + building] == cells[at.ACTIVE])


_CHECKS: Final[tuple[tuple[Callable[[GameState], bool], str], ...]] = (
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
    (_active_fits, "active= is not the seat whose turn it is: turn 1 is seat 0's."),
    (_seat_fits, "seat= is not the one who decides or rolls in this phase."),
    (_car_fits, "The car does not stand where this phase is played."),
    (_end_fits, "The game ends with ship=7 (ships) or turn=300 (turns), and not otherwise."),
    (_function_fits, NOT_IN_USE),
)
