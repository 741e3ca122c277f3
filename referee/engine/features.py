"""What the network sees of a position: for each seat the numbers of the rows that it adds up.

A row stands for one fact, such as "three sugar, of which the ship wants two at a value of 3". Facts
are seen from a seat: who drives is told as the number of seats that drive before it. So one network
serves all seats. A field is a block of rows of which a seat has one, none or several; START says
where each begins. Facts about the street depend on the layout and the car alone: see `street_rows`.
"""

from typing import Final

from referee.rules.cells import (
    ACTIVE,
    CAR,
    DELIVER,
    DEMAND,
    DEMAND_CHOICE,
    DRIVE,
    FUNCTION,
    HELD,
    LAWYER,
    MARKERS,
    NOBODY,
    OFF_BOARD,
    OWNED,
    OWNER,
    PAWN,
    PESOS,
    PHASE,
    PLAYER,
    ROUND,
    SEAT,
    SHIP,
    SILENCED,
    SUPPLY,
    TRIBUTE,
    TURN,
    VALUE,
    VISIT,
    VP,
    Layout,
)
from referee.rules.moves import VERB_BITS
from referee.rules.pieces import (
    BLACK_MARKET,
    CAFE,
    CASINO,
    CIGAR_FACTORY,
    CIGARS,
    CUSTOMS,
    DISTILLERY,
    HARBOUR_OFFICE,
    NO_FLOWER,
    RUM,
    SAWMILL,
    STOPS,
    SUGAR,
    TOBACCO,
    TRADING_OFFICE,
    WOOD,
)
from referee.rules.position import Position

FARTHEST_LEAD: Final = 24
_LEADS: Final = 2 * FARTHEST_LEAD + 1
_SHIPS: Final = 7
MOST_PESOS: Final = 14
MOST_WOOD: Final = 6
MOST_HELD: Final = 5
MOST_GOODS: Final = 12
REACHES: Final = 5
_SILENT: Final = 10

_SIZES: Final = {
    "base": 3 * 4 * 2,
    "phase": 10 * 3,
    "lead": 3 * _SHIPS * _LEADS,
    "mean lead": 2 * _SHIPS * _LEADS,
    "pesos": _SHIPS * (MOST_PESOS + 1),
    "wood": _SHIPS * (MOST_WOOD + 1),
    "good": 5 * MOST_HELD * 5 * 3 * 4,
    "stock": 5 * MOST_HELD * _SHIPS,
    "glut": 2 * 4 * 4 * 5,
    "goods": 4 * (MOST_GOODS + 1),
    "own": 12 * _SHIPS,
    "markers": 4 * _SHIPS,
    "pawn": 13,
    "cargo": 4 * 10 * 8,
    "clock": _SHIPS * 3 * 8,
    "open": 3 * 6,
    "visit": 12 * 4 * 2,
    "function": 12 * 4 * 2,
    "due": 1,
    "gift": 4,
    "round": 4 * 2 * 3,
    "stop": 4 * REACHES * STOPS * 11,
    "house": 4 * 5 * 12,
}


def _starts() -> dict[str, int]:
    starts = {}
    start = 0
    for name, size in _SIZES.items():
        starts[name] = start
        start += size
    starts["end"] = start
    return starts


START: Final = _starts()
ROWS: Final = START["end"]
_BASE: Final[int] = START["base"]
_PHASE: Final[int] = START["phase"]
_LEAD: Final[int] = START["lead"]
_MEAN_LEAD: Final[int] = START["mean lead"]
_PESOS: Final[int] = START["pesos"]
_WOOD: Final[int] = START["wood"]
_GOOD: Final[int] = START["good"]
_STOCK: Final[int] = START["stock"]
_GLUT: Final[int] = START["glut"]
_GOODS: Final[int] = START["goods"]
_OWN: Final[int] = START["own"]
_MARKERS: Final[int] = START["markers"]
_PAWN: Final[int] = START["pawn"]
_CARGO: Final[int] = START["cargo"]
_CLOCK: Final[int] = START["clock"]
_OPEN: Final[int] = START["open"]
_VISIT: Final[int] = START["visit"]
_FUNCTION: Final[int] = START["function"]
_DUE: Final[int] = START["due"]
_GIFT: Final[int] = START["gift"]
_ROUND: Final[int] = START["round"]
_STOP: Final[int] = START["stop"]
_HOUSE: Final[int] = START["house"]


