"""A quick look at a position: what each seat has and is about to get, in VP, and who is ahead.

A tree looks at eight positions for one step deeper, so its leaves need an evaluation that takes a
microsecond when compiled; the network of `evaluation` takes eight times as long, and knows more.
The prices are VP that a thing brings by the end of the game: learned by regression from games of
the sample bot `planner` against itself, and rounded; it plays by them, too.
"""

from typing import Final, TypeAlias

from referee.engine.shares import Shares, add_to_seat, compared, final_shares
from referee.rules import cells as at
from referee.rules import pieces
from referee.rules.cells import DEMAND, HELD, NOBODY, OWNER, PESOS, PLAYER, VP
from referee.rules.pieces import CIGARS, CITRUS, HIGHEST_VALUE, RUM, SHIPS, SUGAR, TOBACCO, WOOD
from referee.rules.position import Position

MOST_PESOS: Final = 60
"""Further pesos add nothing."""


def _sums(of_each: tuple[float, ...], further: float) -> tuple[float, ...]:
    sums = [0.0]
    for peso in range(MOST_PESOS):
        sums.append(sums[-1] + (of_each[peso] if peso < len(of_each) else further))
    return tuple(sums)


def _by_ship(of_last: float, base: float, per_ship: float) -> tuple[float, ...]:
    """Return prices by the ship in the harbour, from 1; there is none before it."""
    return (0.0, *(base + per_ship * (SHIPS - ship) for ship in range(1, SHIPS)), of_last)


def _by_value(base: float, per_value: float) -> tuple[float, ...]:
    return tuple(base + per_value * value for value in range(HIGHEST_VALUE + 1))


def _more_by_value(
    base: float, per_value: float, at_last: tuple[float, ...]
) -> tuple[tuple[float, ...], ...]:
    """Return by ship and value how much more than the price of a plain good is paid."""
    before = (_by_value(base - _GOOD[ship], per_value) for ship in range(SHIPS))
    return (*before, at_last)


_PESOS: Final = _sums((2.2, 0.9, 0.65, 0.55, 0.45, 0.4, 0.4, 0.3, 0.25), 0.1)
_PESOS_AT_LAST: Final = _sums((1.2, 0.2, 0.1, 0.1), 0.03)
_GOOD: Final = _by_ship(0.3, 0.35, 0.14)
"""A plain good that the ship does not want."""
_WANTED: Final = _more_by_value(0.91, 0.21, _by_value(1.09, -0.19))
"""The addition to it for a plain good that the ship wants, by ship and value."""
_LOADING: Final = _more_by_value(-0.1, 0.82, _by_value(0.08, 0.42))
"""The same in a delivery round."""
_BUILDING: Final = _by_ship(0.25, 0.07, 0.42)
"""An owned building that is visited as often as the mean."""
_WOOD: Final = _by_ship(0.35, 0.88, 0.0)
_FIRST_RUM: Final = 0.45
"""The addition for the first unit of rum: one can be served in the café."""
_FIRST_CIGARS: Final = _by_ship(0.45, 0.5, 0.0)
LEAD: Final = _by_ship(4.0, 4.0, 1.5)
"""VP ahead that are enough to feel safe, by the ship in the harbour."""

_VISITS: Final[dict[int, float]] = {
    pieces.BANK: 1.2,
    pieces.CHURCH: 1.5,
    pieces.DISTILLERY: 0.65,
    pieces.CIGAR_FACTORY: 0.7,
    pieces.BLACK_MARKET: 1.0,
    pieces.SAWMILL: 0.75,
    pieces.CAFE: 1.1,
    pieces.CUSTOMS: 0.8,
    pieces.CASINO: 0.8,
    pieces.HARBOUR_OFFICE: 0.55,
    pieces.TRADING_OFFICE: 1.45,
    pieces.NEWSPAPER: 1.55,
}
VISITS: Final = tuple(_VISITS[building] for building in range(len(pieces.BUILDINGS)))
"""How often each building is visited, beside the mean of all."""
_STOPS: Final[dict[int, float]] = {
    pieces.PEDRO: 0.95,
    pieces.MARIA: 1.35,
    pieces.JOSE: 0.85,
    pieces.MARTINEZ: 0.75,
    pieces.CONCHITA: 0.65,
    pieces.MIGUEL: 1.05,
    pieces.EL_ZORRO: 0.8,
    pieces.PABLO: 0.85,
    pieces.ALONSO: 0.85,
}
STOP_BEFORE: Final = tuple(_STOPS[citizen] for citizen in range(len(pieces.CITIZENS)))
"""The worth of each citizen at the next stop, which costs nothing to reach."""
HARBOUR_BEFORE: Final = 0.65
WAITING: Final[tuple[float, ...]] = (0.85, 0.8, 0.35, 0.0)
"""The worth of the coming turn before a drive, by how many seats drive earlier."""
_DUE: Final[dict[int, float]] = {
    at.FUNCTION: -0.15,
    at.DELIVER: 1.3,
    at.PICK: 1.3,
    at.LAWYER_CHOICE: 1.5,
    at.TRIBUTE: -0.8,
    at.DEMAND_CHOICE: -0.8,
}
DUE: Final = tuple(_DUE.get(phase, 0.0) for phase in range(len(at.PHASES)))
"""The VP that the deciding seat is about to gain or lose, for each phase."""

