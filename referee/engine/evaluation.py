"""The chance of each rank for each seat, without looking further.

A seat's share of the points is the part of the other seats that it ends ahead of, ties count half:
1 for the winner, 0 for the last; the shares of all seats sum to half the number of seats.
"""

from math import exp

from referee.rules.cells import HELD, OVER, PESOS, PHASE, PLAYER, SHIP, VP
from referee.rules.pieces import GOODS, SHIPS
from referee.rules.position import Position


def rank_chances(position: Position) -> list[list[float]]:
    """Return for each seat the chance of each rank, from the first; a tie is split evenly."""
    players = position.players
    chances = [[0.0] * players for _ in range(players)]
    if position.cells[PHASE] == OVER:
        ranks = [score.rank for score in position.scores()]
        for seat, rank in enumerate(ranks):
            equal = ranks.count(rank)
            for place in range(rank - 1, rank - 1 + equal):
                chances[seat][place] = 1.0 / equal
        return chances
    _share_out(chances, [exp(score) for score in _scores(position)], list(range(players)), 1.0)
    return chances


def shares(position: Position) -> list[float]:
    """Return for each seat the share of the points that it may expect, from 0 to 1."""
    others = position.players - 1
    return [
        sum(chance * (others - place) for place, chance in enumerate(row)) / others
        for row in rank_chances(position)
    ]


def _share_out(
    chances: list[list[float]], weights: list[float], left: list[int], chance: float
) -> None:
    """Add the chances of all orders of the seats that are left (Plackett and Luce)."""
    place = len(weights) - len(left)
    total = sum(weights[seat] for seat in left)
    for seat in left:
        part = chance * weights[seat] / total
        chances[seat][place] += part
        if len(left) > 1:
            _share_out(chances, weights, [other for other in left if other != seat], part)


def _scores(position: Position) -> list[float]:
    cells = position.cells
    lead = 2.0 + 0.8 * (SHIPS - cells[SHIP])
    scores = []
    for seat in range(position.players):
        base = PLAYER[seat]
        goods = sum(cells[base + HELD : base + HELD + len(GOODS)])
        scores.append((cells[base + VP] + 0.4 * cells[base + PESOS] + 0.8 * goods) / lead)
    return scores
