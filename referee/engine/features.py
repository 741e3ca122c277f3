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
from referee.rules import cells as at, pieces
from referee.rules.cells import Layout
from referee.rules.city import next_seat
from referee.rules.legal_moves import building_in_use
from referee.rules.moves import VERB_BITS
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
    car = key % pieces.STOPS
    silenced = key // pieces.STOPS
    rows = []
    for steps in range(1, pieces.STOPS + 1):
        stop = (car + steps) % pieces.STOPS
        citizen = layout.citizen_at[stop]
        what = 0 if citizen < 0 else SILENT if silenced >> citizen & 1 else 1 + citizen
        rows.append(_STOP + ((wait * REACHES + reach) * pieces.STOPS + steps - 1) * 11 + what)
        flower = layout.flower_at[stop]
        if steps <= NEAR and flower != pieces.NO_FLOWER and what != SILENT:
            for building in layout.buildings[3 * flower : 3 * flower + 3]:
                rows.append(_HOUSE + (wait * NEAR + steps - 1) * 12 + building)
    return rows


class _Table:
    """The facts that all seats have in common."""

    def __init__(self, position: Position) -> None:
        cells = position.cells
        players = self.players = position.players
        self.ship = cells[at.SHIP] - 1
        self.value = cells[at.VALUE] - 2
        self.loading = cells[at.PHASE] == at.DELIVER
        self.wanted = 0
        self.short = 0
        self.offered = [0, 0, 0, 0, 0]
        for good in range(pieces.WOOD):
            demand = cells[at.DEMAND + good]
            if demand:
                self.wanted += demand
                total = 0
                for seat in range(players):
                    units = cells[at.PLAYER[seat] + at.HELD + good]
                    total += units if units < demand else demand
                self.offered[good] = total
                if total < demand:
                    self.short += demand - total
        self.all_vp = 0
        self.highest = -1
        self.second = -1
        for seat in range(players):
            vp = cells[at.PLAYER[seat] + at.VP]
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
    phase = cells[at.PHASE]
    table = _Table(position)
    active, decides, car = cells[at.ACTIVE], cells[at.SEAT], cells[at.CAR]
    drives = 0 if not cells[at.TURN] else active if phase == at.DRIVE else active + 1
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
        role = 0 if seat == decides else 1 if seat == active else 2
        rows = [_TURN + (((players - 2) * 4 + wait) * 10 + phase) * 3 + role]
        _add_leads(rows, table, cells[at.PLAYER[seat] + at.VP])
        _add_things(rows, table, cells, seat, wait)
        all_rows.append(rows)
        pesos = cells[at.PLAYER[seat] + at.PESOS]
        reach = pesos if pesos < REACHES - 1 else REACHES - 1
        keys.append(((cells[at.SILENCED] * pieces.STOPS + car) * 4 + wait) * REACHES + reach)
    if cells[at.OWNED]:
        for building in range(at.OFF_BOARD):
            owner = cells[at.OWNER + building]
            if owner != at.NOBODY:
                all_rows[owner].append(_OWN + building * pieces.SHIPS + table.ship)
    if phase != at.DRIVE:
        _add_pending(position, all_rows)
    return common, all_rows, keys


def _add_leads(rows: list[int], table: _Table, vp: int) -> None:
    """Add how many VP a seat is ahead of the best of the others, and of their mean."""
    players = table.players
    lead = vp - (table.second if vp == table.highest else table.highest) + FARTHEST_LEAD
    lead = 0 if lead < 0 else lead if lead < LEADS else LEADS - 1
    rows.append(_LEAD + ((players - 2) * pieces.SHIPS + table.ship) * LEADS + lead)
    if players > 2:
        others = players - 1
        lead = (vp * players - table.all_vp + others * FARTHEST_LEAD + (others >> 1)) // others
        lead = 0 if lead < 0 else lead if lead < LEADS else LEADS - 1
        rows.append(_MEAN_LEAD + ((players - 3) * pieces.SHIPS + table.ship) * LEADS + lead)


