"""Fold a ladder's ratings from its results alone: python fold_ratings.py FILE

FILE has the lines of /api/v1/export/results; docs/fairness.md explains the formula. Only Python's
standard library is needed. What changes a rating between two matches (a new version, an annulment,
the pinning of the anchor) has rows of its own that are not in FILE: it is taken over, and counted.
"""

import json
import sys
from math import factorial, ldexp, sqrt
from pathlib import Path

EXPORT = "/api/v1/export/results?after=0&limit=10000"
POINTS = 173717.7927612604  # milli-Elo in one natural logarithm of odds: 400,000 / ln 10
NEWCOMER = (2000000, 420000)  # rating and deviation of a bot that has not played, in milli-Elo
NOISE = 3500  # standard deviation of what a bot may change from match to match, in milli-Elo
BEST = 0.9  # the draw of the best counts as this part of one observation
LATER = 0.8  # and each draw after it
PINNED = 300000  # deviation of the anchor, for the others at its table, in milli-Elo
SHARED = 0.5  # of a newcomer's errors in common with its table, what its variance keeps
LN2 = 0.6931471805599453


def rate(skills, ranks):
    """Return the (rating, deviation) of each seat after a match."""
    order = sorted(range(len(skills)), key=lambda seat: (ranks[seat], skills[seat]))
    first = skills[order[0]][0]
    means = [(skills[seat][0] - first) / POINTS for seat in order]
    widths = [width(skills[seat][1]) for seat in order]
    moves, variances = mode(means, widths, [ranks[seat] for seat in order])
    found = list(skills)
    for seat, wide, move, variance in zip(order, widths, moves, variances, strict=True):
        if skills[seat][1]:
            rating = skills[seat][0] + round(POINTS * wide * move)
            found[seat] = (rating, min(round(POINTS * wide * sqrt(variance)), NEWCOMER[1]))
    return found


def width(deviation):
    return sqrt(float(deviation**2 + NOISE**2)) / POINTS if deviation else PINNED / POINTS


def choices(ranks):
    """Return how often each place was chosen as next best, and (how often, among which places)."""
    found, chosen = [], [BEST if own == ranks[0] else LATER for own in ranks]
    for rank in sorted(set(ranks)):
        left = [place for place, own in enumerate(ranks) if own >= rank]
        if len(left) == 1:
            chosen[left[0]] = 0.0
        else:
            found.append((chosen[left[0]] * ranks.count(rank), left))
    return chosen, found


def mode(means, widths, ranks):
    """Find the most probable strengths by Newton's method; return moves and variances."""
    there = [0.0] * len(means)
    slope, curve = slopes(means, widths, ranks, there)
    for _ in range(50):
        inverse = invert(curve)
        step = [dot(row, slope) for row in inverse]
        here, there = there, [move + change for move, change in zip(there, step, strict=True)]
        if max(map(abs, step)) < 1e-3:
            break
        rise = dot(step, slope)
        slope, curve = slopes(means, widths, ranks, there)
        while dot(step, slope) < -0.5 * rise:
            step, rise = [change / 2.0 for change in step], rise / 2.0
            there = [move + change for move, change in zip(here, step, strict=True)]
            slope, curve = slopes(means, widths, ranks, there)
    return there, [variance(inverse, widths, place) for place in range(len(means))]


def variance(inverse, widths, place):
    """Return the variance of a place, as a part of the one before."""
    own, wide = inverse[place], widths[place]
    shared = max(0.0, dot(own, widths) - own[place] * wide)
    doubt = wide * wide / (float(NEWCOMER[1] ** 2) / (POINTS * POINTS))
    return min(1.0, own[place] + SHARED * doubt * doubt * shared / wide)


def slopes(means, widths, ranks, moves):
    """Return the first derivative of the logarithm of the density, and minus the second."""
    slope, found = choices(ranks)
    lies = [mean + wide * move for mean, wide, move in zip(means, widths, moves, strict=True)]
    curve = [[0.0] * len(lies) for _ in lies]
    worth = [exp(one - max(lies)) for one in lies]
    for weight, places in found:
        total = 0.0
        for place in places:  # in this order; sum() rounds differently from Python 3.12 on
            total += worth[place]
        for place in places:
            share = weight * worth[place] / total
            slope[place] -= share
            curve[place][place] += share
            for other in places:
                curve[place][other] -= share * worth[other] / total
    for place, wide in enumerate(widths):
        slope[place] = wide * slope[place] - moves[place]
        curve[place] = [wide * it * own for it, own in zip(widths, curve[place], strict=True)]
        curve[place][place] += 1.0
    return slope, curve


def invert(matrix):
    """Invert by Gauss and Jordan's method."""
    rows = [row[:] for row in matrix]
    for pivot, own in enumerate(rows):
        scale, own[pivot] = 1.0 / own[pivot], 1.0
        own[:] = [value * scale for value in own]
        for row in rows:
            if row is not own:
                factor, row[pivot] = row[pivot], 0.0
                row[:] = [value - factor * its for value, its in zip(row, own, strict=True)]
    return rows


def dot(one, other):
    total = 0.0
    for left, right in zip(one, other, strict=True):
        total += left * right
    return total


def exp(power):
    """Return e to a power of at most 0; math.exp depends on the machine in its last bits."""
    power = max(power, -700.0)
    halvings = round(power / LN2)
    rest, total = power - halvings * LN2, 0.0
    for degree in range(13, -1, -1):
        total = total * rest + 1.0 / factorial(degree)
    return ldexp(total, halvings)


def fold(results):
    """Return the skills by (table size, bot, version), what was taken over, and what differs."""
    known, taken, wrong = {}, 0, set()
    for result in results:
        seats = result["seats"]
        ranked = [seat for seat in seats if seat["rating_after"] is not None]
        if not ranked:
            continue  # not rated
        keys = [(len(seats), seat["bot_id"], seat["version"]) for seat in seats]
        for key, seat in zip(keys, seats, strict=True):
            if seat["rating_before"] is not None:
                before = (seat["rating_before"], seat["deviation_before"])
                taken += known.get(key, NEWCOMER) != before
                known[key] = before
        skills = [known[key] for key in keys]
        ranks = [seat["rank"] for seat in seats]
        if result["reason"] == "missed":  # a loss of the one seat with a rank, behind all
            order = sorted(range(len(seats)), key=lambda at: (seats[at] in ranked, -skills[at][0]))
            ranks = [order.index(at) for at in range(len(seats))]
        after = rate(skills, ranks)
        for key, seat, skill in zip(keys, seats, after, strict=True):
            if seat in ranked:
                known[key] = skill
                if skill != (seat["rating_after"], seat["deviation_after"]):
                    wrong.add(result["result_number"])
    return known, taken, sorted(wrong)


def results_of(file):
    """Return the results in an export; ends with a sentence if there are none."""
    try:
        lines = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        sys.exit(f"{file} can't be read as an export of results: {error}")
    results = [line for line in lines if isinstance(line, dict) and "seats" in line]
    return results or sys.exit(f"{file} has no results: take the answer of {EXPORT}")


def main():
    if len(sys.argv) != 2:
        sys.exit(f"Name one file: python fold_ratings.py FILE, with the answer of {EXPORT}")
    known, taken, wrong = fold(results_of(sys.argv[1]))
    for (size, bot, version), (rating, deviation) in sorted(known.items()):
        print(f"{size} seats, bot {bot}, {version}: {rating / 1000} +- {deviation / 1000}")
    print(f"{taken} ratings were changed between matches; results that differ: {wrong or 'none'}")


if __name__ == "__main__":
    main()
