"""Rate bots by the results of their tables: Plackett and Luce's model, filtered game by game.

A `Skill` is what is known of a bot: a normal distribution of its strength with the rating as its
mean. Strengths stand on the Elo scale: 400 points are odds of ten to one between two bots. One
match changes the skills of its table in four steps (lengths in natural logarithms of odds):

1. Each deviation grows by what a bot may change from match to match: `s² + NOISE²`.
2. A table is one observation of its whole order, not of its pairs: the best is drawn with chances
   in proportion to `exp(strength)`, then the best of those that are left, and so on (R. L.
   Plackett, "The Analysis of Permutations", 1975). Of seats that share a rank, each is drawn from
   all that are left, as if the others of that rank were, too (N. Breslow, "Covariance Analysis of
   Censored Survival Data", 1974): who ties is near in strength. The draw of the best counts as 0.9
   of an observation, since the matches of a deal share their layout, and each later one as 0.8:
   behind the best, luck decides more.
3. The new ratings are where the posterior density, normal distributions times that of the order,
   is largest (Newton's method); the new variances are the diagonal of the inverse of its curvature
   there (Laplace's approximation). A seat whose deviation is large moves far, and others little
   for its sake: their surprise is more likely its own. What is off the diagonal, the errors that
   the table has in common, is not stored. So that bots who meet mostly one another do not seem
   too well known, a part of it is added to the variance, as long as a seat is in much doubt.
4. Both are rounded to whole milli-Elo, halves to even.

A pinned seat has no deviation; it never moves. For the others at its table it counts as in doubt by
300 points: that it is 1500 is a choice, and how far from it they are has to be found out. If it
counted as certain, it would pull those who meet it, and leave the others where they are.

`exp` is computed here, since the last bits of the one in `math` depend on the machine: with nothing
but `+ - * /`, square roots, and rounding, a ledger that is folded again gives the same numbers
everywhere. docs/fold_ratings.py does that alone.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import ceil, factorial, isqrt, ldexp, sqrt
from typing import Final, NamedTuple

TABLE_SIZES: Final = (2, 3, 4)
"""Seats at a table; each size has a ladder of its own."""


class Skill(NamedTuple):
    """A rating and its deviation, in whole thousandths of a point (milli-Elo).

    A deviation of 0 is certain: such a skill never changes.
    """

    rating: int
    deviation: int
    """One standard deviation."""


ANCHOR: Final = Skill(1_500_000, 0)
"""The skill of the anchor of a ladder, which never moves."""

NEWCOMER: Final = Skill(2_000_000, 420_000)
"""The skill of a bot before its first rated match: 500 points above the anchor's.

The anchor plays at random. Newcomers come to their place soonest, and bias others least, if they
start at the mean of their ladder.
"""

PLACED: Final = 75_000
"""A bot is placed once its deviation is no larger."""

POINTS: Final = 173_717.7927612604
"""Milli-Elo in one natural logarithm of odds: 400,000 / ln 10."""

_GAMES_TO_PLACE: Final = {2: 50, 3: 30, 4: 24}
"""Games until a new bot has a rank, by table size, if it meets bots of all strengths.

