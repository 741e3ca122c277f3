"""The four signs of collusion: two in the results of games, two in their decisions.

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

from ladder.ratings.collusion.favours import GIFTS, LED, PAID, FavourKind
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


def decision_signs(deals: Ints, tables: Ints, given: Floats, bots: int) -> list[list[Seen]]:
    """See what decisions gave: for gifts and for what was paid a sign for each kind of favour.

    `tables` are the bots (matches, seats), `given` the favours (matches, measures, kinds, seat that
    decides, seat that gains). From tables of three on, a favour counts by how much larger it is
    than those for the others at the same table: what a game gives everybody does not matter.
    """
    given = _beyond_style(tables, given, bots)
    return [
        [_sign(deals, tables, given[:, measure, kind], bots) for kind in FavourKind]
        for measure in (GIFTS, PAID)
    ]


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


def _beyond_style(tables: Ints, given: Floats, bots: int) -> Floats:
    """Take out what each bot's decisions give a leader in the mean: who leads is what matters."""
    led = given[:, LED, FavourKind.LEADER]
    decided = np.maximum(np.bincount(tables.ravel(), led.sum(axis=2).ravel(), bots), 1)
    found = given.copy()
    for measure in (GIFTS, PAID):
        favours = found[:, measure, FavourKind.LEADER]
        style = np.bincount(tables.ravel(), favours.sum(axis=2).ravel(), bots) / decided
        favours -= style[tables][:, :, None] * led
    return found


def _sign(deals: Ints, tables: Ints, given: Floats, bots: int) -> Seen:
    seats = range(tables.shape[1])
    pairs = list(permutations(seats, 2))
    favours = []
    for helper, friend in pairs:
        others = [seat for seat in seats if seat != helper]
        mean = given[:, helper, others].mean(axis=1) if len(others) > 1 else 0.0
        favours.append(given[:, helper, friend] - mean)
    surplus = np.concatenate(favours)
    surplus -= surplus.mean()
    surplus /= surplus.std() or 1.0
    return Seen(
        helpers=np.concatenate([tables[:, helper] for helper, _ in pairs]),
        friends=np.concatenate([tables[:, friend] for _, friend in pairs]),
        deals=np.tile(deals, len(pairs)),
        weight=np.ones(len(surplus)),
        surplus=surplus,
        variance=np.ones(len(surplus)),
        skew=np.full(len(surplus), (surplus**3).mean()),
        bots=bots,
    )
