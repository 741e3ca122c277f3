"""Driving: the car, the harbour that it passes, the citizens whom it wakes (D1 to D3)."""

from referee.rules.cells import ACTIVE, CAR, OVER, PESOS, PHASE, PLAYERS, SILENCED, STRIDE
from referee.rules.pieces import HARBOUR, STOPS
from referee.rules.ships import raise_value
from referee.rules.state import State


def drive(state: State, steps: int) -> None:
    """Pays for the whole drive, then moves the car. The game may end on the way (D1, H6)."""
    cells = state.cells
    cells[PLAYERS + STRIDE * cells[ACTIVE] + PESOS] -= steps - 1
    start = cells[CAR]
    target = start + steps
    while target >= STOPS:
        _leave_behind(state, start, STOPS)
        start = cells[CAR] = HARBOUR
        target -= STOPS
        if target == HARBOUR:
            return
        raise_value(state)  # D2: passed without stopping
        if cells[PHASE] == OVER:
            return
    _leave_behind(state, start, target)
    cells[CAR] = target


def _leave_behind(state: State, start: int, end: int) -> None:
    """D3: silenced citizens wake as soon as the car passes or leaves their stops."""
    cells = state.cells
    if cells[SILENCED]:
        cells[SILENCED] &= ~state.layout.passed[start][end]
