"""Judge a sign of collusion: does one bot give another more than luck and honest styles explain?

A sign is seen game by game: the *surplus* of a helper beside a friend, 0 in the mean if the two
are strangers. Three things make surpluses that nobody has to answer for; they are taken out:

* Some bots give everybody more, and some get more from everybody: the main effects of helper and
  friend are subtracted (weighted least squares).
* The matches of a deal share a layout and an order of the seats, so they are not independent: a
  helper's variance is that of its sums over deals, drawn towards that of all bots (K.-Y. Liang and
  S. L. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73 (1986)).
* Styles suit each other more or less: the effects of pairs scatter, and most pairs are honest. The
  scatter is estimated so that the median pair, or the upper quartile, is as far out as it should be
  (after B. Efron, "Large-Scale Simultaneous Hypothesis Testing", JASA 99 (2004)).

What a helper gives its friend also moves both main effects, so all other pairs of these bots seem
to scatter: in a field of six, nine pairs of thirty. So by the quartile those pairs that stand out
most are judged once more, each beside what all others tell without it (the externally studentized
residual of R. D. Cook and S. Weisberg, "Residuals and Influence in Regression", 1982).
The fewer others there are to tell the scatter, the more of it is assumed.

What is left is a deviation: its tail is normal if the pair is honest. A game between unequal bots
is a lopsided bet, which a normal tail would misjudge; so the tail is that of a Poisson variable of
the same variance and skewness (if it is skewed towards large surpluses, else the normal one).
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, NamedTuple, Self

import numpy as np

from ladder.ratings.plackett_luce import Floats, Ints

_POOLED: Final = 20.0  # the factor of all bots counts like so much variance of one helper
_ROUNDS: Final = 30  # of fitting the main effects
_WIDEST: Final = 4.0  # scatter of honest pairs, in units of one game's variance
_LEAST_FAR: Final = 1e-3  # so few pairs that they tell no scatter at all leave none of them
_LEAST_SKEW: Final = 1e-3
_APART: Final = 6  # pairs that are judged once more
_FAR: Final = 1.5  # deviations of those, at least


class Quantile(NamedTuple):
    """A part of all pairs, and how far out they are if honest pairs are all alike."""

    part: float
    normal: float
    """The square of a standard normal variable that this part stays below."""
    doubt: float
    """How much more counts as no scatter yet, over the root of the number of pairs.

    If a pair is judged beside the others alone, of so many as the main effects leave free: 4 of the
    other 11 in a field of four, 18 of 29 in one of six.
    """
    apart: bool = False
    """True if pairs that stand out are judged beside the others alone."""


MEDIAN: Final = Quantile(0.5, 0.4549364, 1.0)
UPPER_QUARTILE: Final = Quantile(0.75, 1.3233037, -1.43, apart=True)
"""Few pairs tell it, so 0.59 standard errors are added to the scatter that it seems to show."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Observations: one element for each game and ordered pair at its table.

    `weight` is 1, or less if a game has several elements, one for each way to read its ties.
    `variance` and `skew` (the third cumulant) are those of the surplus if all were luck, in any
    unit. Bots are numbered from 0 to `bots` - 1.
    """

    helpers: Ints
    friends: Ints
    deals: Ints
    weight: Floats
    surplus: Floats
    variance: Floats
    skew: Floats
    bots: int


@dataclass(frozen=True, slots=True)
class Sign:
    """The judgement, one element a pair that met: `effect` is the surplus by unit of variance."""

    helpers: Ints
    friends: Ints
    games: Floats
    effect: Floats
    deviations: Floats
    """Positive if the helper gives too much; as far out as a standard normal variable would be."""
    scatter: float
    """The standard deviation of honest pairs' effects."""


def judge(seen: Seen, quantile: Quantile = MEDIAN) -> Sign:
    """Judge all pairs; a pair that cannot be told from its bots' main effects deviates by 0.

    The scatter of honest pairs is such that `quantile` fits.
    """
    pairs = _Pairs.of(seen)
    found = _judged(seen, pairs, quantile)
    if quantile.apart:
        deviations = found.deviations.copy()
        for one in np.argsort(-deviations)[:_APART]:
            if found.deviations[one] > _FAR:
                deviations[one] = _judged(seen, pairs, quantile, apart=one).deviations[one]
        found = replace(found, deviations=deviations)
    return found


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs that met, one element each; `pair` says which one an observation is of.

    `block` says the same of a pair's deals, each of which is one of the pair `of_block`.
    """

    pair: Ints
    helpers: Ints
    friends: Ints
    variance: Floats
    block: Ints
    of_block: Ints

    @classmethod
    def of(cls, seen: Seen) -> Self:
        keys, pair = np.unique(seen.helpers * seen.bots + seen.friends, return_inverse=True)
        deals = seen.deals.max(initial=0) + 1
        blocks, block = np.unique(pair * deals + seen.deals, return_inverse=True)
        variance = _sums(pair, seen.variance)
        return cls(pair, keys // seen.bots, keys % seen.bots, variance, block, blocks // deals)

    def squares(self, surplus: Floats) -> Floats:
        """Sum up for each pair the squares of what its deals add up to."""
        return _sums(self.of_block, _sums(self.block, surplus) ** 2)

    def free(self, weight: Floats) -> Floats:
        """Return the part of each pair's variance that main effects by these weights leave."""
        return self.variance * _left(self.helpers, weight) * _left(self.friends, weight)


