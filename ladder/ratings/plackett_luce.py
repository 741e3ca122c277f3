"""Compute strengths and their intervals from rankings: batch Plackett-Luce with a prior.

Model: R. L. Plackett, "The Analysis of Permutations" (1975); R. D. Luce, "Individual Choice
Behavior" (1959). The best of a table is drawn with chances exp(strength), then the best of those
that are left, and so on. A tie counts as the average over all orders in which it could have been
broken. Fitted by Newton's method; the log-likelihood is concave.

Prior: each player has, besides its results, one draw, shared out among the opponents that it met.
This keeps the strength of players finite that have only won or only lost. In a player with m
matches it shrinks differences by about one part in m, whatever the opponents. A normal prior around
the mean would not do: if opponents are near in strength, results say little about players that are
far apart, and the priors of all players together would weigh more than the results. (A very wide
normal prior is added for players that no results connect.)

A match that one player missed is a loss of that player alone. Each of these is fitted once more by
itself, with its losses, while all others keep their strengths: nobody else gains anything.

Variance: a sandwich whose blocks are deals (K.-Y. Liang and S. L. Zeger, "Longitudinal data
analysis using generalized linear models", Biometrika 73 (1986)), since the matches of a deal share
a layout and rotate the seats. One bot has few blocks, so their variance is expressed as a factor on
the model's variance, and drawn towards the factor of all bots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_DRAWS: Final = 1.0  # of each player's prior
_WIDE: Final = 20.0**-2  # the precision of the prior behind it: about 3,500 points
_POOLED_BLOCKS: Final = 20.0  # the factor of all bots counts like this many blocks of one bot
_CLOSE: Final = 1e-7  # the fit ends when no step is larger
_ROUNDING: Final = 1e-9  # smaller relative differences of the likelihood don't count
_STEPS: Final = 50
_Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Rankings:
    """The matches of one table size: players (numbered from 0) and ranks, both (matches, seats).

    `deals` has the deal of each match. A deal with all of its rotations is one block of the
    variance.
    """

    players: Ints
    ranks: Ints
    deals: Ints
    count: int
    """The number of players."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Each player's strength, and half of its 95 % interval, in natural logarithms of odds.

    Both are those of the difference from the mean of the chosen players.
    """

    middle: Floats
    reach: Floats


@dataclass(frozen=True, slots=True)
class Orders:
    """Players from best to worst, (orders, seats); a match with ties has several of less weight."""

    players: Ints
    weights: Floats
    match: Ints


@dataclass(frozen=True, slots=True)
class _Prior:
    """Draws between two players each, of less weight than a match."""

    one: Ints
    other: Ints
    weights: Floats
    count: int

    def likelihood(self, theta: Floats) -> float:
        lead = theta[self.one] - theta[self.other]
        # log(chance * (1 - chance)) / 2, written so that it does not overflow
        draws = -(np.logaddexp(0, lead) + np.logaddexp(0, -lead)) / 2
        return float(self.weights @ draws - _WIDE / 2 * theta @ theta)

    def gradient(self, theta: Floats) -> Floats:
        pull = self.weights * (0.5 - _chance(theta[self.one] - theta[self.other]))
        towards, away = (_sum(side, pull, self.count) for side in (self.one, self.other))
        return towards - away - _WIDE * theta

    def information(self, theta: Floats) -> Floats:
        chance = _chance(theta[self.one] - theta[self.other])
        found = _links(self.one, self.other, self.weights * chance * (1 - chance), self.count)
        found[np.diag_indices(self.count)] += _WIDE
        return found

    def curvature(self, theta: Floats, player: int) -> float:
        """Return the information on one player alone."""
        own = (self.one == player) | (self.other == player)
        chance = _chance(theta[self.one[own]] - theta[self.other[own]])
        return float(self.weights[own] @ (chance * (1 - chance))) + _WIDE


@dataclass(frozen=True, slots=True)
class Slope:
    """The score and the information of each order at each place, and the log-likelihood."""

    score: Floats
    shares: list[Floats]
    """For each choice, the chances of the players that remain."""
    likelihood: float


def strengths(
    matches: Rankings,
    chosen: Ints | None = None,
    start: Floats | None = None,
    missed: Ints | None = None,
) -> Strengths:
    """Fit the matches; `chosen` are the players whose mean is 0 (all if None), `start` a guess.

    `missed` are the players (matches, seats) of matches that the first one of each row missed; the
    mean and the intervals are those without them.
    """
    orders, prior = orders_of(matches), _prior(matches)
    chosen = np.arange(matches.count) if chosen is None else chosen
    theta = _fit(orders, prior, np.zeros(matches.count) if start is None else start)
    reach = _reach(matches, orders, prior, theta, chosen)
    found = theta - theta[chosen].mean()
    if missed is not None:
        for loser in np.unique(missed[:, 0]).tolist():
            losses = orders_of(_losses(missed[missed[:, 0] == loser], matches.count))
            found[loser] += _fall(loser, orders, losses, prior, theta)
    return Strengths(found, reach)


def _losses(players: Ints, count: int) -> Rankings:
    """Return matches in which the first player ranks last, and the others share the first rank."""
    ranks = np.ones_like(players)
    ranks[:, 0] = players.shape[1]
    return Rankings(players, ranks, np.zeros(len(players), np.int64), count)


def _fall(player: int, played: Orders, losses: Orders, prior: _Prior, theta: Floats) -> float:
    """Return what its losses change in the strength of one player, if all others keep theirs."""
    own = (played.players == player).any(axis=1)
    orders = Orders(
        np.concatenate([played.players[own], losses.players]),
        np.concatenate([played.weights[own], losses.weights]),
        np.concatenate([played.match[own], losses.match]),
    )
    here, at = orders.players == player, theta.copy()
    for _ in range(_STEPS):
        slope = slope_of(orders, at)
        gradient = slope.score[here].sum() + prior.gradient(at)[player]
        information = pulls(orders, slope)[here].sum() + prior.curvature(at, player)
        step = float(np.clip(gradient / information, -1, 1))
        at[player] += step
        if abs(step) < _CLOSE:
            break
    return float(at[player] - theta[player])


def orders_of(matches: Rankings) -> Orders:
    size = matches.ranks.shape[1]
    base = size + 1
    pattern = matches.ranks @ (base ** np.arange(size))
    parts = []
    for kind in np.unique(pattern):
        rows = np.flatnonzero(pattern == kind)
        possible = _possible(matches.ranks[rows[0]].tolist())
        for order in possible:
            parts.append((matches.players[rows][:, order], len(possible), rows))
    return Orders(
        np.concatenate([players for players, _, _ in parts]),
        np.concatenate([np.full(len(rows), 1 / many) for _, many, rows in parts]),
        np.concatenate([rows for _, _, rows in parts]),
    )


def _possible(ranks: Sequence[int]) -> list[list[int]]:
    """Return every order of the seats, best first, that breaks the ties of these ranks."""
    tied = [[seat for seat, own in enumerate(ranks) if own == rank] for rank in sorted(set(ranks))]
    return [list(chain(*broken)) for broken in product(*map(permutations, tied))]


def _prior(matches: Rankings) -> _Prior:
    """Make every meeting a draw, with weights that add up to `_DRAWS` for each player."""
    size = matches.players.shape[1]
    met = np.bincount(matches.players.ravel(), minlength=matches.count) * (size - 1)
    pairs = list(combinations(range(size), 2))
    one = np.concatenate([matches.players[:, first] for first, _ in pairs])
    other = np.concatenate([matches.players[:, second] for _, second in pairs])
    keys, place = np.unique(one * matches.count + other, return_inverse=True)
    weights = _sum(place, _DRAWS / 2 * (1 / met[one] + 1 / met[other]), len(keys))
    return _Prior(keys // matches.count, keys % matches.count, weights, matches.count)


def slope_of(orders: Orders, theta: Floats) -> Slope:
    worth = np.exp(theta[orders.players])
    left = np.cumsum(worth[:, ::-1], axis=1)[:, ::-1]
    size = worth.shape[1]
    shares = [worth[:, choice:] / left[:, choice, None] for choice in range(size - 1)]
    score = np.zeros_like(worth)
    score[:, :-1] = 1
    for choice, share in enumerate(shares):
        score[:, choice:] -= share
    score *= orders.weights[:, None]
    each = theta[orders.players][:, :-1] - np.log(left[:, :-1])
    return Slope(score, shares, float(orders.weights @ each.sum(axis=1)))


def _information(orders: Orders, slope: Slope, weights: Floats, count: int) -> Floats:
    """Return the negative second derivative of the log-likelihood: (players, players)."""
    size = orders.players.shape[1]
    found = np.zeros((count, count))
    for one, other in combinations(range(size), 2):
        together = np.zeros(len(weights))
        for choice in range(min(one + 1, size - 1)):
            share = slope.shares[choice]
            together += share[:, one - choice] * share[:, other - choice]
        found += _links(orders.players[:, one], orders.players[:, other], together * weights, count)
    return found


def _links(one: Ints, other: Ints, weights: Floats, count: int) -> Floats:
    """Return the information on differences: the weights of pairs as a graph's Laplacian."""
    found = -_sum(one * count + other, weights, count * count).reshape(count, count)
    found = found + found.T
    found[np.diag_indices(count)] = -found.sum(axis=1)
    return found


