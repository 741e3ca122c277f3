"""Find pairs of bots whose results against each other are unusual: a sign of collusion.

Only a sign: styles may suit each other, and among many pairs some differ by chance. (Bots of one
author don't meet on the ladder unless the operator allows it.)
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import Bot, Strength, Version
from ladder.ratings.plackett_luce import Floats, Ints
from ladder.ratings.stored import Numbers, numbers

FEWEST: Final = 20
"""Least games of a pair that is judged."""

_SIGNS: Final = 3  # points, tributes, faults
_FALSE_ALARMS: Final = 0.01  # of as many ladders, where nothing but chance is at work
_LEAST: Final = 4.0  # deviations; few games scatter wider than the normal distribution

_QUERY: Final = """
SELECT bot_id, opponent_id, games, half_points, expected_milli, tributes, faults
FROM meetings WHERE seats = {seats}
"""


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The results of a bot against another at their common tables, beside the expected ones.

    `points`: one for each better rank, half for a tie; expected by the ratings of the time or by
    today's strengths, whichever let expect more: ratings lag behind a bot that is new, strengths
    know nothing of older versions.
    `tributes`: what it took from the other by El Zorro; expected by what it took from all others.
    `faults`: its own; expected by its faults at tables without the other. `suspicion` is the
    largest of the three differences, in standard deviations: see `remarkable`.
    """

    bot_id: int
    name: str
    opponent_id: int
    opponent: str
    games: int
    points: float
    expected_points: float
    tributes: int
    expected_tributes: float
    faults: int
    expected_faults: float
    suspicion: float


def remarkable(bots: int) -> float:
    """From how many deviations on a pair is worth a look at its games, on a ladder of so many bots.

    By Bonferroni's correction for all signs of all pairs, both ways: 4 for a few, 5 for 100.
    """
    looks = max(1, _SIGNS * bots * (bots - 1))
    return max(_LEAST, NormalDist().inv_cdf(1 - _FALSE_ALARMS / looks))


def pairs(session: Session, seats: int, *, limit: int = 100) -> list[PairRecord]:
    """The most suspicious pairs at tables of one size, each from the side that stands out."""
    rows = numbers(session, _QUERY.format(seats=seats), 7)
    if not len(rows):
        return []
    judged = _Judged(rows, _strengths(session, seats))
    order = np.lexsort([rows[:, 1], rows[:, 0], -judged.suspicion])
    order = order[rows[order, 2] >= FEWEST][:limit]
    names = _names(session, {int(bot) for bot in rows[order, :2].ravel()})
    return [_record(rows[one].tolist(), judged, int(one), names) for one in order]


class _Judged:
    """The expected values for each row of meetings, and how far off the real ones are."""

    def __init__(self, rows: Numbers, strengths: dict[int, int]) -> None:
        bots, others, games, half_points, expected_milli, tributes, faults = rows.T
        by_strength = games * _chances(bots, others, strengths)
        self.points: Floats = np.fmax(expected_milli / 1000, by_strength)
        chance = np.clip(self.points / np.maximum(games, 1), 0.0, 1.0)
        # Results of one expectation scatter most: this is no smaller than the true variance.
        spread = games * chance * (1 - chance)
        self.tributes, tribute_spread = _elsewhere(bots, games, tributes)
        self.faults, fault_spread = _elsewhere(bots, games, faults)
        self.suspicion: Floats = np.maximum.reduce(
            [
                _deviations(half_points / 2 - self.points, spread),
                _deviations(tributes - self.tributes, tribute_spread),
                _deviations(faults - self.faults, fault_spread),
            ]
        )


def _chances(bots: Ints, others: Ints, strengths: dict[int, int]) -> Floats:
    """Return the chance of a bot to rank before another; NaN if a strength is unknown."""
    own, theirs = (
        np.array([strengths.get(bot, np.nan) for bot in side.tolist()]) for side in (bots, others)
    )
    chances: Floats = 1 / (1 + np.power(10, (theirs - own) / 400_000))
    return chances


def _strengths(session: Session, seats: int) -> dict[int, int]:
    query = (
        select(Version.bot_id, Strength.strength_milli)
        .join(Version, Version.id == Strength.version_id)
        .where(Strength.seats == seats, Version.active)
    )
    return dict(session.execute(query).all())


def _elsewhere(bots: Ints, games: Ints, counted: Ints) -> tuple[Floats, Floats]:
    """Return the count that a bot's meetings with all others predict, and its variance.

    Both sides are counts, taken as Poisson's. Where there are no others, nothing is unexpected.
    """
    all_counted = np.bincount(bots, counted)[bots]
    other_games = np.bincount(bots, games)[bots] - games
    share = np.divide(games, other_games, out=np.zeros(len(games)), where=other_games > 0)
    expected: Floats = np.where(other_games > 0, (all_counted - counted) * share, counted)
    # One count more than was seen, so that a first fault is no wonder.
    return expected, (expected + np.maximum(share, 1e-9)) * (1 + share)


def _deviations(difference: Floats, variance: Floats) -> Floats:
    found: Floats = difference / np.sqrt(np.maximum(variance, 0.25))
    return found


def _record(row: list[int], judged: _Judged, place: int, names: dict[int, str]) -> PairRecord:
    bot, opponent, games, half_points, _, tributes, faults = row
    return PairRecord(
        bot_id=bot,
        name=names[bot],
        opponent_id=opponent,
        opponent=names[opponent],
        games=games,
        points=half_points / 2,
        expected_points=float(judged.points[place]),
        tributes=tributes,
        expected_tributes=float(judged.tributes[place]),
        faults=faults,
        expected_faults=float(judged.faults[place]),
        suspicion=float(judged.suspicion[place]),
    )


def _names(session: Session, bots: set[int]) -> dict[int, str]:
    rows: Any = session.execute(select(Bot.id, Bot.name).where(Bot.id.in_(bots)))
    return dict(rows.all())
