"""Driving: the car, the harbour that it passes, the citizens whom it wakes (D1 to D3)."""

from referee.rules.cells import ACTIVE, CAR, OVER, PESOS, PHASE, PLAYER, SILENCED
from referee.rules.pieces import HARBOUR, STOPS
from referee.rules.ships import raise_value
from referee.rules.state import State


def drive(state: State, steps: int) -> bool:
    """Pays for the whole drive, then moves the car (D1). False if the game ended on the way."""
    cells = state.cells
    cells[PLAYER[cells[ACTIVE]] + PESOS] -= steps - 1
    start = cells[CAR]
    target = start + steps
    while target >= STOPS:
        if cells[SILENCED]:
            _wake(state, start, STOPS)
        start = cells[CAR] = HARBOUR
        target -= STOPS
        if target == HARBOUR:
            return True
        raise_value(state)  # D2: passed without stopping
        if cells[PHASE] == OVER:
            return False
    if cells[SILENCED]:
        _wake(state, start, target)
    cells[CAR] = target
    return True


def _wake(state: State, start: int, end: int) -> None:
    """D3: silenced citizens wake as soon as the car passes or leaves their stops."""
    before = state.layout.before
    state.cells[SILENCED] &= before[start] | ~before[end]
