"""Each seat's share of the points, as the search keeps it: from who is ahead, and by how much.

There are always four numbers, 0 for empty seats. A tuple of fixed length is no object when
compiled, which makes a look much cheaper than a list would; so seats are written out here.
"""

from math import exp
from typing import Final, TypeAlias

from referee.rules.cells import HELD, PESOS, PLAYER, VP
from referee.rules.pieces import GOODS
from referee.rules.position import Position
from referee.rules.scoring import GOODS_PER_VP

Shares: TypeAlias = tuple[float, float, float, float]
"""A number for each seat: a share of the points from 0 to 1, or what a seat has in VP."""

SURE: Final = 300.0
"""Leads of more count as this: some 200 VP."""
MANY_PESOS: Final = 1 << 20
"""More than anybody can have."""
_FAR: Final = 10_000
"""VP, more than anybody can catch up."""
_MANY_LEADS: Final = 20.0
"""A seat that is this many leads ahead ends ahead in all but one of 10^17 games."""


def of_seat(shares: Shares, seat: int) -> float:
    """Return the number of a seat."""
    if seat == 0:
        return shares[0]
    if seat == 1:
        return shares[1]
    return shares[2] if seat == 2 else shares[3]


def add_to_seat(shares: Shares, seat: int, more: float) -> Shares:
    """Return the numbers with more for one seat."""
    first, second, third, fourth = shares
    if seat == 0:
        return first + more, second, third, fourth
    if seat == 1:
        return first, second + more, third, fourth
    if seat == 2:
        return first, second, third + more, fourth
    return first, second, third, fourth + more


def closer(mean: Shares, value: Shares, part: float) -> Shares:
    """Return the mean after a step of this part of the way to a value."""
    return (
        mean[0] + (value[0] - mean[0]) * part,
        mean[1] + (value[1] - mean[1]) * part,
        mean[2] + (value[2] - mean[2]) * part,
        mean[3] + (value[3] - mean[3]) * part,
    )


def far_behind(worth: Shares, players: int, faulted: int, lead: float) -> Shares:
    """Return the worth of seats, those whose bit is set far below all others.

    They are no farther below than `compared` can tell: its odds are bounded (`SURE`).
    """
    lowest = SURE
    for seat in range(players):
        if not faulted >> seat & 1 and of_seat(worth, seat) < lowest:
            lowest = of_seat(worth, seat)
    lowest -= _MANY_LEADS * lead
    for seat in range(players):
        if faulted >> seat & 1:
            worth = add_to_seat(worth, seat, lowest - of_seat(worth, seat))
    return worth


def compared(worth: Shares, players: int, lead: float) -> Shares:
    """Return the shares of the points if seats end ahead of each other by chance.

    A seat that has `lead` VP more than another ends ahead of it in 88 % of games (logistic).
    """
    per_vp = 2.0 / lead
    second = _odds((worth[1] - worth[0]) * per_vp)
    ahead01 = 1.0 / (1.0 + second)
    if players == 2:
        return ahead01, 1.0 - ahead01, 0.0, 0.0
    third = _odds((worth[2] - worth[0]) * per_vp)
    ahead02 = 1.0 / (1.0 + third)
    ahead12 = second / (second + third)
    if players == 3:
        first = ahead01 + ahead02
        return first / 2.0, (1.0 - ahead01 + ahead12) / 2.0, (2.0 - ahead02 - ahead12) / 2.0, 0.0
    fourth = _odds((worth[3] - worth[0]) * per_vp)
    ahead03 = 1.0 / (1.0 + fourth)
    ahead13 = second / (second + fourth)
    ahead23 = third / (third + fourth)
    return (
        (ahead01 + ahead02 + ahead03) / 3.0,
        (1.0 - ahead01 + ahead12 + ahead13) / 3.0,
        (2.0 - ahead02 - ahead12 + ahead23) / 3.0,
        (3.0 - ahead03 - ahead13 - ahead23) / 3.0,
    )


def _odds(x: float) -> float:
    """Return the exponential, within bounds that can be divided by each other."""
    if x > SURE:
        x = SURE
    elif x < -SURE:
        x = -SURE
    return exp(x)


def final_shares(position: Position, faulted: int = 0) -> Shares:
    """Return the shares of the points at the end of a game, ties half (E1, E2).

    `faulted` has a bit for each seat that ends below all others.
    """
    cells = position.cells
    players = position.players
    shares = (0.0, 0.0, 0.0, 0.0)
    point = 1.0 / float(players - 1)
    for seat in range(players):
        total = _total(cells, seat, faulted)
        for other in range(seat):
            others = _total(cells, other, faulted)
            if total == others:
                shares = add_to_seat(shares, seat, point / 2.0)
                shares = add_to_seat(shares, other, point / 2.0)
            else:
                shares = add_to_seat(shares, seat if total > others else other, point)
    return shares


def _total(cells: list[int], seat: int, faulted: int) -> int:
    """Return VP, then leftover goods, then pesos, as one number to compare (E2)."""
    base = PLAYER[seat]
    goods = 0
    for good in range(len(GOODS)):
        goods += cells[base + HELD + good]
    vp = cells[base + VP] + goods // GOODS_PER_VP - _FAR * (faulted >> seat & 1)
    return (vp * GOODS_PER_VP + goods % GOODS_PER_VP) * MANY_PESOS + cells[base + PESOS]
