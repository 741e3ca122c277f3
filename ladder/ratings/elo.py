"""Elo for tables of two to four seats, in whole thousandths of a point (milli-Elo).

A table is read as one game of each seat against each other: the better rank scores 1, a shared
rank one half. Each such pair moves its two ratings by K/(n-1) times the surprise, so that a table
of any size can move a rating by K at most. What counts is the rank, not the margin. Expected score:
Arpad Elo, "The Rating of Chessplayers" (1978), in its logistic form with 400 points a decade.

Two kinds of seats differ. A **provisional** one has few rated games yet, so its rating says little:
it moves others that are not provisional by a smaller K, while its own rating moves as usual. A
**pinned** one is the anchor of the ladder: its rating never moves.

Rounding: the change of each pair is rounded to whole milli-Elo (halves to even) before it is added,
and the expectation is always the stronger seat's. So the order of the seats makes no difference,
and at a table of one kind of seats the changes sum to exactly zero.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, factorial, isqrt, ldexp, sqrt
from typing import Final, NamedTuple

TABLE_SIZES: Final = (2, 3, 4)
"""Seats at a table; each size has a ladder of its own."""

START: Final = 1_500_000
"""The rating of a bot before its first rated match, in milli-Elo."""

K: Final = 32_000
"""The most that one match moves a rating, in milli-Elo.

With 32 points a newcomer has come two thirds of its way after some 20 matches; the price is that
ratings vary by about 50 points around the true ones, even after many matches.
"""

PROVISIONAL: Final = 20
"""A version with fewer rated games on a ladder is provisional there.

After 20 games its rating has come about two thirds of its way from the start, and the rest of the
way is no more than ratings vary anyhow.
"""

K_PROVISIONAL: Final = 8_000
"""The most that a table of provisional opponents moves the rating of one that is not, in milli-Elo.