def _judged(seen: Seen, pairs: _Pairs, quantile: Quantile, apart: int | None = None) -> Sign:
    """Judge all pairs by what all of them tell, or all but the one that stands `apart`."""
    told = np.arange(len(pairs.helpers)) != (-1 if apart is None else apart)
    weight = np.where(told, pairs.variance, 0.0)
    given = np.where(told, _sums(pairs.pair, seen.surplus), 0.0)
    main = _main_effects(pairs.helpers, pairs.friends, given, weight)
    surplus = seen.surplus - seen.variance * main[pairs.pair]
    squares = np.where(told, pairs.squares(surplus), 0.0)
    factor = _factors(pairs.helpers, squares, weight)
    total, free = _sums(pairs.pair, surplus), pairs.free(weight)
    left = free > 0 if apart is None else free / np.maximum(pairs.variance, 1e-12)
    count = float(left[told].sum())
    scatter = _scatter(total[told], (factor * free)[told], free[told], count, quantile)
    if apart is not None:  # what is left of it, had it told, too
        free[apart] = pairs.free(pairs.variance)[apart]
        total[apart] *= free[apart] / max(pairs.variance[apart], 1e-12)
    skew = _sums(pairs.pair, seen.skew) / np.maximum(pairs.variance, _LEAST_SKEW)
    share = np.sqrt(free / np.maximum(factor * free + (scatter * free) ** 2, 1e-12))
    deviations = np.where(free > 0, share * _tail(total, free, skew), 0.0)
    effect, games = total / np.maximum(free, 1e-12), _sums(pairs.pair, seen.weight)
    return Sign(pairs.helpers, pairs.friends, games, effect, deviations, scatter)


def _main_effects(helpers: Ints, friends: Ints, surplus: Floats, variance: Floats) -> Floats:
    """Fit an effect of each helper and one of each friend; return their sum for each pair."""
    main = np.zeros(len(surplus))
    of_friend = main
    for _ in range(_ROUNDS):
        of_helper = _mean(helpers, surplus - variance * of_friend, variance)
        of_friend = _mean(friends, surplus - variance * of_helper, variance)
        before, main = main, of_helper + of_friend
        if np.abs(main - before).max(initial=0) < 1e-9:
            break
    return main


def _mean(bots: Ints, surplus: Floats, variance: Floats) -> Floats:
    weight = _sums(bots, variance)
    found: Floats = (_sums(bots, surplus) / np.maximum(weight, 1e-12))[bots]
    return found


def _factors(helpers: Ints, squares: Floats, variance: Floats) -> Floats:
    """Return how much more than luck the surpluses of each pair's helper vary; at least 1."""
    pooled = squares.sum() / max(float(variance.sum()), 1e-12)
    own, weight = _sums(helpers, squares), _sums(helpers, variance)
    found: Floats = np.maximum(1, (_POOLED * pooled + own) / (_POOLED + weight))[helpers]
    return found


def _left(bots: Ints, variance: Floats) -> Floats:
    """Return the part of each pair's variance that its bot's main effect leaves free."""
    found: Floats = 1 - variance / np.maximum(_sums(bots, variance), 1e-12)[bots]
    return np.where(found > 1e-9, found, 0.0)


def _scatter(
    surplus: Floats, luck: Floats, free: Floats, count: float, quantile: Quantile
) -> float:
    """Estimate the standard deviation of the effects of honest pairs, of which `count` tell it."""
    judged = free > 0
    square, luck, free = surplus[judged] ** 2, luck[judged], free[judged]
    if not len(square):
        return 0.0
    most = quantile.normal + quantile.doubt / sqrt(max(count, 1.0))
    enough = (square / max(most, _LEAST_FAR) - luck) / free**2  # so that a pair is `most` far out
    return sqrt(min(max(0.0, float(np.quantile(enough, quantile.part))), _WIDEST**2))


def _tail(surplus: Floats, variance: Floats, skew: Floats) -> Floats:
    """Return deviations whose normal tail is that of a Poisson variable with these moments.

    This is the signed root of the Poisson variable's deviance (its jumps are as large as `skew`).
    """
    jump = np.maximum(skew, _LEAST_SKEW)
    lead = jump * np.maximum(surplus, 0) / np.maximum(variance, 1e-12)
    deviance = 2 * variance / jump**2 * ((1 + lead) * np.log1p(lead) - lead)
    below = np.minimum(surplus, 0) / np.sqrt(np.maximum(variance, 1e-12))
    found: Floats = np.sqrt(np.maximum(deviance, 0)) + below
    return found


def _sums(keys: Ints, values: Floats) -> Floats:
    """Sum the values by key; keys count from 0."""
    return np.bincount(keys, values).astype(np.float64, copy=False)
