"""Measure how often the intervals contain the truth: `python -m benchmarks calibration`.

Two worlds. In the plain one results follow the model, and the truth is what they were drawn from.
In the full one they also hang on seat, on the bot before, on the layout that a deal shares; there
are ties, faults, and three bots that beat one another in a circle. There is then no number that
decides all results; the truth of a league are the strengths that the model would come to if each
of its deals were played over and over on ever new layouts, made here by playing all of them 50
times. Both are differences from the mean of the ladder. Our own matchmaker draws the tables, from
what is known at the time, and a quarter of the bots come late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from benchmarks._worlds import World, full_world, plain_world, play, play_league, together
from ladder.ratings import elo
from ladder.ratings.elo import POINTS
from ladder.ratings.plackett_luce import Floats, Rankings, strengths

LEAGUES: Final = 200
_BOTS: Final = 16
_DEALS_OF_A_BOT: Final = 30
_REPLAYS: Final = 50
_ELO: Final = POINTS / 1000

Draw = Callable[[np.random.Generator, int, int], World]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the true strength was inside, with the Monte-Carlo error, clustered by league.

    `reach` is the mean half width, `off` and `elo_off` how far strength and Elo are from the truth
    (root of the mean square); all in Elo points.
    """

    inside: float
    error: float
    reach: float
    off: float
    elo_off: float


def main() -> None:
    """Print the coverage for each world and table size."""
    print(f"{LEAGUES} leagues of {_BOTS} bots, some {_DEALS_OF_A_BOT} deals a bot")
    for name, draw in (("plain", plain_world), ("full", full_world)):
        for size in (2, 3, 4):
            found = coverage(draw, size, leagues=LEAGUES)
            print(
                f"{name:>6}, {size} seats: {found.inside:.1%} +- {1.96 * found.error:.1%} inside; "
                f"half width {found.reach:.0f}, off the truth {found.off:.0f}, "
                f"Elo off {found.elo_off:.0f}",
                flush=True,
            )


def coverage(
    draw: Draw, size: int, *, leagues: int, bots: int = _BOTS, deals: int = _DEALS_OF_A_BOT
) -> Coverage:
    """The figures of all bots of all leagues. `deals`: the mean number of a bot's deals."""
    one = partial(_league, draw, size, bots, deals * bots // size)
    found = np.array([one(seed) for seed in range(leagues)])
    inside, reach, square, elo_square = found.T
    return Coverage(
        inside=float(inside.mean()),
        error=float(inside.std(ddof=1) / np.sqrt(leagues)),
        reach=float(reach.mean()),
        off=float(np.sqrt(square.mean())),
        elo_off=float(np.sqrt(elo_square.mean())),
    )


def _league(
    draw: Draw, size: int, bots: int, deals: int, seed: int
) -> tuple[float, float, float, float]:
    rng = np.random.default_rng([seed, size])
    world = draw(rng, bots, size)
    league = play_league(world, seed, deals)
    found = strengths(league.matches)
    if draw is plain_world:
        truth = world.strength - world.strength.mean()
    else:
        again = [play(world, rng, league.tables) for _ in range(_REPLAYS)]
        truth = strengths(together(again)).middle
    missed = found.middle - truth
    elo_missed = _elo(league.matches) - truth
    return (
        float((np.abs(missed) <= found.reach).mean()),
        float(_ELO * found.reach.mean()),
        float(_ELO**2 * (missed**2).mean()),
        float(_ELO**2 * (elo_missed**2).mean()),
    )


def _elo(matches: Rankings) -> Floats:
    """Return the ratings after all matches (by deals) as differences from their mean."""
    skills = [elo.NEWCOMER] * matches.count
    for number in np.argsort(matches.deals, kind="stable"):
        table, ranks = matches.players[number].tolist(), matches.ranks[number].tolist()
        found = elo.rate([skills[bot] for bot in table], ranks)
        for bot, skill in zip(table, found, strict=True):
            skills[bot] = skill
    ratings = np.array([skill.rating for skill in skills], dtype=np.float64) / POINTS
    mean = float(ratings.mean())
    return ratings - mean