def street_rows(layout: Layout, key: int) -> list[int]:
    """Return the rows of the stops ahead; `key` is what `street_key` returned."""
    reach = key % REACHES
    key //= REACHES
    wait = key & 3
    key >>= 2
    car = key % STOPS
    silenced = key // STOPS
    rows = []
    for steps in range(1, STOPS + 1):
        stop = (car + steps) % STOPS
        citizen = layout.citizen_at[stop]
        what = 0 if citizen < 0 else _SILENT if silenced >> citizen & 1 else 1 + citizen
        rows.append(_STOP + ((wait * REACHES + reach) * STOPS + steps - 1) * 11 + what)
        flower = layout.flower_at[stop]
        if steps <= 5 and flower != NO_FLOWER and what != _SILENT:
            for building in layout.buildings[3 * flower : 3 * flower + 3]:
                rows.append(_HOUSE + (wait * 5 + steps - 1) * 12 + building)
    return rows


def seat_rows(position: Position) -> tuple[list[list[int]], list[int]]:
    """Return by seat its rows, without those of the street, and the key for `street_rows`."""
    cells = position.cells
    players = position.players
    phase = cells[PHASE]
    ship = cells[SHIP] - 1
    value = cells[VALUE] - 2
    active = cells[ACTIVE]
    decides = cells[SEAT]
    first = 0 if not cells[TURN] else active if phase == DRIVE else active + 1
    loading = phase == DELIVER
    car = cells[CAR]
    to_harbour = STOPS - car
    late = 0 if ship < 4 else ship - 3

    wanted = 0
    short = 0
    offered = [0, 0, 0, 0, 0]
    for good in range(WOOD):
        demand = cells[DEMAND + good]
        if demand:
            wanted += demand
            total = 0
            for seat in range(players):
                units = cells[PLAYER[seat] + HELD + good]
                total += units if units < demand else demand
            offered[good] = total
            if total < demand:
                short += demand - total
    sum_vp = 0
    highest = -1
    second = -1
    for seat in range(players):
        vp = cells[PLAYER[seat] + VP]
        sum_vp += vp
        if vp > highest:
            second = highest
            highest = vp
        elif vp > second:
            second = vp
    clock = _CLOCK + (ship * 3 + value) * 8 + (wanted if wanted < 8 else 7)
    open_row = _OPEN + value * 6 + (short if short < 5 else 5)

    all_rows: list[list[int]] = []
    keys: list[int] = []
    for seat in range(players):
        base = PLAYER[seat]
        wait = seat - first
        if wait < 0:
            wait += players
        elif wait >= players:
            wait -= players
        rows = [clock, open_row]
        rows.append(_BASE + ((players - 2) * 4 + wait) * 2 + (1 if phase == DRIVE else 0))
        rows.append(_PHASE + phase * 3 + (0 if seat == decides else 1 if seat == active else 2))
        vp = cells[base + VP]
        lead = vp - (second if vp == highest else highest) + FARTHEST_LEAD
        lead = 0 if lead < 0 else lead if lead < _LEADS else _LEADS - 1
        rows.append(_LEAD + ((players - 2) * _SHIPS + ship) * _LEADS + lead)
        if players > 2:
            others = players - 1
            lead = (vp * players - sum_vp + others * FARTHEST_LEAD + (others >> 1)) // others
            lead = 0 if lead < 0 else lead if lead < _LEADS else _LEADS - 1
            rows.append(_MEAN_LEAD + ((players - 3) * _SHIPS + ship) * _LEADS + lead)
        pesos = cells[base + PESOS]
        rows.append(
            _PESOS + ship * (MOST_PESOS + 1) + (pesos if pesos < MOST_PESOS else MOST_PESOS)
        )
        wood = cells[base + HELD + WOOD]
        rows.append(_WOOD + ship * (MOST_WOOD + 1) + (wood if wood < MOST_WOOD else MOST_WOOD))
        markers = cells[base + MARKERS]
        rows.append(_MARKERS + ship * 4 + markers)
        rows.append(_PAWN + cells[base + PAWN])
        if loading:
            mode = 1 if cells[ROUND] >> seat & 1 else 2
            turns = seat - decides
            if turns < 0:
                turns += players
            rows.append(_ROUND + (turns * 2 + mode - 1) * 3 + value)
        else:
            mode = 3 if phase == DEMAND_CHOICE else 0
        goods = wood
        cargo = 0
        for good in range(WOOD):
            held = cells[base + HELD + good]
            if held:
                goods += held
                demand = cells[DEMAND + good]
                units = held if held < MOST_HELD else MOST_HELD
                rows.append(
                    _GOOD + (((good * MOST_HELD + units - 1) * 5 + demand) * 3 + value) * 4 + mode
                )
                rows.append(_STOCK + (good * MOST_HELD + units - 1) * _SHIPS + ship)
                if demand:
                    units = held if held < demand else demand
                    cargo += units
                    rest = offered[good] - units
                    rows.append(
                        _GLUT
                        + (((1 if loading else 0) * 4 + demand - 1) * 4 + units - 1) * 5
                        + (rest if rest < 4 else 4)
                    )
        rows.append(
            _GOODS + late * (MOST_GOODS + 1) + (goods if goods < MOST_GOODS else MOST_GOODS)
        )
        cargo = (cargo * (value + 2)) >> 1
        rows.append(_CARGO + (wait * 10 + to_harbour - 1) * 8 + (cargo if cargo < 7 else 7))
        all_rows.append(rows)
        reach = pesos if pesos < REACHES - 1 else REACHES - 1
        keys.append(((cells[SILENCED] * STOPS + car) * 4 + wait) * REACHES + reach)
    if cells[OWNED]:
        for building in range(OFF_BOARD):
            owner = cells[OWNER + building]
            if owner != NOBODY:
                all_rows[owner].append(_OWN + building * _SHIPS + ship)
    if phase != DRIVE:
        _add_pending(position, all_rows)
    return all_rows, keys


