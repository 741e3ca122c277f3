"""A turn: the order of its stages, and the drive. `city` has what happens at its stops.

drive -> citizen (pick, tribute, lawyer) -> pawn (visit) -> function -> end of turn
drive -> harbour (delivery round) ------------------------------------> end of turn
drive -> silenced citizen --------------------------------------------> end of turn
end of turn -> roll and exclude if a new ship waits -> the next player's drive
"""

from referee.rules import cells as at, city
from referee.rules.cells import GameState
from referee.rules.legal_moves import DRIVES_BY_PESOS, TABLED, drive_moves, visit_moves
from referee.rules.moves import OWNS, USES, VERB_BITS, VERB_MASK, Move
from referee.rules.pieces import EL_ZORRO, HARBOUR, LAST_TURN, STOPS


def perform(state: GameState, move: Move) -> None:
    """Play one chosen move and what follows from it, up to the next decision, roll or end."""
    cells = state.cells
    phase = cells[at.PHASE]
    argument = move >> VERB_BITS
    if phase == at.DRIVE:
        if _drive(state, argument):
            _arrive(state)
    elif phase == at.VISIT:
        pawn = at.PLAYER[cells[at.ACTIVE]] + at.PAWN
        bits = state.layout.space_bit
        cells[at.OCCUPIED] ^= bits[cells[pawn]] | bits[argument]
        cells[pawn] = argument
        if not city.offer(state, argument):
            _end_turn(state)
    elif phase == at.FUNCTION:
        city.use(state, move)
        if not cells[at.LAWYER]:  # nor is it used any more if the game has ended
            _end_turn(state)
        else:
            cells[at.LAWYER] = 0
            _move_pawn(state)
    elif phase == at.DELIVER:
        if not city.deliver(state, move):
            _end_turn(state)
    elif phase == at.PICK:
        city.take(cells, at.PLAYER[cells[at.ACTIVE]], argument, 1)
        _move_pawn(state)
    elif phase == at.LAWYER_CHOICE:
        _consult_lawyer(state, move & VERB_MASK, argument)
    elif phase == at.TRIBUTE:
        if not city.give_tribute(state, argument):
            _use_building_of_pawn(state)  # B2
    elif city.exclude(state, argument):
        _next_turn(state)
    elif cells[at.PHASE] != at.OVER:
        cells[at.PHASE] = at.ROLL  # H5: all four were 0, the same player rolls again
        state.legal_moves = ()


def _drive(state: GameState, steps: int) -> bool:
    """Pay for the whole drive, then move the car (D1). Return False if the game ended meanwhile."""
    cells = state.cells
    cells[at.PLAYER[cells[at.ACTIVE]] + at.PESOS] -= steps - 1
    start = cells[at.CAR]
    target = start + steps
    while target >= STOPS:
        if cells[at.SILENCED]:
            _wake(state, start, STOPS)
        start = cells[at.CAR] = HARBOUR
        target -= STOPS
        if target == HARBOUR:
            return True
        city.raise_value(state)  # D2: passed without stopping
        if cells[at.PHASE] == at.OVER:
            return False
    if cells[at.SILENCED]:
        _wake(state, start, target)
    cells[at.CAR] = target
    return True


def _wake(state: GameState, start: int, end: int) -> None:
    """Wake the silenced citizens whose stops the car passes or leaves (D3)."""
    before = state.layout.before
    state.cells[at.SILENCED] &= before[start] | ~before[end]


def _arrive(state: GameState) -> None:
    cells = state.cells
    stop = cells[at.CAR]
    if stop == HARBOUR:
        if not city.open_round(state):
            _end_turn(state)  # B3
        return
    citizen = state.layout.citizen_at[stop]
    if cells[at.SILENCED] >> citizen & 1:
        _end_turn(state)  # C6
    elif not city.meet(state, citizen):
        if citizen == EL_ZORRO:
            _use_building_of_pawn(state)  # B2
        else:
            _move_pawn(state)


def _consult_lawyer(state: GameState, verb: int, building: int) -> None:
    """Own a building, use one's own, or neither; then move the pawn as usual (C5)."""
    if verb == OWNS:
        city.own(state, building)
    elif verb == USES:
        state.cells[at.LAWYER] = building + 1
        if city.offer(state, building):
            return
        state.cells[at.LAWYER] = 0
    _move_pawn(state)


def _move_pawn(state: GameState) -> None:
    """Ask for a free building under the citizen's flower, other than the pawn's own (B1)."""
    cells = state.cells
    moves = visit_moves(state.layout, cells)
    if moves:
        city.ask(state, at.VISIT, cells[at.ACTIVE], moves)
    else:
        _use_building_of_pawn(state)


def _use_building_of_pawn(state: GameState) -> None:
    cells = state.cells
    pawn = cells[at.PLAYER[cells[at.ACTIVE]] + at.PAWN]
    if pawn == at.OFF_BOARD or not city.offer(state, pawn):
        _end_turn(state)


def _end_turn(state: GameState) -> None:
    """Pay the owner (B12); end the game (H7), roll for a ship that came in (H4), or go on."""
    cells = state.cells
    if cells[at.PHASE] == at.OVER:
        return
    active = cells[at.ACTIVE]
    owner = cells[at.OWNER + cells[at.PLAYER[active] + at.PAWN]]
    if owner != at.NOBODY and owner != active:
        cells[at.PLAYER[owner] + at.VP] += 1
    if cells[at.TURN] == LAST_TURN:
        state.end(at.TURNS_PLAYED)
    elif cells[at.EXCLUDED] == at.NO_DEMAND:
        city.ask(state, at.ROLL, active, ())
    else:
        _next_turn(state)


def _next_turn(state: GameState) -> None:
    cells = state.cells
    seat = city.next_seat(state, cells[at.ACTIVE]) if cells[at.TURN] else 0
    cells[at.ACTIVE] = cells[at.SEAT] = seat
    cells[at.TURN] += 1
    cells[at.PHASE] = at.DRIVE
    pesos = cells[at.PLAYER[seat] + at.PESOS]
    state.legal_moves = DRIVES_BY_PESOS[pesos] if pesos < TABLED else drive_moves(pesos)