Half of all bots need fewer. Those that meet none of their own strength need more.
"""

RULE: Final = 3
"""The number of this formula; ratings that another one made have to be folded anew."""

_NOISE: Final = 3_500  # deviation of what a bot may change from one match to the next
_NEW_VERSION: Final = 120_000  # deviation of what a new version may change
_BEST: Final = 0.9  # the draw of the best counts as this part of one observation
_LATER: Final = 0.8  # and each draw after it
_PINNED: Final = 300_000 / POINTS  # deviation of a pinned seat, for the others at its table
_SHARED: Final = 0.5  # of a newcomer's errors in common with its table, what its variance keeps
_DAMPING: Final = 0.39269908169872414  # pi / 8: D. J. C. MacKay's, for a logistic curve in doubt
_CLOSE: Final = 1e-3  # the last step of Newton's method, in deviations: the next would be a square
_STEPS: Final = 50
_NEWCOMER_VARIANCE: Final = float(NEWCOMER.deviation**2) / (POINTS * POINTS)
_LN2: Final = 0.6931471805599453
_TAYLOR: Final = tuple(1.0 / factorial(power) for power in range(13, -1, -1))

_PAIRS: Final = {seats: tuple(combinations(range(seats), 2)) for seats in TABLE_SIZES}

Pair = tuple[int, int, float]
"""Two seats, the stronger one first, and its expected score (0 to 1) against the other."""
_Choice = tuple[float, tuple[int, ...]]  # how often a place was chosen among some, and these
Numbers = list[float]


def rate(skills: Sequence[Skill], ranks: Sequence[int]) -> tuple[Skill, ...]:
    """Return the skills after a match, by seat; the lower rank is the better one."""
    seats = len(skills)
    if seats not in _PAIRS or len(ranks) != seats:
        raise ValueError(f"{seats} skills and {len(ranks)} ranks: a table has two to four seats")
    order = sorted(range(seats), key=lambda seat: (ranks[seat], skills[seat]))
    base = skills[order[0]].rating
    means = [(skills[seat].rating - base) / POINTS for seat in order]
    widths = [_width(skills[seat]) for seat in order]
    moves, variances = _posterior(means, widths, tuple([ranks[seat] for seat in order]))
    found = list(skills)
    for seat, width, move, variance in zip(order, widths, moves, variances, strict=True):
        if skills[seat].deviation:
            found[seat] = Skill(
                skills[seat].rating + round(POINTS * width * move),
                min(round(POINTS * width * sqrt(variance)), NEWCOMER.deviation),
            )
    return tuple(found)


def rate_missed(skills: Sequence[Skill], missing: int) -> Skill:
    """Return the skill of the seat that missed a match: it is last, the others as their ratings.

    Of others with equal ratings the earlier seat is ahead.
    """
    behind = sorted(range(len(skills)), key=lambda seat: (seat == missing, -skills[seat].rating))
    return rate(skills, [behind.index(seat) for seat in range(len(skills))])[missing]


def chance(one: Skill, other: Skill) -> float:
    """Return the chance (0 to 1) that `one` is ranked above `other`; doubt draws it to a half."""
    variance = float(one.deviation**2 + other.deviation**2) / (POINTS * POINTS)
    lead = (one.rating - other.rating) / POINTS / sqrt(1.0 + _DAMPING * variance)
    return 1.0 / (1.0 + _exp(-lead)) if lead >= 0 else 1.0 - 1.0 / (1.0 + _exp(lead))


def pairs(skills: Sequence[Skill]) -> list[Pair]:
    """Return every two seats of a table, the stronger first, with its expected score."""
    found = []
    for one, other in _PAIRS[len(skills)]:
        strong, weak = (one, other) if skills[one] >= skills[other] else (other, one)
        found.append((strong, weak, chance(skills[strong], skills[weak])))
    return found


def new_version(skill: Skill) -> Skill:
    """Return what a new version starts from: its predecessor's rating, with more doubt."""
    if not skill.deviation:
        return skill
    doubt = isqrt(skill.deviation**2 + _NEW_VERSION**2)
    return Skill(skill.rating, min(doubt, NEWCOMER.deviation))


def without(now: Skill, before: Skill, after: Skill) -> Skill:
    """Return `now` without what one match did to it when it went from `before` to `after`.

    Later matches have replaced a part of what that one said; only what is left is taken back.
    """
    if now == after:
        return before
    if not now.deviation or not after.deviation:
        return now
    kept = min(1.0, float(now.deviation**2) / float(after.deviation**2))
    told = max(0.0, 1.0 / float(after.deviation**2) - 1.0 / float(before.deviation**2))
    precision = max(1.0 / float(now.deviation**2) - told, 1.0 / float(NEWCOMER.deviation**2))
    rating = now.rating - round((after.rating - before.rating) * kept)
    return Skill(rating, min(round(1.0 / sqrt(precision)), NEWCOMER.deviation))


def is_placed(skill: Skill) -> bool:
    """Return True if enough is known of a bot to give it a rank."""
    return skill.deviation <= PLACED


def games_to_place(seats: int, deviation: int = NEWCOMER.deviation) -> int:
    """Estimate how many more games at tables of `seats` place a bot; 0 if it is placed.

    One game adds about as much precision, `1 / deviation²`, as another.
    """
    return max(0, ceil(_GAMES_TO_PLACE[seats] * (1.0 - (PLACED / max(deviation, PLACED)) ** 2)))


def standing(skill: Skill) -> int:
    """Return what tables are ordered by: the rating, less the deviation until a bot is placed.

    So one that has won its first game does not stand above all, nor a strong one below the weak.
    """
    return skill.rating if is_placed(skill) else skill.rating - skill.deviation


