"""The planner's evaluation: how good a position is for each seat, without looking further.

The prices are VP that a thing brings by the end of the game. They were learned from games of the
planner against itself, as docs/sample-bots.md describes, and then rounded.
"""

from dataclasses import dataclass
from math import exp
from typing import Final

from referee.rules import cells, pieces
from referee.rules.cells import HELD, PESOS, PLAYER, VP
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.position import Position
from sample_bots import greedy


@dataclass(frozen=True)
class Prices:
    """Prices while a certain ship is in the harbour."""

    pesos: tuple[float, ...]
    """The price of all pesos of a seat, by how many it has."""
    good: float
    """The price of a plain good that this ship does not want."""
    wanted: tuple[float, ...]
    """The addition to `good` for a good that it wants, by the ship's value."""
    loading: tuple[float, ...]
    """The same addition in a delivery round."""
    wood: float
    first_rum: float
    """The addition for the first unit of rum: one can be served in the café."""
    first_cigars: float
    building: float
    """The price of an owned building that is visited as often as the mean."""


def _prices(ships_to_come: int) -> Prices:
    if not ships_to_come:
        return Prices(
            pesos=_sums((1.2, 0.2, 0.1, 0.1), further=0.03),
            good=0.3,
            wanted=_by_value(base=1.09, per_value=-0.19),
            loading=_by_value(base=0.08, per_value=0.42),
            wood=0.35,
            first_rum=0.45,
            first_cigars=0.45,
            building=0.25,
        )
    good = 0.35 + 0.14 * ships_to_come
    return Prices(
        pesos=_sums((2.2, 0.9, 0.65, 0.55, 0.45, 0.4, 0.4, 0.3, 0.25), further=0.1),
        good=good,
        wanted=_by_value(base=0.91 - good, per_value=0.21),
        loading=_by_value(base=-0.1 - good, per_value=0.82),
        wood=0.88,
        first_rum=0.45,
        first_cigars=0.5,
        building=0.07 + 0.42 * ships_to_come,
    )


def _sums(of_each: tuple[float, ...], further: float) -> tuple[float, ...]:
    sums = [0.0]
    for peso in range(MOST_PESOS):
        sums.append(sums[-1] + (of_each[peso] if peso < len(of_each) else further))
    return tuple(sums)


def _by_value(base: float, per_value: float) -> tuple[float, ...]:
    return tuple(base + per_value * value for value in range(pieces.HIGHEST_VALUE + 1))


MOST_PESOS: Final = 60
"""Further pesos add nothing."""
PRICES: Final = [_prices(pieces.SHIPS - ship) for ship in range(pieces.SHIPS + 1)]
"""The prices for each ship in the harbour."""

WAITING: Final = (0.85, 0.8, 0.35, 0.0)
"""The worth of the coming turn before a drive, by how many seats drive earlier."""
_STOPS: Final = {
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
_DUE: Final = {
    cells.DRIVE: 0.0,  # in WAITING
    cells.VISIT: 0.0,
    cells.FUNCTION: -0.15,
    cells.DELIVER: 1.3,
    cells.PICK: 1.3,
    cells.LAWYER_CHOICE: 1.5,
    cells.TRIBUTE: -0.8,
    cells.DEMAND_CHOICE: -0.8,
}
DUE: Final = tuple(_DUE.get(phase, 0.0) for phase in range(len(cells.PHASES)))
"""The VP that the deciding seat is about to gain or lose, for each phase."""

VISITS: Final = tuple(greedy.VISITS[building] for building in range(len(pieces.BUILDINGS)))
"""How often each building is visited, beside the mean of all."""

SURE_LEAD: Final = 4.0
"""VP ahead that are enough to feel safe while the last ship is in the harbour."""
SURE_LEAD_PER_SHIP: Final = 1.5
"""More VP for each ship that is still to come."""
SURE_LEAD_AT_THE_END: Final = 0.5
SURE: Final = 20.0
"""The hyperbolic tangent of more is 1 as precisely as a float can be."""


def utilities(position: Position) -> list[float]:
    """Return, from -1 to 1, how surely each seat ends ahead of another seat, in the mean."""
    board = position.cells
    if board[cells.PHASE] == cells.OVER:
        ends = [
            score.vp + 0.2 * score.leftover + 0.001 * score.pesos for score in position.scores()
        ]
        return _compared(ends, SURE_LEAD_AT_THE_END)
    lead = SURE_LEAD + SURE_LEAD_PER_SHIP * (pieces.SHIPS - board[cells.SHIP])
    return _compared(worths(position), lead)


def _compared(worth: list[float], lead: float) -> list[float]:
    players = len(worth)
    if players == 2:
        ahead = _tanh((worth[0] - worth[1]) / lead)
        return [ahead, -ahead]
    totals = [0.0] * players
    others = float(players - 1)
    for seat in range(players):
        for other in range(seat):
            ahead = _tanh((worth[seat] - worth[other]) / lead) / others
            totals[seat] += ahead
            totals[other] -= ahead
    return totals


def _tanh(x: float) -> float:
    """Return the hyperbolic tangent; compiled code calls `exp` directly, but not `tanh`."""
    if x > SURE:
        return 1.0
    if x < -SURE:
        return -1.0
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)


