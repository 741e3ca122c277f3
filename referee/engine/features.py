"""Describe a position to the network: for each seat the rows that it adds up.

A row stands for one fact, such as "three sugar, of which the ship wants two at a value of 3". Facts
are seen from a seat: who drives is told as the number of seats that drive before it. So one network
serves all seats. Facts about the street depend on the layout and the car alone: `street_rows`.
"""

from typing import Final

from referee.engine.fields import (
    FARTHEST_LEAD,
    LEADS,
    MOST_GOODS,
    MOST_HELD,
    MOST_PESOS,
    MOST_WOOD,
    NEAR,
    REACHES,
    SILENT,
    START,
)
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
    SHIPS,
    STOPS,
    SUGAR,
    TOBACCO,
    TRADING_OFFICE,
    WOOD,
)
from referee.rules.position import Position

_TURN: Final[int] = START["turn"]
_LEAD: Final[int] = START["lead"]
_MEAN_LEAD: Final[int] = START["mean lead"]
_PURSE: Final[int] = START["purse"]
_GOOD: Final[int] = START["good"]
_STOCK: Final[int] = START["stock"]
_GLUT: Final[int] = START["glut"]
_GOODS: Final[int] = START["goods"]
_OWN: Final[int] = START["own"]
_MARKS: Final[int] = START["marks"]
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
    """Return the rows of the stops ahead; `key` is what `seat_rows` returned."""
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
        what = 0 if citizen < 0 else SILENT if silenced >> citizen & 1 else 1 + citizen
        rows.append(_STOP + ((wait * REACHES + reach) * STOPS + steps - 1) * 11 + what)
        flower = layout.flower_at[stop]
        if steps <= NEAR and flower != NO_FLOWER and what != SILENT:
            for building in layout.buildings[3 * flower : 3 * flower + 3]:
                rows.append(_HOUSE + (wait * NEAR + steps - 1) * 12 + building)
    return rows


class _Table:
    """The facts that all seats have in common."""

    def __init__(self, position: Position) -> None:
        cells = position.cells
        players = self.players = position.players
        self.ship = cells[SHIP] - 1
        self.value = cells[VALUE] - 2
        self.loading = cells[PHASE] == DELIVER
        self.wanted = 0
        self.short = 0
        self.offered = [0, 0, 0, 0, 0]
        for good in range(WOOD):
            demand = cells[DEMAND + good]
            if demand:
                self.wanted += demand
                total = 0
                for seat in range(players):
                    units = cells[PLAYER[seat] + HELD + good]
                    total += units if units < demand else demand
                self.offered[good] = total
                if total < demand:
                    self.short += demand - total
        self.all_vp = 0
        self.highest = -1
        self.second = -1
        for seat in range(players):
            vp = cells[PLAYER[seat] + VP]
            self.all_vp += vp
            if vp > self.highest:
                self.second = self.highest
                self.highest = vp
            elif vp > self.second:
                self.second = vp


def seat_rows(position: Position) -> tuple[list[int], list[list[int]], list[int]]:
    """Return the rows of all seats, by seat its own, and by seat the key for `street_rows`."""
    cells = position.cells
    players = position.players
    phase = cells[PHASE]
    table = _Table(position)
    active, decides, car = cells[ACTIVE], cells[SEAT], cells[CAR]
    drives = 0 if not cells[TURN] else active if phase == DRIVE else active + 1
    common = [
        _CLOCK + (table.ship * 3 + table.value) * 8 + (table.wanted if table.wanted < 8 else 7),
        _OPEN + table.value * 6 + (table.short if table.short < 5 else 5),
    ]
    all_rows: list[list[int]] = []
    keys: list[int] = []
    for seat in range(players):
        wait = seat - drives
        if wait < 0:
            wait += players
        elif wait >= players:
            wait -= players
        role = 0 if seat == decides else 1 if seat == active else 2
        rows = [_TURN + (((players - 2) * 4 + wait) * 10 + phase) * 3 + role]
        _add_leads(rows, table, cells[PLAYER[seat] + VP])
        _add_things(rows, table, cells, seat, wait)
        all_rows.append(rows)
        pesos = cells[PLAYER[seat] + PESOS]
        reach = pesos if pesos < REACHES - 1 else REACHES - 1
        keys.append(((cells[SILENCED] * STOPS + car) * 4 + wait) * REACHES + reach)
    if cells[OWNED]:
        for building in range(OFF_BOARD):
            owner = cells[OWNER + building]
            if owner != NOBODY:
                all_rows[owner].append(_OWN + building * SHIPS + table.ship)
    if phase != DRIVE:
        _add_pending(position, all_rows)
    return common, all_rows, keys


def _add_leads(rows: list[int], table: _Table, vp: int) -> None:
    """Add how many VP a seat is ahead of the best of the others, and of their mean."""
    players = table.players
    lead = vp - (table.second if vp == table.highest else table.highest) + FARTHEST_LEAD
    lead = 0 if lead < 0 else lead if lead < LEADS else LEADS - 1
    rows.append(_LEAD + ((players - 2) * SHIPS + table.ship) * LEADS + lead)
    if players > 2:
        others = players - 1
        lead = (vp * players - table.all_vp + others * FARTHEST_LEAD + (others >> 1)) // others
        lead = 0 if lead < 0 else lead if lead < LEADS else LEADS - 1
        rows.append(_MEAN_LEAD + ((players - 3) * SHIPS + table.ship) * LEADS + lead)


def _add_things(rows: list[int], table: _Table, cells: list[int], seat: int, wait: int) -> None:
    """Add what a seat has."""
    base = PLAYER[seat]
    ship = table.ship
    pesos, wood = cells[base + PESOS], cells[base + HELD + WOOD]
    purse = ship * (MOST_PESOS + 1) + (pesos if pesos < MOST_PESOS else MOST_PESOS)
    rows.append(_PURSE + purse * (MOST_WOOD + 1) + (wood if wood < MOST_WOOD else MOST_WOOD))
    rows.append(_MARKS + (ship * 4 + cells[base + MARKERS]) * 13 + cells[base + PAWN])
    mode = 3 if cells[PHASE] == DEMAND_CHOICE else 0
    if table.loading:
        mode = 1 if cells[ROUND] >> seat & 1 else 2
        turns = seat - cells[SEAT]
        if turns < 0:
            turns += table.players
        rows.append(_ROUND + (turns * 2 + mode - 1) * 3 + table.value)
    goods, cargo = wood, 0
    for good in range(WOOD):
        held = cells[base + HELD + good]
        if held:
            goods += held
            demand = cells[DEMAND + good]
            kind = good * MOST_HELD + (held if held < MOST_HELD else MOST_HELD) - 1
            rows.append(_GOOD + ((kind * 5 + demand) * 3 + table.value) * 4 + mode)
            rows.append(_STOCK + kind * SHIPS + ship)
            if demand:
                units = held if held < demand else demand
                cargo += units
                rest = table.offered[good] - units
                crowd = ((4 if table.loading else 0) + demand - 1) * 4 + units - 1
                rows.append(_GLUT + crowd * 5 + (rest if rest < 4 else 4))
    late = 0 if ship < 4 else ship - 3
    rows.append(_GOODS + late * (MOST_GOODS + 1) + (goods if goods < MOST_GOODS else MOST_GOODS))
    worth = cargo * (table.value + 2) >> 1
    harbour = wait * 10 + STOPS - cells[CAR] - 1
    rows.append(_CARGO + harbour * 8 + (worth if worth < 7 else 7))


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
