"""Find pairs of bots whose results against each other are unusual: a sign of collusion.

It is only a sign: a style may do well against another one, and among many pairs some differ by
chance. (Bots of one author don't meet on the ladder unless the operator allows it.)
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import Bot, MeetingTally, Strength, Version
from ladder.ratings.plackett_luce import Floats, Ints
from ladder.ratings.stored import Numbers, numbers

FEWEST: Final = 20
"""Pairs with fewer games are not judged."""

_SIGNS: Final = 3  # points, tributes, faults
_FALSE_ALARMS: Final = 0.01  # part of the ladders with a false alarm, if all is chance
_LEAST: Final = 4.0  # deviations: few games scatter more widely than the normal distribution


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The results of a bot against another at their common tables, beside the expected ones.

    * `points`: one for each better rank, half for a tie. `expected_points` follows from the ratings
      of the time or from today's strengths, whichever gives more: ratings lag behind a new bot, and
      strengths know nothing of older versions.
    * `tributes`: things that the bot took from the other one by El Zorro. `expected_tributes`
      follows from what it took from all others.
    * `faults`: the bot's own. `expected_faults` follows from those at tables without the other.
    * `suspicion`: the largest of the three differences in standard deviations; see `remarkable`.
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
    """Return the suspicion from which a pair's games are worth a look on a ladder of `bots` bots.

    This is Bonferroni's correction for all signs of all pairs, both ways: 4 for a few bots, 5 for
    100.
    """
    looks = max(1, _SIGNS * bots * (bots - 1))
    return max(_LEAST, NormalDist().inv_cdf(1 - _FALSE_ALARMS / looks))


def pairs(session: Session, seats: int, *, limit: int = 100) -> list[PairRecord]:
    """Find the most suspicious pairs at tables of one size, each from the side that stands out."""
    rows = _meetings(session, seats)
    if not len(rows):
        return []
    judged = _Judged(rows, _strengths(session, seats))
    order = np.lexsort([rows[:, 1], rows[:, 0], -judged.suspicion])
    order = order[rows[order, 2] >= FEWEST][:limit]
    names = _names(session, {int(bot) for bot in rows[order, :2].ravel()})
    return [_record(rows[one].tolist(), judged, int(one), names) for one in order]


class _Judged:
    """The expected values for each row of meetings, and how far the real ones are from them."""

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


def _meetings(session: Session, seats: int) -> Numbers:
    met = MeetingTally
    counts = met.games, met.half_points, met.expected_milli, met.tributes, met.faults
    return numbers(session, select(met.bot_id, met.opponent_id, *counts).where(met.seats == seats))


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

    Both counts are taken as Poisson-distributed. If the bot has met no others, the count itself is
    what is expected.
    """
    all_counted = np.bincount(bots, counted)[bots]
    other_games = np.bincount(bots, games)[bots] - games
    share = np.divide(games, other_games, out=np.zeros(len(games)), where=other_games > 0)
    expected: Floats = np.where(other_games > 0, (all_counted - counted) * share, counted)
    # Counts one more than was seen, so that a first fault does not stand out.
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
