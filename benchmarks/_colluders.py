"""Games of variants of the sample bots, some of which help a friend; what they did is evaluated.

All look one move ahead as `greedy` does, with the engine's prices. Honest variants differ in what
they want; a helper is like `greedy` unless its friend sits at the table. Of the unlike ones each
has prices of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Final

from ladder.ratings.collusion.favours import add_favours, lead, no_favours, seat_worths
from ladder.ratings.plackett_luce import Floats
from referee.engine import prices
from referee.rules import Layout, Move, Position, cells, pieces, roll_dice
from referee.rules.moves import VERB_BITS

Wish = Callable[[list[float], int], float]
"""How a seat likes a position, by what it is worth to each seat."""
Choose = Callable[[Position, int | None], Move]
"""A bot: chooses by the position and the seat of its friend, None if that is not at the table."""

_AT_THE_HARBOUR: Final = (cells.DELIVER, cells.DEMAND_CHOICE)


@dataclass(frozen=True, slots=True)
class Game:
    """The ranks by seat, and the favours (see `ladder.ratings.collusion.favours`)."""

    ranks: list[int]
    favours: Floats


def _selfish(worth: list[float], seat: int) -> float:
    return worth[seat]


def _against_the_best(worth: list[float], seat: int) -> float:
    """Hurt whoever is ahead: aggressive, but impartial."""
    return worth[seat] - max(one for other, one in enumerate(worth) if other != seat)


def _against_the_next(worth: list[float], seat: int) -> float:
    """Hurt whoever moves next: a harmful style."""
    return worth[seat] - worth[(seat + 1) % len(worth)]


def _honest(wish: Wish, position: Position, friend: int | None) -> Move:
    del friend
    return _best(position, wish)


def _spares(position: Position, friend: int | None) -> Move:
    """Spare the friend with El Zorro: visit him when it has nothing to give, and give it the best.

    The others get what is best for oneself to give.
    """
    if friend is None:
        return _best(position, lead)
    if position.phase == cells.TRIBUTE and position.active == friend:
        return _best(position, lambda worth, _: worth[friend])
    if position.phase == cells.DRIVE and _could_give(position, friend):
        elsewhere = [
            move for move in position.legal_moves if not _leads_to_el_zorro(position, move)
        ]
        return _best(position, lead, elsewhere)
    return _best(position, lead)


def _delivers(position: Position, friend: int | None) -> Move:
    """Deliver and exclude so that it serves both."""
    if friend is None or position.phase not in _AT_THE_HARBOUR:
        return _best(position, lead)
    return _best(position, lambda worth, seat: worth[seat] + worth[friend] - sum(worth) / 2)


def _hurts(position: Position, friend: int | None) -> Move:
    """Hurt whoever leads the friend, except oneself."""
    now, own = seat_worths(position), position.seat
    ahead = [
        seat
        for seat in range(position.players)
        if friend not in (None, seat) and seat != own and now[seat] > now[friend or 0]
    ]
    if not ahead:
        return _best(position, lead)
    first = max(ahead, key=lambda seat: now[seat])
    return _best(position, lambda worth, seat: worth[seat] - worth[first])


def _could_give(position: Position, seat: int) -> bool:
    goods = sum(position.goods(seat)[: pieces.WOOD])
    return bool(goods or position.pesos(seat))


def _leads_to_el_zorro(position: Position, move: Move) -> bool:
    stop = (position.car + (move >> VERB_BITS)) % pieces.STOPS
    return position.layout.citizen_at[stop] == pieces.EL_ZORRO


def _best(position: Position, wish: Wish, among: Sequence[Move] = ()) -> Move:
    return max(among or position.legal_moves, key=lambda move: _promise(position, move, wish))


def _promise(position: Position, move: Move, wish: Wish) -> float:
    """Return what a seat gets by a move if it goes on with its best moves."""
    after, seat = position.copy(), position.seat
    after.apply(move)
    same_turn = after.turn == position.turn and after.seat == seat and after.legal_moves
    if same_turn and after.phase not in (cells.DRIVE, cells.DELIVER):
        return max(_promise(after, further, wish) for further in after.legal_moves)
    return wish(seat_worths(after), seat)


HELPERS: Final[dict[str, Choose]] = {
    "spares it with El Zorro": _spares,
    "delivers for it": _delivers,
    "hurts who leads it": _hurts,
    "(honest)": partial(_honest, lead),
}
"""Bots that help a friend; the last one doesn't."""

OTHERS: Final[tuple[Choose, ...]] = (
    partial(_honest, lead),  # the friend, at the first place
    partial(_honest, lead),
    partial(_honest, _against_the_best),
    partial(_honest, _selfish),
    partial(_honest, _against_the_next),
)
"""Honest bots."""


def _by_own_prices(number: int, position: Position, friend: int | None) -> Move:
    """Value things by other prices than the engine's."""
    del friend
    players, usual = position.players, prices.table(position.players)
    prices.use_table(players, _own_prices(number, players))
    try:
        return _best(position, lead)
    finally:
        prices.use_table(players, usual)


@cache
def _own_prices(number: int, players: int) -> list[float]:
    rng = Random(f"prices of {number}")
    return [price * rng.uniform(0.5, 1.8) for price in prices.table(players)]


UNLIKE: Final[tuple[Choose, ...]] = (
    partial(_honest, lead),
    *(partial(_by_own_prices, number) for number in range(5)),
)
"""Six honest bots that value things very differently."""

FIELDS: Final = {name: (helper, *OTHERS) for name, helper in HELPERS.items()} | {
    "(honest, of unlike values)": UNLIKE
}
"""The six bots of each case."""


def play(bots: Sequence[Choose], layout: Layout, rng: Random, friend: int | None) -> Game:
    """Play a game; `friend` is the seat of the helper's friend."""
    position = Position.start(layout, len(bots))
    favours = no_favours(len(bots))
    while not position.is_over:
        if not position.legal_moves:
            position.roll(roll_dice(rng))
            continue
        move = bots[position.seat](position, friend)
        add_favours(favours, position, move)
        position.apply(move)
    return Game([score.rank for score in position.scores()], favours)