def _add_pending(position: Position, all_rows: list[list[int]]) -> None:
    """Add what the turn still has in store for its player and for owners."""
    cells = position.cells
    phase = cells[PHASE]
    active = cells[ACTIVE]
    base = PLAYER[active]
    rows = all_rows[active]
    pawn = cells[base + PAWN]
    if phase == VISIT:
        for move in position.legal_moves:
            building = move >> VERB_BITS
            owner = cells[OWNER + building]
            paid = 1 if owner != NOBODY and owner != active else 0
            rows.append(_VISIT + (building * 4 + _use(cells, base, building)) * 2 + paid)
        return
    owner = cells[OWNER + pawn]
    if phase == FUNCTION:
        lawyer = cells[LAWYER]
        building = lawyer - 1 if lawyer else pawn
        rows.append(
            _FUNCTION + (building * 4 + _use(cells, base, building)) * 2 + (1 if lawyer else 0)
        )
        if lawyer:
            return
    elif phase == TRIBUTE:
        if pawn != OFF_BOARD:
            rows.append(_FUNCTION + (pawn * 4 + _use(cells, base, pawn)) * 2)
        seat = cells[SEAT]
        givers = 0
        while seat != active:
            all_rows[seat].append(_GIFT)
            givers += 1
            seat = seat + 1 if seat + 1 < position.players else 0
        rows.append(_GIFT + givers)
    elif phase != DELIVER:
        return
    if owner != NOBODY and owner != active:
        all_rows[owner].append(_DUE)


def _use(cells: list[int], base: int, building: int) -> int:
    """Return from 0 to 3 how much a seat could use a building."""
    held = base + HELD
    if building == DISTILLERY:
        units = min(cells[held + SUGAR], cells[SUPPLY + RUM])
    elif building == CIGAR_FACTORY:
        units = min(cells[held + TOBACCO], cells[SUPPLY + CIGARS])
    elif building == SAWMILL:
        units = cells[held + WOOD]
    elif building == CAFE:
        units = (1 if cells[held + RUM] else 0) + (2 if cells[held + CIGARS] else 0)
    elif building == CASINO:
        units = cells[base + PESOS] // 3
    elif building == HARBOUR_OFFICE:
        units = cells[VALUE] - 2
    elif building in (BLACK_MARKET, TRADING_OFFICE, CUSTOMS):
        units = 0
        for good in range(WOOD):
            demand = cells[DEMAND + good]
            if building == CUSTOMS:
                if demand:
                    units += 1
            elif cells[held + good] and (demand or building == BLACK_MARKET):
                units += 1
    else:
        units = 0
    return units if units < 3 else 3