def worths(position: Position) -> list[float]:
    """Return the worth of what each seat has and is about to get, in VP."""
    board = position.cells
    prices = PRICES[board[cells.SHIP]]
    bonuses = _bonuses(position, prices)
    worth: list[float] = []
    for seat in range(position.players):
        worth.append(_worth_of_things(board, PLAYER[seat], prices, bonuses))
    for building in range(len(VISITS)):
        owner = board[cells.OWNER + building]
        if owner != cells.NOBODY:
            worth[owner] += prices.building * VISITS[building]
    _add_what_is_due(position, worth)
    return worth


def _bonuses(position: Position, prices: Prices) -> list[float]:
    """Return by good what is added to the price `good` for units that the ship wants.

    If the seats have more than is wanted, each will sell only a part, so the price is lower.
    """
    board = position.cells
    by_value = prices.loading if board[cells.PHASE] == cells.DELIVER else prices.wanted
    price = by_value[board[cells.VALUE]]
    bonuses: list[float] = []
    for good in range(len(PLAIN_GOODS)):
        wanted = board[cells.DEMAND + good]
        offered = 0
        if wanted:
            for seat in range(position.players):
                units = board[PLAYER[seat] + HELD + good]
                offered += units if units < wanted else wanted
        bonuses.append(price if offered <= wanted else price * float(wanted) / float(offered))
    return bonuses


def _worth_of_things(board: list[int], base: int, prices: Prices, bonuses: list[float]) -> float:
    """Return the worth of what a seat has; `base` is the first cell of its block."""
    pesos = board[base + PESOS]
    worth = (
        float(board[base + VP])
        + prices.pesos[pesos if pesos < MOST_PESOS else MOST_PESOS]
        + prices.wood * float(board[base + HELD + pieces.WOOD])
    )
    for good in range(len(PLAIN_GOODS)):
        units = board[base + HELD + good]
        if units:
            wanted = board[cells.DEMAND + good]
            sold = units if units < wanted else wanted
            worth += prices.good * float(units) + bonuses[good] * float(sold)
            if good == pieces.RUM:
                worth += prices.first_rum
            elif good == pieces.CIGARS:
                worth += prices.first_cigars
    return worth


def _add_what_is_due(position: Position, worth: list[float]) -> None:
    """Add what the turn and the car's next stop are worth."""
    board = position.cells
    seat, phase = board[cells.SEAT], board[cells.PHASE]
    if phase != cells.DRIVE:
        worth[seat] += DUE[phase]
        return
    for later in range(position.players):
        worth[(seat + later) % position.players] += WAITING[later]
    stop = board[cells.CAR] + 1
    if stop == pieces.STOPS:
        worth[seat] += HARBOUR_BEFORE
        return
    citizen = position.layout.citizen_at[stop]
    if not board[cells.SILENCED] >> citizen & 1:
        worth[seat] += STOP_BEFORE[citizen]
