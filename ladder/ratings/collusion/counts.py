"""Read what is counted of each pair: points, tributes and faults, beside the expected ones."""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import MeetingTally, Strength, Version
from ladder.ratings.plackett_luce import Floats, Ints
from ladder.ratings.stored import Numbers, numbers


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Count what a bot got at its tables with another one.

    * `points`: one for each better rank, half for a tie. `expected_points` follows from today's
      strengths, or from the ratings of the time if a strength is unknown.
    * `tributes`: things that the bot took from the other one by El Zorro. `expected_tributes`
      follows from what it took from all others.
    * `faults`: the bot's own. `expected_faults` follows from those at tables without the other.
    """

    games: int
    points: float
    expected_points: float
    tributes: int
    expected_tributes: float
    faults: int
    expected_faults: float


def pair_counts(session: Session, seats: int) -> dict[tuple[int, int], PairCounts]:
    """Return the counts by bot and opponent on the ladder of tables with `seats` seats."""
    rows = _meetings(session, seats)
    if not len(rows):
        return {}
    bots, others, games, half_points, expected_milli, tributes, faults = rows.T
    chances = _chances(bots, others, _strengths(session, seats))
    points = np.where(np.isnan(chances), expected_milli / 1000, games * chances)
    columns = (
        games.tolist(),
        (half_points / 2).tolist(),
        points.tolist(),
        tributes.tolist(),
        _elsewhere(bots, games, tributes).tolist(),
        faults.tolist(),
        _elsewhere(bots, games, faults).tolist(),
    )
    sides = zip(bots.tolist(), others.tolist(), strict=True)
    return {pair: PairCounts(*counts) for pair, *counts in zip(sides, *columns, strict=True)}


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


def _elsewhere(bots: Ints, games: Ints, counted: Ints) -> Floats:
    """Return the count that a bot's meetings with all others predict; its own if there are none."""
    all_counted = np.bincount(bots, counted)[bots]
    other_games = np.bincount(bots, games)[bots] - games
    share = np.divide(games, other_games, out=np.zeros(len(games)), where=other_games > 0)
    found: Floats = np.where(other_games > 0, (all_counted - counted) * share, counted)
    return found
