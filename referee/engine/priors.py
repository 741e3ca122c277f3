"""Foretell what a move gains beyond what a quick look sees, as searches have found.

A quick look at the position after a drive knows nothing of the visit that follows, nor of what a
peso will buy. Each move has two rows of a table, told apart by its kind and the position, such as
"drive to María, first two ships, three seats" and "three steps, from two pesos"; what they say is
added up. The tree trusts it as much as one look (docs/engine.md).
"""

from typing import Final

from referee.engine import stored
from referee.engine.prices import ENDS, HARBOUR, SILENCED
from referee.rules import cells as at
from referee.rules.legal_moves import building_in_use
from referee.rules.moves import OWNS, PASS, VERB_BITS, VERB_MASK, Move
from referee.rules.pieces import STOPS, WOOD
from referee.rules.position import Position

STAGES: Final = 4
"""Two ships each, the last one by itself."""
PHASES: Final = 8
"""Those in which a seat decides."""
WEALTHS: Final = 6
"""Pesos from 0 to 4, and more."""
ROW_BITS: Final = 9
ROW_MASK: Final = 511
SCALE: Final = 1000.0
"""The number that stands for 1 VP."""
WEIGHTS: Final = "priors.bin"
"""The file of the gains of all rows."""

FIELDS: Final[dict[str, tuple[int, ...]]] = {
    "none": (1,),
    "phase": (STAGES, 3, PHASES),
    "stop": (STAGES, 3, ENDS),
    "steps": (WEALTHS, STOPS),
    "visit": (12, 3),
    "function": (12, 2),
    "own": (12, STAGES),
    "gift": (7, 2),
}
"""The fields of rows, and by which numbers their rows are told apart."""


_PHASE: Final[int] = stored.start(FIELDS, "phase")
_STOP: Final[int] = stored.start(FIELDS, "stop")
_STEPS: Final[int] = stored.start(FIELDS, "steps")
_VISIT: Final[int] = stored.start(FIELDS, "visit")
_FUNCTION: Final[int] = stored.start(FIELDS, "function")
_OWN: Final[int] = stored.start(FIELDS, "own")
_GIFT: Final[int] = stored.start(FIELDS, "gift")
ROWS: Final[int] = stored.size(FIELDS)
"""The number of all rows. Row 0 stands for nothing further."""


def rows(position: Position, moves: tuple[Move, ...]) -> list[int]:
    """Return the two rows of each of the legal moves, packed into one int: see `unpacked`."""
    cells = position.cells
    phase = cells[at.PHASE]
    stage = cells[at.SHIP] - 1 >> 1
    block = stage * 3 + position.players - 2
    if phase == at.DRIVE:
        return _drives(position, moves, _STOP + block * ENDS << ROW_BITS)
    first = _PHASE + block * PHASES + phase << ROW_BITS
    if phase == at.VISIT:
        return [first + _visit(cells, move >> VERB_BITS) for move in moves]
    if phase == at.FUNCTION:
        first += _FUNCTION + building_in_use(cells) * 2
        return [first + 1 if move == PASS else first for move in moves]
    if phase == at.LAWYER_CHOICE:
        return [first + _lawyer(move, stage) for move in moves]
    if phase == at.TRIBUTE:
        return [first + _gift(cells, move >> VERB_BITS) for move in moves]
    return [first] * len(moves)


def _drives(position: Position, moves: tuple[Move, ...], first: int) -> list[int]:
    """Return the rows of drives; `first` is the packed row of a drive to citizen 0."""
    cells = position.cells
    car = cells[at.CAR]
    silenced = cells[at.SILENCED]
    citizens = position.layout.citizen_at
    pesos = cells[at.PLAYER[cells[at.SEAT]] + at.PESOS]
    base = first + _STEPS + (pesos if pesos < WEALTHS else WEALTHS - 1) * STOPS - 1
    found: list[int] = []
    for move in moves:
        steps = move >> VERB_BITS
        stop = car + steps
        while stop >= STOPS:
            stop -= STOPS
        what = citizens[stop] if stop else HARBOUR
        if stop and steps < STOPS and silenced >> what & 1:
            what = SILENCED
        found.append(base + (what << ROW_BITS) + (steps if steps < STOPS else STOPS))
    return found


def _visit(cells: list[int], building: int) -> int:
    owner = cells[at.OWNER + building]
    whose = 0 if owner == at.NOBODY else 1 if owner == cells[at.SEAT] else 2
    return _VISIT + building * 3 + whose


def _lawyer(move: Move, stage: int) -> int:
    if move & VERB_MASK != OWNS:
        return 0
    return _OWN + (move >> VERB_BITS) * STAGES + stage


def _gift(cells: list[int], gift: int) -> int:
    return _GIFT + gift * 2 + (1 if gift < WOOD and cells[at.DEMAND + gift] else 0)


def unpacked(pair: int) -> tuple[int, int]:
    """Return the two rows that `rows` packed; the second one is 0 if a move has one only."""
    return pair >> ROW_BITS, pair & ROW_MASK


_GAINS: Final[list[float]] = []
"""The VP of each row, read when they are first needed."""


def gain(pair: int) -> float:
    """Return the VP that a move with these rows may gain beyond what a quick look sees."""
    if not _GAINS:
        use(stored.own(WEIGHTS))
    return _GAINS[pair >> ROW_BITS] + _GAINS[pair & ROW_MASK]


def use(weights: bytes) -> None:
    """Foretell by other gains from now on: those of all rows, packed."""
    _GAINS[:] = stored.unpack(weights, ROWS, SCALE)


def forget() -> None:
    """Foretell by the package's own weights again."""
    _GAINS.clear()