A newcomer may be hundreds of points from its place: surprising results are then due to its rating,
not to those of its opponents. A quarter of K keeps the effect of twenty games against it within the
usual variation of ratings.
"""

_DECADE: Final = 400_000  # milli-Elo for odds of ten to one
_PAIRS: Final = {seats: tuple(combinations(range(seats), 2)) for seats in TABLE_SIZES}
_NOBODY: Final = (False,) * 4

Pair = tuple[int, int, float]
"""Two seats, the stronger one first, and its expected score (0 to 1) against the other."""


def expected(rating: int, opponent: int) -> float:
    """Return the expected score (0 to 1) of a rating against another, both in milli-Elo."""
    return float(1 / (1 + 10 ** ((opponent - rating) / _DECADE)))


def is_provisional(games: int, *, pinned: bool) -> bool:
    """Return True if a version with `games` rated games on a ladder is provisional there."""
    return games < PROVISIONAL and not pinned


def pairs(ratings: Sequence[int]) -> list[Pair]:
    """Return every two seats of a table, the stronger first, with its expected score."""
    if len(ratings) not in _PAIRS:
        raise ValueError(f"{len(ratings)} ratings: a table has two to four seats")
    found = []
    for one, other in _PAIRS[len(ratings)]:
        if ratings[one] >= ratings[other]:
            found.append((one, other, expected(ratings[one], ratings[other])))
        else:
            found.append((other, one, expected(ratings[other], ratings[one])))
    return found


def changes(
    ratings: Sequence[int],
    ranks: Sequence[int],
    provisional: Sequence[bool] = _NOBODY,
    pinned: Sequence[bool] = _NOBODY,
) -> tuple[int, ...]:
    """Return what one match adds to the ratings of its seats, in milli-Elo.

    All are by seat; the lower rank is the better one, equal ranks are a tie.
    """
    return gains(pairs(ratings), ranks, provisional, pinned)


def gains(
    table: Sequence[Pair],
    ranks: Sequence[int],
    provisional: Sequence[bool] = _NOBODY,
    pinned: Sequence[bool] = _NOBODY,
) -> tuple[int, ...]:
    """Compute the same as `changes`, from the `pairs` of the table."""
    seats = len(ranks)
    if len(table) * 2 != seats * (seats - 1):
        raise ValueError(f"{len(table)} pairs and {seats} ranks: give one rank for each seat")
    found = [0] * seats
    for strong, weak, expectation in table:
        surprise = _score(ranks[strong], ranks[weak]) - expectation
        change = round(K * surprise / (seats - 1))
        if provisional[strong] == provisional[weak]:
            found[strong] += change
            found[weak] -= change
        else:
            settled = round(K_PROVISIONAL * surprise / (seats - 1))
            found[strong] += change if provisional[strong] else settled
            found[weak] -= change if provisional[weak] else settled
    if any(pinned):
        return tuple(0 if pinned[seat] else gain for seat, gain in enumerate(found))
    return tuple(found)


def ranks_missed(seats: int, missing: int) -> list[int]:
    """Return the ranks at a table whose seat `missing` counts as the last, and no other counts."""
    return [seats if seat == missing else 1 for seat in range(seats)]


def _score(rank: int, opponent: int) -> float:
    if rank == opponent:
        return 0.5
    return 1.0 if rank < opponent else 0.0


# The rating that will replace what stands above: one order a table, with its own uncertainty.


class Skill(NamedTuple):
    """What is known of a bot: a normal distribution of its strength, in milli-Elo.

    A deviation of 0 is certain: such a skill never changes.
    """

    rating: int
    deviation: int
    """One standard deviation."""


NEWCOMER: Final = Skill(1_500_000, 350_000)
"""The skill of a bot before its first rated match."""

ANCHOR: Final = Skill(1_500_000, 0)
"""The skill of the anchor of a ladder, which never moves."""

PLACED: Final = 75_000
"""A bot is placed once its deviation is no larger."""

RULE: Final = 1
"""The number of this formula; ratings that another one made have to be folded anew."""

_NEW_VERSION: Final = 120_000  # deviation of what a new version may change
_NOISE: Final = 4_000  # deviation of what a bot may change from one match to the next
_POINTS: Final = 173_717.7927612604  # milli-Elo in one natural logarithm of odds: 400,000 / ln 10
_DAMPING: Final = 0.39269908169872414  # pi / 8
_CLOSE: Final = 1e-5
_STEPS: Final = 50
_LN2: Final = 0.6931471805599453
_TAYLOR: Final = tuple(1.0 / factorial(power) for power in range(13, -1, -1))

Choice = tuple[float, tuple[int, ...]]
"""How often the next best was chosen among some places (less than once after a tie), and these."""
Matrix = list[list[float]]


def rate(
    skills: Sequence[Skill], ranks: Sequence[int], pinned: Sequence[bool] = _NOBODY
) -> tuple[Skill, ...]:
    """Return the skills after a match, by seat; the lower rank is the better one."""
    seats = len(skills)
    if seats not in _PAIRS or len(ranks) != seats:
        raise ValueError(f"{seats} skills and {len(ranks)} ranks: a table has two to four seats")
    order = sorted(range(seats), key=lambda seat: (ranks[seat], skills[seat], pinned[seat]))
    base = skills[order[0]].rating
    means = [(skills[seat].rating - base) / _POINTS for seat in order]
    widths = [0.0 if pinned[seat] else _width(skills[seat]) for seat in order]
    moves, variances = _posterior(means, widths, tuple(ranks[seat] for seat in order))
    found = list(skills)
    for place, seat in enumerate(order):
        if widths[place]:
            found[seat] = Skill(
                skills[seat].rating + round(_POINTS * widths[place] * moves[place]),
                min(
                    round(_POINTS * widths[place] * sqrt(variances[place])),
                    NEWCOMER.deviation,
                ),
            )
    return tuple(found)


def chance(one: Skill, other: Skill) -> float:
    """Return the chance (0 to 1) that `one` is ranked above `other`, both in doubt."""
    variance = (float(one.deviation) ** 2 + float(other.deviation) ** 2) / _POINTS**2
    lead = (one.rating - other.rating) / _POINTS / sqrt(1.0 + _DAMPING * variance)
    return 1.0 / (1.0 + _exp(-lead)) if lead >= 0 else 1.0 - 1.0 / (1.0 + _exp(lead))


def skill_pairs(skills: Sequence[Skill]) -> list[Pair]:
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
    if not now.deviation or not after.deviation:
        return now
    kept = min(1.0, float(now.deviation**2) / float(after.deviation**2))
    told = max(0.0, 1.0 / float(after.deviation**2) - 1.0 / float(before.deviation**2))
    precision = max(1.0 / float(now.deviation**2) - told, 1.0 / float(NEWCOMER.deviation**2))
    rating = now.rating - round((after.rating - before.rating) * kept)
    return Skill(rating, min(round(1.0 / sqrt(precision)), NEWCOMER.deviation))


def plus_minus(skill: Skill) -> int:
    """Return what pages show behind a rating: one standard deviation, in milli-Elo."""
    return skill.deviation


def is_placed(skill: Skill) -> bool:
    """Return True if enough is known of a bot to give it a rank."""
    return skill.deviation <= PLACED


def _width(skill: Skill) -> float:
    """Return the deviation before the next match, in natural logarithms of odds."""
    if not skill.deviation:
        return 0.0
    return sqrt(float(skill.deviation**2 + _NOISE**2)) / _POINTS


@cache
def _choices(ranks: tuple[int, ...]) -> tuple[Choice, ...]:
    """Return the choices that make an order of these ranks (best first), ties broken any way."""
    found: list[Choice] = []
    for rank in sorted(set(ranks)):
        tied = [place for place, own in enumerate(ranks) if own == rank]
        below = [place for place, own in enumerate(ranks) if own > rank]
        for left in range(len(tied), 0, -1):
            if left + len(below) > 1:
                weight = 1.0 / comb(len(tied), left)
                found += [(weight, (*some, *below)) for some in combinations(tied, left)]
    return tuple(found)


def _posterior(
    means: list[float], widths: list[float], ranks: tuple[int, ...]
) -> tuple[list[float], list[float]]:
    """Find the mode and the variances of the strengths, as moves from the means in `widths`."""
    last = ranks.count(ranks[-1])
    wins = [1.0 if rank != ranks[-1] else 1.0 - 1.0 / last for rank in ranks]
    moves = [0.0] * len(means)
    slope, curve = _slope(means, widths, wins, ranks, moves)
    for _ in range(_STEPS):
        inverse = _inverse(curve)
        step = [_dot(row, slope) for row in inverse]
        rise = _dot(step, slope)
        while True:
            there = [move + change for move, change in zip(moves, step, strict=True)]
            slope, curve = _slope(means, widths, wins, ranks, there)
            if _dot(step, slope) >= -0.5 * rise:
                break
            step = [change / 2.0 for change in step]  # far beyond the mode: it was too long
            rise /= 2.0
        moves = there
        if max(map(abs, step)) < _CLOSE:
            break
    return moves, [inverse[place][place] for place in range(len(means))]


def _slope(
    means: list[float],
    widths: list[float],
    wins: list[float],
    ranks: tuple[int, ...],
    moves: list[float],
) -> tuple[list[float], Matrix]:
    """Return the first derivative of the log posterior, and the negative second."""
    seats = len(means)
    lies = [mean + width * move for mean, width, move in zip(means, widths, moves, strict=True)]
    slope = list(wins)
    curve = [[0.0] * seats for _ in range(seats)]
    for weight, places in _choices(ranks):
        top = max(lies[place] for place in places)
        worth = [_exp(lies[place] - top) for place in places]
        total = 0.0
        for one in worth:  # not sum(): it rounds differently from Python 3.12 on
            total += one
        shares = [weight * one / total for one in worth]
        for place, share, own in zip(places, shares, worth, strict=True):
            slope[place] -= share
            row = curve[place]
            row[place] += share
            part = own / total
            for other, its in zip(places, shares, strict=True):
                row[other] -= part * its
    for place, width in enumerate(widths):
        slope[place] = width * slope[place] - moves[place]
        row = curve[place]
        for other in range(seats):
            row[other] *= width * widths[other]
        row[place] += 1.0
    return slope, curve


def _inverse(matrix: Matrix) -> Matrix:
    """Invert a positive definite matrix by Gauss and Jordan's method."""
    size = len(matrix)
    rows = [row[:] for row in matrix]
    for pivot in range(size):
        scale = 1.0 / rows[pivot][pivot]
        rows[pivot][pivot] = 1.0
        rows[pivot] = [value * scale for value in rows[pivot]]
        for other in range(size):
            if other != pivot:
                factor = rows[other][pivot]
                rows[other][pivot] = 0.0
                rows[other] = [
                    value - factor * own
                    for value, own in zip(rows[other], rows[pivot], strict=True)
                ]
    return rows


def _dot(one: list[float], other: list[float]) -> float:
    total = 0.0
    for left, right in zip(one, other, strict=True):
        total += left * right
    return total


def _exp(power: float) -> float:
    """Return e to a power of at most 0, to some 15 digits, and the same on every machine."""
    if power < -700.0:
        return 0.0
    halvings = round(power / _LN2)
    rest = power - halvings * _LN2
    total = 0.0
    for term in _TAYLOR:
        total = total * rest + term
    return ldexp(total, halvings)
