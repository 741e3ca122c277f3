"""How good a position is for each seat, without looking further."""

from math import tanh
from typing import Final

from referee.rules import Position
from referee.rules.cells import (
    DELIVER,
    DEMAND,
    DEMAND_CHOICE,
    DRIVE,
    EXCLUDED,
    FUNCTION,
    HELD,
    LAWYER_CHOICE,
    MARKERS,
    NO_DEMAND,
    OVER,
    PESOS,
    PHASE,
    PHASES,
    PICK,
    PLAYERS,
    ROLL,
    SEAT,
    SHIP,
    STRIDE,
    TRIBUTE,
    VALUE,
    VISIT,
    VP,
)
from referee.rules.pieces import SHIPS, WOOD

PESO: Final = 0.3
GOOD_AT_THE_END: Final = 1 / 3
GOOD_FOR_A_LATER_SHIP: Final = 0.6
WOOD_UNIT: Final = 0.6
CHANCE_TO_DELIVER: Final = 0.75
OWNED_BUILDING_PER_SHIP: Final = 0.35
MARKERS_AT_THE_START: Final = 3
_TO_MOVE: Final = {
    DRIVE: 1.2,
    VISIT: 1.5,
    FUNCTION: 0.7,
    DELIVER: 0.0,
    PICK: 2.0,
    LAWYER_CHOICE: 2.0,
    TRIBUTE: 0.0,
    DEMAND_CHOICE: 0.3,
    ROLL: 0.3,
    OVER: 0.0,
}
TO_MOVE: Final = tuple(_TO_MOVE[phase] for phase in range(len(PHASES)))
"""By phase: what the one who decides is about to gain."""
LEAD_THAT_DECIDES: Final = 4.0
"""VP ahead with the last ship in the harbour that almost settle the game."""
LEAD_THAT_DECIDES_PER_SHIP: Final = 1.5
NO_DOUBT: Final = 0.3


def utilities(position: Position) -> list[float]:
    """By seat, from -1 to 1: how surely it ends ahead of the others."""
    cells = position.cells
    if cells[PHASE] == OVER:
        return _compared(_final(position), NO_DOUBT)
    lead = LEAD_THAT_DECIDES + LEAD_THAT_DECIDES_PER_SHIP * (SHIPS - cells[SHIP])
    return _compared(worths(cells, position.players), lead)


def _final(position: Position) -> list[float]:
    """What counts at the end, ties broken as by E2."""
    return [s.vp + 0.2 * s.leftover + 0.001 * s.pesos for s in position.scores()]


def _compared(worth: list[float], lead: float) -> list[float]:
    players = len(worth)
    totals = [0.0] * players
    for seat in range(players):
        for other in range(seat):
            ahead = tanh((worth[seat] - worth[other]) / lead)
            totals[seat] += ahead
            totals[other] -= ahead
    return [total / (players - 1) for total in totals]


def worths(cells: list[int], players: int) -> list[float]:
    """By seat, in VP: all that it has."""
    left = SHIPS - cells[SHIP]
    later = GOOD_AT_THE_END + (GOOD_FOR_A_LATER_SHIP if left else 0.0)
    bases = range(PLAYERS, PLAYERS + STRIDE * players, STRIDE)
    demand = cells[DEMAND : DEMAND + WOOD] if cells[EXCLUDED] != NO_DEMAND else [0] * WOOD
    extra = CHANCE_TO_DELIVER * (cells[VALUE] - later)
    premiums = [
        _premium(cells, bases, good, wanted, extra) if wanted else 0.0
        for good, wanted in enumerate(demand)
    ]
    worth = []
    for base in bases:
        held = cells[base + HELD : base + HELD + WOOD]
        total = (
            cells[base + VP] + PESO * cells[base + PESOS] + WOOD_UNIT * cells[base + HELD + WOOD]
        )
        total += later * sum(held)
        for units, wanted, premium in zip(held, demand, premiums, strict=True):
            total += (units if units < wanted else wanted) * premium
        owned = MARKERS_AT_THE_START - cells[base + MARKERS]
        worth.append(total + OWNED_BUILDING_PER_SHIP * owned * (left + 0.5))
    worth[cells[SEAT]] += TO_MOVE[cells[PHASE]]
    return worth


def _premium(cells: list[int], bases: range, good: int, wanted: int, extra: float) -> float:
    offered = sum(min(cells[base + HELD + good], wanted) for base in bases)
    return extra if offered <= wanted else extra * wanted / offered