def _add_things(rows: list[int], table: _Table, cells: list[int], seat: int, wait: int) -> None:
    """Add what a seat has."""
    base = at.PLAYER[seat]
    ship = table.ship
    pesos, wood = cells[base + at.PESOS], cells[base + at.HELD + pieces.WOOD]
    purse = ship * (MOST_PESOS + 1) + (pesos if pesos < MOST_PESOS else MOST_PESOS)
    rows.append(_PURSE + purse * (MOST_WOOD + 1) + (wood if wood < MOST_WOOD else MOST_WOOD))
    rows.append(_MARKS + (ship * 4 + cells[base + at.MARKERS]) * 13 + cells[base + at.PAWN])
    mode = 3 if cells[at.PHASE] == at.DEMAND_CHOICE else 0
    if table.loading:
        mode = 1 if cells[at.ROUND] >> seat & 1 else 2
        turns = seat - cells[at.SEAT]
        if turns < 0:
            turns += table.players
        rows.append(_ROUND + (turns * 2 + mode - 1) * 3 + table.value)
    goods, cargo = wood, 0
    for good in range(pieces.WOOD):
        held = cells[base + at.HELD + good]
        if held:
            goods += held
            demand = cells[at.DEMAND + good]
            kind = good * MOST_HELD + (held if held < MOST_HELD else MOST_HELD) - 1
            rows.append(_GOOD + ((kind * 5 + demand) * 3 + table.value) * 4 + mode)
            rows.append(_STOCK + kind * pieces.SHIPS + ship)
            if demand:
                units = held if held < demand else demand
                cargo += units
                rest = table.offered[good] - units
                crowd = ((4 if table.loading else 0) + demand - 1) * 4 + units - 1
                rows.append(_GLUT + crowd * 5 + (rest if rest < 4 else 4))
    late = 0 if ship < 4 else ship - 3
    rows.append(_GOODS + late * (MOST_GOODS + 1) + (goods if goods < MOST_GOODS else MOST_GOODS))
    worth = cargo * (table.value + 2) >> 1
    harbour = wait * 10 + pieces.STOPS - cells[at.CAR] - 1
    rows.append(_CARGO + harbour * 8 + (worth if worth < 7 else 7))


def _add_pending(position: Position, all_rows: list[list[int]]) -> None:
    """Add what the turn still has in store for its player and for owners."""
    cells = position.cells
    phase = cells[at.PHASE]
    active = cells[at.ACTIVE]
    base = at.PLAYER[active]
    rows = all_rows[active]
    pawn = cells[base + at.PAWN]
    if phase == at.VISIT:
        for move in position.legal_moves:
            building = move >> VERB_BITS
            owner = cells[at.OWNER + building]
            paid = 1 if owner != at.NOBODY and owner != active else 0
            rows.append(_VISIT + (building * 4 + _use(cells, base, building)) * 2 + paid)
        return
    owner = cells[at.OWNER + pawn]
    if phase == at.FUNCTION:
        lawyer = cells[at.LAWYER]
        building = building_in_use(cells)
        rows.append(
            _FUNCTION + (building * 4 + _use(cells, base, building)) * 2 + (1 if lawyer else 0)
        )
        if lawyer:
            return
    elif phase == at.TRIBUTE:
        if pawn != at.OFF_BOARD:
            rows.append(_FUNCTION + (pawn * 4 + _use(cells, base, pawn)) * 2)
        seat = cells[at.SEAT]
        givers = 0
        while seat != active:
            all_rows[seat].append(_GIFT)
            givers += 1
            seat = next_seat(position, seat)
        rows.append(_GIFT + givers)
    elif phase != at.DELIVER:
        return
    if owner != at.NOBODY and owner != active:
        all_rows[owner].append(_DUE)


def _use(cells: list[int], base: int, building: int) -> int:
    """Return from 0 to 3 how much a seat could use a building."""
    held = base + at.HELD
    if building == pieces.DISTILLERY:
        units = min(cells[held + pieces.SUGAR], cells[at.SUPPLY + pieces.RUM])
    elif building == pieces.CIGAR_FACTORY:
        units = min(cells[held + pieces.TOBACCO], cells[at.SUPPLY + pieces.CIGARS])
    elif building == pieces.SAWMILL:
        units = cells[held + pieces.WOOD]
    elif building == pieces.CAFE:
        units = (1 if cells[held + pieces.RUM] else 0) + (2 if cells[held + pieces.CIGARS] else 0)
    elif building == pieces.CASINO:
        units = cells[base + at.PESOS] // 3
    elif building == pieces.HARBOUR_OFFICE:
        units = cells[at.VALUE] - 2
    elif building in (pieces.BLACK_MARKET, pieces.TRADING_OFFICE, pieces.CUSTOMS):
        units = 0
        for good in range(pieces.WOOD):
            demand = cells[at.DEMAND + good]
            if building == pieces.CUSTOMS:
                if demand:
                    units += 1
            elif cells[held + good] and (demand or building == pieces.BLACK_MARKET):
                units += 1
    else:
        units = 0
    return units if units < 3 else 3
