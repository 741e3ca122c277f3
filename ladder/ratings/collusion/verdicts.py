"""Decide which pairs are noted, and which are shown.

There are three signs that a helper works for a friend:

* *results*: it loses to the friend, or the friend wins beside it, more than luck and the ladder's
  styles let expect (the better of the two counts, after Bonferroni, as do kinds of favour below);
* *gifts*: its decisions give the friend more than they give others;
* *paid*: it pays more for that, by how much further ahead its best moves would have put it.

A pair is *shown* if two signs agree. One is not enough: a style may suit another one by far, as in
a circle of three bots that beat one another, and that is not collusion. It is *noted* for admins if
its results alone are unusual.

With so many pairs some are unusual by chance. A pair counts by the second smallest of its signs'
chances, twice that (the test that at least two of three are unusual: Y. Benjamini and R. Heller,
"Screening for Partial Conjunction Hypotheses", Biometrics 64 (2008)); over all pairs Holm's
step-down is used (S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
Journal of Statistics 6 (1979)). Both hold however the signs depend on each other. So at most one
honest ladder in a hundred shows a pair, even if styles make one sign of any pair unusual; and no
larger share of the pairs that are shown is honest (the false-discovery rate).

Bots value things differently, so some honest pairs give each other far more than most do. So by
decisions the scatter of honest pairs is taken from the upper quartile, not from the median, and a
pair that stands out is judged beside the others alone (see `signs`).

Being noted accuses nobody. So results are judged by the step-up of Y. Benjamini and Y. Hochberg
("Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57 (1995)),
which finds more: it is content if one in ten noted pairs is chance, however many are noted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from ladder.ratings.collusion.favours import FavourKind
from ladder.ratings.collusion.signs import UPPER_QUARTILE, Seen, Sign, judge
from ladder.ratings.plackett_luce import Floats, Ints

FEWEST: Final = 20
"""Pairs with fewer games are not judged."""
SHOWN: Final = 0.01
"""The chance that a pair is shown on an honest ladder, at most."""
NOTED: Final = 0.1
"""The share of the noted pairs that may be chance, in the mean of ladders."""

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The judgement on all pairs with enough games: one element, or row, a pair.

    The deviations: `results` are (pairs, signs), `gifts` and `paid` (pairs, kinds of favour), NaN
    for a pair without enough evaluated games.
    """

    helpers: Ints
    friends: Ints
    results: Floats
    gifts: Floats
    paid: Floats
    noted: Bools
    shown: Bools


def verdicts(results: Sequence[Seen], decisions: Sequence[Sequence[Seen]]) -> Verdicts:
    """Judge all pairs by their signs, which number the bots alike; `decisions` may be empty."""
    bots, signs = results[0].bots, [judge(one) for one in results]
    pairs = (signs[0].helpers * bots + signs[0].friends)[_enough(signs[0])]
    by_results = np.column_stack([_of_pairs(sign, pairs, bots) for sign in signs])
    gifts, paid = np.full((2, len(pairs), len(FavourKind)), np.nan)
    for found, measure in zip((gifts, paid), decisions, strict=False):
        judged = [judge(one, UPPER_QUARTILE) for one in measure]
        found[:] = np.column_stack([_of_pairs(sign, pairs, bots) for sign in judged])
    of_results = _chances(by_results)
    of_two = 2 * np.sort(np.column_stack([of_results, _chances(gifts), _chances(paid)]))[:, 1]
    noted, shown = _step_up(of_results), _holm(of_two)
    return Verdicts(pairs // bots, pairs % bots, by_results, gifts, paid, noted, shown)


def _enough(sign: Sign) -> Bools:
    found: Bools = sign.games > FEWEST - 0.5  # games with ties are sums of parts
    return found


def _of_pairs(sign: Sign, pairs: Ints, bots: int) -> Floats:
    """Return the deviations of these pairs, NaN for those without enough games."""
    enough = _enough(sign)
    known = (sign.helpers * bots + sign.friends)[enough]
    if not len(known):
        return np.full(len(pairs), np.nan)
    place = np.minimum(np.searchsorted(known, pairs), len(known) - 1)
    return np.where(known[place] == pairs, sign.deviations[enough][place], np.nan)


def _chances(deviations: Floats) -> Floats:
    """Return the chance of a pair's largest deviation if all is luck (Bonferroni); 1 for none."""
    largest = np.where(np.isnan(deviations), -np.inf, deviations).max(axis=1)
    signs = deviations.shape[1]
    return np.array([min(1.0, signs * erfc(one / sqrt(2)) / 2) for one in largest.tolist()])


def _holm(chances: Floats) -> Bools:
    """Return which chances are too small for luck; SHOWN bounds the chance of any mistake."""
    order = np.argsort(chances)
    small = chances[order] * np.arange(len(chances), 0, -1) <= SHOWN
    passed = np.zeros(len(chances), np.bool_)
    passed[order] = np.logical_and.accumulate(small)
    return passed


def _step_up(chances: Floats) -> Bools:
    """Return which chances are too small for luck; NOTED is the false-discovery rate."""
    order = np.argsort(chances)
    small = chances[order] <= NOTED * np.arange(1, len(chances) + 1) / len(chances)
    passed = np.zeros(len(chances), np.bool_)
    passed[order[: np.flatnonzero(small).max(initial=-1) + 1]] = True
    return passed