def _fit(orders: Orders, prior: _Prior, theta: Floats) -> Floats:
    slope = slope_of(orders, theta)
    for _ in range(_STEPS):
        gradient = _sum(orders.players, slope.score, prior.count) + prior.gradient(theta)
        information = _information(orders, slope, orders.weights, prior.count)
        step = np.linalg.solve(information + prior.information(theta), gradient)
        before = slope.likelihood + prior.likelihood(theta)
        slope = slope_of(orders, theta + step)
        while slope.likelihood + prior.likelihood(theta + step) < before - _ROUNDING * abs(before):
            step /= 2  # too far: the first guess was bad
            slope = slope_of(orders, theta + step)
        theta = theta + step
        if np.abs(step).max() < _CLOSE:
            break
    return theta


def _reach(matches: Rankings, orders: Orders, prior: _Prior, theta: Floats, chosen: Ints) -> Floats:
    """Return half of the 95 % interval of each player's difference from the chosen ones' mean."""
    count, assumed = matches.count, prior.information(theta)
    slope = slope_of(orders, theta)
    block, members = _blocks(matches)
    whole = np.where(block[orders.match] >= 0, orders.weights, 0.0)
    of_blocks = _information(orders, slope, whole, count)
    information = _information(orders, slope, orders.weights, count)
    root = np.linalg.inv(information + assumed)
    contrast = root - root[chosen].mean(axis=0)
    scores = _block_scores(orders, slope, block, members, np.diag(information + assumed))
    meat = _meat(scores, members, count)
    seen = np.bincount(members.ravel(), minlength=count).astype(float)
    factor = _factor(_diagonal(contrast, meat), _diagonal(contrast, of_blocks), seen)
    variance = factor * _diagonal(contrast, information) + _diagonal(contrast, assumed)
    return _quantile(_POOLED_BLOCKS + seen) * np.sqrt(variance)


