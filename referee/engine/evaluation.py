"""The chance of each rank for each seat, without looking further itself.

A seat's share of the points is the part of the other seats that it ends ahead of, ties count half:
1 for the winner, 0 for the last; the shares of all seats sum to half the number of seats.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Final

from referee.engine.network import scores
from referee.engine.shares import final_shares
from referee.rules.cells import OVER, PHASE, SHIP
from referee.rules.position import Position

# A tuple of floats whose length is known, mypy 2.4's compiler may take for one that was never set.
SHARPNESS: Final[tuple[float, ...]] = (1.0, 1.0, 0.92, 1.12, 1.1)
"""The factor of scores, by the number of seats, in games that are played neither well nor badly
(docs/engine.md). Others ask for another one: `certainty` is one more factor."""
_OF_TWO: Final[tuple[float, ...]] = (0.0, 0.0, 0.25, 0.75)
"""The part of the logarithm of a certainty above 1 that counts between two players, by the ship:
an early lead is not surer for good play."""
_DOUBT: Final = 0.02
"""The part of a found share that counts as even."""
_LESS: Final = 0.35
"""The part of the network's scores that gives way to a search, at a certainty of 1."""
_FOUND: Final = 0.2
"""The weight of the logarithm of a found share's odds, at a certainty of 1. It grows with the
square of the certainty: odds become as certain as the scores, and count more beside them."""


def rank_chances(
    position: Position,
    certainty: float = 1.0,
    faulted: tuple[int, ...] = (),
    found: Sequence[float] = (),
) -> list[list[float]]:
    """Return for each seat the chance of each rank, from the first; a tie is split evenly.

    `faulted` are the seats whose bots have faulted, in this order: they end below all others, the
    last of them above the one before. `found` are the shares that a search with these seats found:
    they count beside the network's scores, the more the better the game is played.
    """
    players = position.players
    living = [seat for seat in range(players) if seat not in faulted]
    if position.cells[PHASE] == OVER:
        chances = certain_ranks([score.rank for score in position.scores()], living)
    else:
        chances = _no_chances(players)
        sharp = _sharpened(position, certainty)
        if found and len(living) > 1:
            sharp = _mixed(sharp, found, living, certainty)
        _share_out(chances, _weights(sharp), living, 0, 1.0)
    for place, seat in enumerate(faulted, 1):
        chances[seat][-place] = 1.0
    return chances


def certain_ranks(ranks: list[int], seats: list[int]) -> list[list[float]]:
    """Return the chances when the ranks of all are known: tied seats share theirs.

    Each of the seats has its place among them, by its rank; the others have no chances yet.
    """
    chances = _no_chances(len(ranks))
    for seat in seats:
        better, equal = 0, 0
        for other in seats:
            better += ranks[other] < ranks[seat]
            equal += ranks[other] == ranks[seat]
        for place in range(better, better + equal):
            chances[seat][place] = 1.0 / float(equal)
    return chances


def shares(
    position: Position, certainty: float = 1.0, faulted: tuple[int, ...] = ()
) -> list[float]:
    """Return for each seat the share of the points that it may expect, from 0 to 1.

    `faulted` as for `rank_chances`.
    """
    if faulted:
        return [_share(row) for row in rank_chances(position, certainty, faulted)]
    if position.cells[PHASE] == OVER:
        return list(final_shares(position))[: position.players]
    return _compared(_weights(_sharpened(position, certainty)))


def _no_chances(players: int) -> list[list[float]]:
    return [[0.0] * players for _ in range(players)]


def _share(chances: list[float]) -> float:
    """Return the share of the points of a seat with these chances of each rank."""
    last = len(chances) - 1
    share = 0.0
    for place in range(last):
        share += chances[place] * float(last - place) / float(last)
    return share


def _compared(weights: list[float]) -> list[float]:
    """Return each seat's mean chance to end ahead of another: its share, as _share_out has it."""
    players = len(weights)
    others = float(players - 1)
    found = [0.0] * players
    for seat in range(players):
        mine = weights[seat]
        for other in range(seat):
            ahead = mine / (mine + weights[other])
            found[seat] += ahead / others
            found[other] += (1.0 - ahead) / others
    return found


def _sharpened(position: Position, certainty: float) -> list[float]:
    """Return the network's scores of the seats, farther apart the more certain chances are."""
    ship = position.cells[SHIP]
    if certainty > 1.0 and position.players == 2 and ship < len(_OF_TWO):
        certainty = certainty ** _OF_TWO[ship]
    sharpness = SHARPNESS[position.players] * certainty
    return [sharpness * score for score in scores(position)]


def _mixed(
    sharp: list[float], found: Sequence[float], living: list[int], certainty: float
) -> list[float]:
    """Return the scores of the living seats, mixed with the odds of the shares that were found."""
    mixed = sharp[:]
    players = len(sharp)
    for seat in living:
        ahead = found[seat] * float(players - 1) - float(players - len(living))
        share = ahead / float(len(living) - 1)
        share += (0.5 - share) * _DOUBT
        odds = log(share / (1.0 - share))
        mixed[seat] += certainty * (_FOUND * certainty * odds - _LESS * sharp[seat])
    return mixed


def _weights(sharp: list[float]) -> list[float]:
    """Return the seats' weights in the model of Plackett and Luce, the highest one 1."""
    highest = sharp[0]
    for score in sharp:
        if score > highest:
            highest = score
    return [exp(score - highest) for score in sharp]


def _share_out(
    chances: list[list[float]], weights: list[float], left: list[int], place: int, chance: float
) -> None:
    """Add the chances of all orders of the seats that are left (Plackett and Luce).

    The first of them has this place; `chance` is that of the order before it.
    """
    total = sum([weights[seat] for seat in left])
    for seat in left:
        part = chance * weights[seat] / total
        chances[seat][place] += part
        if len(left) > 1:
            others = [other for other in left if other != seat]
            _share_out(chances, weights, others, place + 1, part)
