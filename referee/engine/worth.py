"""A quick look at a position: what each seat has and is about to get, in VP, and who is ahead.

A tree looks at eight positions for one step deeper, so its leaves need an evaluation that takes a
microsecond when compiled; the network of `evaluation` takes eight times as long. What a thing is
worth stands in the tables of `prices`, which are learned.
"""

from typing import Final, TypeAlias

from referee.engine.prices import ENDS, HARBOUR, NEARS, PESOS_TOLD, SILENCED, start, table
from referee.engine.shares import Shares, add_to_seat, compared, far_behind, final_shares
from referee.rules import cells as at, pieces
from referee.rules.cells import DEMAND, HELD, MARKERS, NOBODY, OWNER, PESOS, PHASE, PLAYER, VP
from referee.rules.pieces import CIGARS, CITRUS, RUM, SUGAR, TOBACCO, WOOD
from referee.rules.position import Position

MOST_PESOS: Final = 60
"""Further pesos add nothing."""
_BUILDINGS: Final = 12
SOON: Final = 5
VERY_SOON: Final = 2
"""Stops to the harbour."""

_PESOS: Final[int] = start("pesos")
_FURTHER: Final[int] = start("further pesos")
_GOOD: Final[int] = start("good")
_FIRST: Final[int] = start("first good")
_WANTED: Final[int] = start("wanted")
_WOOD: Final[int] = start("wood")
_FIRST_WOOD: Final[int] = start("first wood")
_OWN: Final[int] = start("own")
_MARKERS: Final[int] = start("markers")
_DUE: Final[int] = start("due")
_LATER: Final[int] = start("drives later")
_NEXT: Final[int] = start("drives next")
_STOP: Final[int] = start("stop")
_SECOND_STOP: Final[int] = start("second stop")
_LEAD: Final[int] = start("lead")

Parts: TypeAlias = tuple[float, float, float, float, float]
"""A part from 0 to 1 for each plain good."""


def quick_shares(position: Position, seat: int = 0, gain: float = 0.0, faulted: int = 0) -> Shares:
    """Return for each seat the share of the points that it seems to get, from 0 to 1.

    `gain` is what `seat` may expect beyond what is seen here, in VP. `faulted` has a bit for each
    seat that ends below all others.
    """
    cells = position.cells
    if cells[PHASE] == at.OVER:
        return final_shares(position, faulted)
    prices = table(position.players)
    worth = add_to_seat(_worths(position, prices), seat, gain)
    lead = prices[_LEAD + cells[at.SHIP]]
    if faulted:
        worth = far_behind(worth, position.players, faulted, lead)
    return compared(worth, position.players, lead)


def worths(position: Position) -> list[float]:
    """Return the worth of what each seat has and is about to get, in VP."""
    return list(_worths(position, table(position.players)))[: position.players]


def _worths(position: Position, prices: list[float]) -> Shares:
    cells = position.cells
    players = position.players
    sold = _parts_sold(cells, players)
    worth = (
        _worth_of_things(cells, 0, prices, sold),
        _worth_of_things(cells, 1, prices, sold),
        _worth_of_things(cells, 2, prices, sold) if players > 2 else 0.0,
        _worth_of_things(cells, 3, prices, sold) if players > 3 else 0.0,
    )
    ship = cells[at.SHIP]
    if cells[at.OWNED]:
        first = _OWN + ship * _BUILDINGS
        for building in range(_BUILDINGS):
            owner = cells[OWNER + building]
            if owner != NOBODY:
                worth = add_to_seat(worth, owner, prices[first + building])
    phase = cells[PHASE]
    seat = cells[at.SEAT]
    worth = add_to_seat(worth, seat, prices[_DUE + ship * 10 + phase])
    if phase == at.DRIVE:
        worth = add_to_seat(worth, seat, _worth_of_next_stops(position, prices))
        return _with_coming_turns(worth, players, seat, prices, _LATER + ship * 4)
    driver = cells[at.ACTIVE] + 1
    return _with_coming_turns(worth, players, driver, prices, _NEXT + ship * 4)


