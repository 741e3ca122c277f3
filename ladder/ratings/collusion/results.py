"""Two signs of collusion in the results: who loses to whom, and who wins beside whom.

*Against*: a helper throws games to its friend. Its own rank at their tables is worse than its
strength lets expect. *Beside*: a helper works for its friend, whose rank among the others at the
table, without the helper, is better than its strength lets expect.

Both compare ranks with the model of Plackett and Luce (see `plackett_luce`), choice by choice: the
best of the table is drawn, then the best of those that are left. At each choice that a bot is in,
its surplus is 1 if it is chosen, less the chance of that. If a bot is left out of a ranking, the
rest still follows the model.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from ladder.ratings.collusion.signs import Seen
from ladder.ratings.plackett_luce import Floats, Ints, Orders, Rankings, orders_of, slope_of

Columns = list[tuple[Ints, Ints, Floats, Floats, Floats]]


def results_signs(matches: Rankings, theta: Floats, bots: Ints, count: int) -> list[Seen]:
    """See both signs in matches: against each other, and (from tables of three on) beside.

    `theta` are the strengths of the players in logarithms of odds, `bots` the bot (from 0 to
    `count` - 1) of each player: versions of a bot are judged together.
    """
    orders = orders_of(matches)
    size = orders.players.shape[1]
    seats = range(size)
    own = _by_place(orders, seats, theta)
    against: Columns = [
        (orders.players[:, helper], orders.players[:, friend], *_turned(own, helper))
        for helper, friend in permutations(seats, 2)
    ]
    beside: Columns = []
    for helper in seats if size > 2 else ():
        others = [seat for seat in seats if seat != helper]
        theirs = _by_place(orders, others, theta)
        for place, friend in enumerate(others):
            surplus, variance, skew = (moment[:, place] for moment in theirs)
            helping, helped = orders.players[:, helper], orders.players[:, friend]
            beside.append((helping, helped, surplus, variance, skew))
    deals, weights = matches.deals[orders.match], orders.weights
    return [_seen(columns, deals, weights, bots, count) for columns in (against, beside) if columns]


def _by_place(
    orders: Orders, places: Sequence[int], theta: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return surplus, variance and third cumulant of the players at these places, by order."""
    among = Orders(orders.players[:, places], orders.weights, orders.match)
    slope = slope_of(among, theta)
    variance, skew = np.zeros_like(slope.score), np.zeros_like(slope.score)
    for choice, chance in enumerate(slope.shares):
        of_choice = chance * (1 - chance) * orders.weights[:, None]
        variance[:, choice:] += of_choice
        skew[:, choice:] += of_choice * (1 - 2 * chance)
    return slope.score, variance, skew


def _turned(moments: tuple[Floats, Floats, Floats], place: int) -> tuple[Floats, Floats, Floats]:
    """Return the moments of what the player at a place loses, not of what it wins."""
    surplus, variance, skew = (moment[:, place] for moment in moments)
    return -surplus, variance, -skew


def _seen(columns: Columns, deals: Ints, weights: Floats, bots: Ints, count: int) -> Seen:
    helpers, friends = (np.concatenate([column[side] for column in columns]) for side in (0, 1))
    surplus, variance, skew = (
        np.concatenate([column[moment] for column in columns]) for moment in (2, 3, 4)
    )
    of_pairs = len(columns)
    return Seen(
        helpers=bots[helpers],
        friends=bots[friends],
        deals=np.tile(deals, of_pairs),
        weight=np.tile(weights, of_pairs),
        surplus=surplus,
        variance=variance,
        skew=skew,
        bots=count,
    )