def _width(skill: Skill) -> float:
    """Return the deviation before the next match, in natural logarithms of odds."""
    if not skill.deviation:
        return _PINNED
    return sqrt(float(skill.deviation**2 + _NOISE**2)) / POINTS


@cache
def _choices(ranks: tuple[int, ...]) -> tuple[Numbers, tuple[_Choice, ...]]:
    """Return how often each place was chosen, and the choices that make such an order.

    `ranks` are those of the places, best first.
    """
    found: list[_Choice] = []
    chosen = [_BEST if own == ranks[0] else _LATER for own in ranks]
    for rank in sorted(set(ranks)):
        left = tuple([place for place, own in enumerate(ranks) if own >= rank])
        if len(left) == 1:  # the last is left over
            chosen[left[0]] = 0.0
        else:
            found.append((chosen[left[0]] * ranks.count(rank), left))
    return chosen, tuple(found)


def _posterior(means: Numbers, widths: Numbers, ranks: tuple[int, ...]) -> tuple[Numbers, Numbers]:
    """Return the mode and the variances of the strengths, as moves from the means in `widths`."""
    there = [0.0] * len(means)
    slope, curve = _slope(means, widths, ranks, there)
    for _ in range(_STEPS):
        inverse = _inverse(curve)
        step = [_dot(row, slope) for row in inverse]
        here = there
        there = [move + change for move, change in zip(here, step, strict=True)]
        if max(step) < _CLOSE and min(step) > -_CLOSE:
            break
        rise = _dot(step, slope)
        slope, curve = _slope(means, widths, ranks, there)
        while _dot(step, slope) < -0.5 * rise:  # far beyond the mode: the step was too long
            step, rise = [change / 2.0 for change in step], rise / 2.0
            there = [move + change for move, change in zip(here, step, strict=True)]
            slope, curve = _slope(means, widths, ranks, there)
    return there, [_variance(inverse, widths, place) for place in range(len(means))]


def _variance(inverse: list[Numbers], widths: Numbers, place: int) -> float:
    """Return the variance of a place in its `widths`, with a part of the errors in common."""
    own, width = inverse[place], widths[place]
    shared = max(0.0, _dot(own, widths) - own[place] * width)
    doubt = width * width / _NEWCOMER_VARIANCE
    return min(1.0, own[place] + _SHARED * doubt * doubt * shared / width)


def _slope(
    means: Numbers, widths: Numbers, ranks: tuple[int, ...], moves: Numbers
) -> tuple[Numbers, list[Numbers]]:
    """Return the first derivative of the log posterior, and the negative second."""
    chosen, choices = _choices(ranks)
    lies = [mean + width * move for mean, width, move in zip(means, widths, moves, strict=True)]
    top = max(lies)
    slope, curve = chosen[:], [[0.0] * len(lies) for _ in lies]
    worth = [_exp(one - top) for one in lies]
    for weight, places in choices:
        total = 0.0
        for place in places:  # not sum(): it rounds differently from Python 3.12 on
            total += worth[place]
        for place in places:
            share = weight * worth[place] / total
            slope[place] -= share
            row = curve[place]
            row[place] += share
            for other in places:
                row[other] -= share * worth[other] / total
    for place, (width, row) in enumerate(zip(widths, curve, strict=True)):
        slope[place] = width * slope[place] - moves[place]
        curve[place] = [width * other * value for other, value in zip(widths, row, strict=True)]
        curve[place][place] += 1.0
    return slope, curve


def _inverse(matrix: list[Numbers]) -> list[Numbers]:
    """Invert a positive definite matrix by Gauss and Jordan's method."""
    rows = [row[:] for row in matrix]
    for pivot, own in enumerate(rows):
        scale, own[pivot] = 1.0 / own[pivot], 1.0
        own[:] = [value * scale for value in own]
        for row in rows:
            if row is not own:
                factor, row[pivot] = row[pivot], 0.0
                row[:] = [value - factor * its for value, its in zip(row, own, strict=True)]
    return rows


def _dot(one: Numbers, other: Numbers) -> float:
    total = 0.0
    for left, right in zip(one, other, strict=True):
        total += left * right
    return total


def _exp(power: float) -> float:
    """Return e to a power of at most 0, to 13 digits."""
    power = max(power, -700.0)
    halvings = round(power / _LN2)
    rest, total = power - halvings * _LN2, 0.0
    for term in _TAYLOR:
        total = total * rest + term
    return ldexp(total, halvings)
