"""How good a position is for each seat, without looking further."""

from math import tanh
from typing import Final

from referee.rules import Position
from referee.rules.cells import (
    CAR,
    DELIVER,
    DEMAND,
    DRIVE,
    HELD,
    MARKERS,
    OVER,
    PAWN,
    PESOS,
    PHASE,
    PLAYERS,
    SEAT,
    SHIP,
    SILENCED,
    STRIDE,
    VALUE,
    VP,
)
from referee.rules.pieces import CIGARS, RUM, SHIPS, STOPS, WOOD
from sample_bots.planner.prices import (
    DUE,
    HARBOUR_BEFORE,
    MOST_PESOS,
    PRICES,
    STOP_BEFORE,
    WAITING,
)

MARKERS_AT_THE_START: Final = 3
BASES: Final = tuple(range(PLAYERS, PLAYERS + STRIDE * players, STRIDE) for players in range(5))
"""By number of players: where the players' blocks of cells begin."""

SURE_LEAD: Final = 4.0
"""VP ahead that are enough to feel safe while the last ship is in the harbour."""
SURE_LEAD_PER_SHIP: Final = 1.5
"""And how many more for each ship that is still to come."""
SURE_LEAD_AT_THE_END: Final = 0.5


def utilities(position: Position) -> list[float]:
    """By seat, from -1 to 1: how surely it ends ahead of another seat, in the mean of all."""
    cells = position.cells
    if cells[PHASE] == OVER:
        ends = [
            score.vp + 0.2 * score.leftover + 0.001 * score.pesos for score in position.scores()
        ]
        return _compared(ends, SURE_LEAD_AT_THE_END)
    lead = SURE_LEAD + SURE_LEAD_PER_SHIP * (SHIPS - cells[SHIP])
    return _compared(worths(position), lead)


def _compared(worth: list[float], lead: float) -> list[float]:
    players = len(worth)
    if players == 2:
        ahead = tanh((worth[0] - worth[1]) / lead)
        return [ahead, -ahead]
    totals = [0.0] * players
    for seat in range(players):
        for other in range(seat):
            ahead = tanh((worth[seat] - worth[other]) / lead) / (players - 1)
            totals[seat] += ahead
            totals[other] -= ahead
    return totals


def worths(position: Position) -> list[float]:
    """By seat, in VP: what it has and what it is about to get."""
    cells = position.cells
    prices = PRICES[cells[SHIP]]
    orders = _orders(cells, BASES[position.players])
    worth = []
    for base in BASES[position.players]:
        held = cells[base + HELD : base + PAWN]
        total = (
            cells[base + VP]
            + prices.pesos[min(cells[base + PESOS], MOST_PESOS)]
            + prices.good * (sum(held) - held[WOOD])
            + prices.wood * held[WOOD]
            + prices.building * (MARKERS_AT_THE_START - cells[base + MARKERS])
        )
        if held[RUM]:
            total += prices.first_rum
        if held[CIGARS]:
            total += prices.first_cigars
        for good, wanted, price in orders:
            units = held[good]
            total += price * (units if units < wanted else wanted)
        worth.append(total)
    _add_what_is_due(position, worth)
    return worth


def _orders(cells: list[int], bases: range) -> list[tuple[int, int, float]]:
    """The goods that the ship wants and somebody has: good, units, price of a unit above `good`.

    Where the seats have more than is wanted, each will sell only a part: the price is less.
    """
    prices = PRICES[cells[SHIP]]
    price = (prices.loading if cells[PHASE] == DELIVER else prices.wanted)[cells[VALUE]]
    orders = []
    for good in range(WOOD):
        wanted = cells[DEMAND + good]
        if wanted:
            offered = 0
            for base in bases:
                units = cells[base + HELD + good]
                offered += units if units < wanted else wanted
            if offered:
                orders.append(
                    (good, wanted, price if offered <= wanted else price * wanted / offered)
                )
    return orders


def _add_what_is_due(position: Position, worth: list[float]) -> None:
    """Whose turn it is matters, and where the car stands."""
    cells = position.cells
    seat, phase = cells[SEAT], cells[PHASE]
    if phase != DRIVE:
        worth[seat] += DUE[phase]
        return
    for later in range(position.players):
        worth[(seat + later) % position.players] += WAITING[later]
    stop = cells[CAR] + 1
    if stop == STOPS:
        worth[seat] += HARBOUR_BEFORE
        return
    citizen = position.layout.citizen_at[stop]
    if not cells[SILENCED] >> citizen & 1:
        worth[seat] += STOP_BEFORE[citizen]