Prices: TypeAlias = tuple[float, float, float, float, float]
"""A price for each plain good."""


def quick_shares(position: Position, seat: int = 0, gain: float = 0.0) -> Shares:
    """Return for each seat the share of the points that it seems to get, from 0 to 1.

    `gain` is what `seat` may expect beyond what is seen here, in VP.
    """
    cells = position.cells
    if cells[at.PHASE] == at.OVER:
        return final_shares(position)
    worth = add_to_seat(_worths(position), seat, gain)
    return compared(worth, position.players, LEAD[cells[at.SHIP]])


def worths(position: Position) -> list[float]:
    """Return the worth of what each seat has and is about to get, in VP."""
    return list(_worths(position))[: position.players]


def _worths(position: Position) -> Shares:
    cells = position.cells
    players = position.players
    prices = _prices_of_wanted(cells, players)
    worth = (
        _worth_of_things(cells, PLAYER[0], prices),
        _worth_of_things(cells, PLAYER[1], prices),
        _worth_of_things(cells, PLAYER[2], prices) if players > 2 else 0.0,
        _worth_of_things(cells, PLAYER[3], prices) if players > 3 else 0.0,
    )
    if cells[at.OWNED]:
        price = _BUILDING[cells[at.SHIP]]
        for building in range(len(VISITS)):
            owner = cells[OWNER + building]
            if owner != NOBODY:
                worth = add_to_seat(worth, owner, price * VISITS[building])
    if cells[at.PHASE] == at.DRIVE:
        return _with_coming_turns(position, worth)
    return add_to_seat(worth, cells[at.SEAT], DUE[cells[at.PHASE]])


def _prices_of_wanted(cells: list[int], players: int) -> Prices:
    """Return by good the addition to its price for each unit that the ship wants."""
    by_ship = _LOADING if cells[at.PHASE] == at.DELIVER else _WANTED
    price = by_ship[cells[at.SHIP]][cells[at.VALUE]]
    return (
        _price_of_wanted(cells, players, SUGAR, price),
        _price_of_wanted(cells, players, CITRUS, price),
        _price_of_wanted(cells, players, TOBACCO, price),
        _price_of_wanted(cells, players, RUM, price),
        _price_of_wanted(cells, players, CIGARS, price),
    )


def _price_of_wanted(cells: list[int], players: int, good: int, price: float) -> float:
    """Return a lower price if the seats have more than is wanted: each will sell only a part."""
    wanted = cells[DEMAND + good]
    if not wanted:
        return 0.0
    offered = 0
    for seat in range(players):
        units = cells[PLAYER[seat] + HELD + good]
        offered += units if units < wanted else wanted
    return price if offered <= wanted else price * float(wanted) / float(offered)


def _worth_of_things(cells: list[int], base: int, prices: Prices) -> float:
    """Return the worth of what a seat has; `base` is the first cell of its block."""
    ship = cells[at.SHIP]
    pesos = cells[base + PESOS]
    if pesos > MOST_PESOS:
        pesos = MOST_PESOS
    good_price = _GOOD[ship]
    worth = (
        float(cells[base + VP])
        + (_PESOS_AT_LAST if ship == SHIPS else _PESOS)[pesos]
        + _WOOD[ship] * float(cells[base + HELD + WOOD])
        + _worth_of_good(cells, base, SUGAR, good_price, prices[SUGAR])
        + _worth_of_good(cells, base, CITRUS, good_price, prices[CITRUS])
        + _worth_of_good(cells, base, TOBACCO, good_price, prices[TOBACCO])
        + _worth_of_good(cells, base, RUM, good_price, prices[RUM])
        + _worth_of_good(cells, base, CIGARS, good_price, prices[CIGARS])
    )
    if cells[base + HELD + RUM]:
        worth += _FIRST_RUM
    if cells[base + HELD + CIGARS]:
        worth += _FIRST_CIGARS[ship]
    return worth


def _worth_of_good(
    cells: list[int], base: int, good: int, good_price: float, wanted_price: float
) -> float:
    units = cells[base + HELD + good]
    if not units:
        return 0.0
    wanted = cells[DEMAND + good]
    sold = units if units < wanted else wanted
    return good_price * float(units) + wanted_price * float(sold)


def _with_coming_turns(position: Position, worth: Shares) -> Shares:
    """Add what the coming turns and the car's next stop are worth."""
    cells = position.cells
    seat = cells[at.SEAT]
    driver = seat
    for later in range(position.players - 1):
        worth = add_to_seat(worth, driver, WAITING[later])
        driver = driver + 1 if driver + 1 < position.players else 0
    stop = cells[at.CAR] + 1
    if stop == pieces.STOPS:
        return add_to_seat(worth, seat, HARBOUR_BEFORE)
    citizen = position.layout.citizen_at[stop]
    if cells[at.SILENCED] >> citizen & 1:
        return worth
    return add_to_seat(worth, seat, STOP_BEFORE[citizen])