def _parts_sold(cells: list[int], players: int) -> Parts:
    """Return by good which part of what the seats could deliver the ship still wants."""
    return (
        _part_sold(cells, players, SUGAR),
        _part_sold(cells, players, CITRUS),
        _part_sold(cells, players, TOBACCO),
        _part_sold(cells, players, RUM),
        _part_sold(cells, players, CIGARS),
    )


def _part_sold(cells: list[int], players: int, good: int) -> float:
    wanted = cells[DEMAND + good]
    if not wanted:
        return 0.0
    offered = 0
    for seat in range(players):
        units = cells[PLAYER[seat] + HELD + good]
        offered += units if units < wanted else wanted
    return 1.0 if offered <= wanted else float(wanted) / float(offered)


def _worth_of_things(cells: list[int], seat: int, prices: list[float], sold: Parts) -> float:
    """Return the worth of what a seat has."""
    base = PLAYER[seat]
    ship = cells[at.SHIP]
    wanted = prices[_WANTED + (ship * 5 + cells[at.VALUE]) * NEARS + _near(cells, seat)]
    worth = (
        float(cells[base + VP])
        + _worth_of_pesos(cells[base + PESOS], prices, ship)
        + prices[_MARKERS + ship * 4 + cells[base + MARKERS]]
        + _worth_of_good(cells, base, SUGAR, prices, wanted * sold[SUGAR])
        + _worth_of_good(cells, base, CITRUS, prices, wanted * sold[CITRUS])
        + _worth_of_good(cells, base, TOBACCO, prices, wanted * sold[TOBACCO])
        + _worth_of_good(cells, base, RUM, prices, wanted * sold[RUM])
        + _worth_of_good(cells, base, CIGARS, prices, wanted * sold[CIGARS])
    )
    wood = cells[base + HELD + WOOD]
    if wood:
        worth += prices[_FIRST_WOOD + ship] + prices[_WOOD + ship] * float(wood)
    return worth


def _near(cells: list[int], seat: int) -> int:
    """Return how near a delivery of the seat is (`prices.NEARS`)."""
    if cells[PHASE] == at.DELIVER:
        return 3 if cells[at.ROUND] >> seat & 1 else 4
    to_go = pieces.STOPS - cells[at.CAR]
    return 0 if to_go <= VERY_SOON else 1 if to_go <= SOON else 2


def _worth_of_pesos(pesos: int, prices: list[float], ship: int) -> float:
    first = _PESOS + ship * PESOS_TOLD
    if pesos < PESOS_TOLD:
        return prices[first + pesos]
    further = (pesos if pesos < MOST_PESOS else MOST_PESOS) - PESOS_TOLD + 1
    return prices[first + PESOS_TOLD - 1] + prices[_FURTHER + ship] * float(further)


def _worth_of_good(
    cells: list[int], base: int, good: int, prices: list[float], wanted: float
) -> float:
    units = cells[base + HELD + good]
    if not units:
        return 0.0
    row = cells[at.SHIP] * 5 + good
    demand = cells[DEMAND + good]
    sold = units if units < demand else demand
    return prices[_FIRST + row] + prices[_GOOD + row] * float(units) + wanted * float(sold)


def _worth_of_next_stops(position: Position, prices: list[float]) -> float:
    """Return what the stop is worth that costs nothing to reach, and the one behind it."""
    cells = position.cells
    car = cells[at.CAR]
    ship = cells[at.SHIP]
    worth = prices[_STOP + ship * ENDS + _end(position, car + 1)]
    if cells[PLAYER[cells[at.SEAT]] + PESOS]:
        worth += prices[_SECOND_STOP + ship * ENDS + _end(position, car + 2)]
    return worth


def _end(position: Position, stop: int) -> int:
    """Return what stands at a stop (`prices.ENDS`); stops behind the harbour count on."""
    if stop == pieces.STOPS:
        return HARBOUR
    citizen = position.layout.citizen_at[stop if stop < pieces.STOPS else stop - pieces.STOPS]
    return SILENCED if position.cells[at.SILENCED] >> citizen & 1 else citizen


def _with_coming_turns(
    worth: Shares, players: int, driver: int, prices: list[float], first: int
) -> Shares:
    """Add for each seat what its coming turn is worth; `driver` has the first of them."""
    for later in range(players):
        if driver == players:
            driver = 0
        worth = add_to_seat(worth, driver, prices[first + later])
        driver += 1
    return worth