def _blocks(matches: Rankings) -> tuple[Ints, Ints]:
    """Return each match's block (-1 if its deal is incomplete), and the players (blocks, seats)."""
    size = matches.players.shape[1]
    table = np.sort(matches.players, axis=1)
    _, first, deal, number = np.unique(
        matches.deals, return_index=True, return_inverse=True, return_counts=True
    )
    alike = (table == table[first[deal]]).all(axis=1)
    complete = (number == size) & (np.bincount(deal, alike, len(first)) == size)
    names = np.where(complete, np.cumsum(complete) - 1, -1)
    return names[deal], table[first[complete]]


def _block_scores(
    orders: Orders, slope: Slope, block: Ints, members: Ints, information: Floats
) -> Floats:
    """Return the score of each member, corrected for its own pull on the fit: (blocks, seats)."""
    inside = block[orders.match] >= 0
    players, of_block = orders.players[inside], block[orders.match][inside]
    size = players.shape[1]
    place = (members[of_block][:, None, :] < players[:, :, None]).sum(axis=2)
    keys = (of_block[:, None] * size + place).ravel()
    score = _sum(keys, slope.score[inside], members.size)
    own = pulls(orders, slope)[inside]
    pull = _sum(keys, own, members.size) / information[members.ravel()]
    return (score / np.sqrt(np.maximum(1 - pull, 0.1))).reshape(members.shape)


def pulls(orders: Orders, slope: Slope) -> Floats:
    """Return the information that each order gives on each of its players: (orders, seats)."""
    own = np.zeros(orders.players.shape)
    for choice, share in enumerate(slope.shares):
        own[:, choice:] += share * (1 - share)
    return own * orders.weights[:, None]


def _meat(scores: Floats, members: Ints, count: int) -> Floats:
    """Return the sum over blocks of the products of their scores: (players, players)."""
    found = np.zeros(count * count)
    for one, other in product(range(members.shape[1]), repeat=2):
        keys = members[:, one] * count + members[:, other]
        found += _sum(keys, scores[:, one] * scores[:, other], count * count)
    return found.reshape(count, count)


def _factor(sandwich: Floats, model: Floats, blocks: Floats) -> Floats:
    """Return the factor by which blocks vary more than the model, drawn towards that of all."""
    own = np.divide(sandwich, model, out=np.ones_like(model), where=(model > 0) & (blocks > 0))
    pooled = (_POOLED_BLOCKS + blocks @ own) / (_POOLED_BLOCKS + blocks.sum())
    found: Floats = (_POOLED_BLOCKS * pooled + blocks * own) / (_POOLED_BLOCKS + blocks)
    return found


def _diagonal(contrast: Floats, middle: Floats) -> Floats:
    found: Floats = ((contrast @ middle) * contrast).sum(axis=1)
    return found


def _quantile(freedom: Floats) -> Floats:
    """Return Student's quantile for 95 %, by the first terms of Cornish and Fisher."""
    first = (_Z**3 + _Z) / 4
    second = (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96
    found: Floats = _Z + first / freedom + second / freedom**2
    return found


def _chance(lead: Floats) -> Floats:
    found: Floats = 0.5 + 0.5 * np.tanh(lead / 2)
    return found


def _sum(keys: Ints, values: Floats, count: int) -> Floats:
    """Sum the values by key; keys count from 0."""
    return np.bincount(keys.ravel(), values.ravel(), count).astype(np.float64, copy=False)
