"""Read the judged pairs of a ladder from its newest games."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from ladder.model import Bot, Favours, Match, MeetingTally, Seat, Strength, Version
from ladder.ratings.collusion import favours
from ladder.ratings.collusion.evidence import decision_signs, results_signs
from ladder.ratings.collusion.favours import VERSION, FavourKind
from ladder.ratings.collusion.signs import Seen
from ladder.ratings.collusion.verdicts import Verdicts, verdicts
from ladder.ratings.elo import POINTS
from ladder.ratings.plackett_luce import Floats, Ints, Rankings
from ladder.ratings.stored import Numbers, counts_on_ladder, numbers, stored_strengths

NEWEST: Final = 50_000
"""How many of a ladder's newest rated games are judged."""


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


def pair_counts(
    session: Session, seats: int, wanted: Sequence[tuple[int, int]]
) -> list[PairCounts]:
    """Return the counts of these pairs, each a bot and an opponent that it has met.

    A large ladder has a million pairs: counts are computed for all of them, objects made for few.
    """
    rows = _meetings(session, seats)
    bots, others, games, half_points, expected_milli, tributes, faults = rows.T
    at = _rows_of(wanted, bots, others)
    strengths = _counted_strengths(session, seats)
    chances = _chances(bots[at], others[at], strengths)
    columns = (
        games[at],
        half_points[at] / 2,
        np.where(np.isnan(chances), expected_milli[at] / 1000, games[at] * chances),
        tributes[at],
        _elsewhere(bots, games, tributes)[at],
        faults[at],
        _elsewhere(bots, games, faults)[at],
    )
    return [PairCounts(*counts) for counts in zip(*(one.tolist() for one in columns), strict=True)]


@dataclass(frozen=True, slots=True)
class PairRecord(PairCounts):
    """One bot (the friend) and what it got from another (the helper), and how unusual that is.

    The signs are deviations: in an honest pair as far from 0 as a standard normal variable, or
    nearer; positive if the opponent helps. `against`: its own rank at their tables; `beside`: the
    bot's rank among the others there; `gifts`: what its favours of the kind `kind` gave the bot,
    `paid`: what they cost it for that. None stands for what can't be judged. `suspicion` is the
    larger sign of the results. `noted` and `shown` are the judgement, see `verdicts`.
    """

    bot_id: int
    name: str
    opponent_id: int
    opponent: str
    suspicion: float
    against: float = 0.0
    beside: float | None = None
    gifts: float | None = None
    paid: float | None = None
    kind: str | None = None
    noted: bool = False
    shown: bool = False


def pairs(session: Session, seats: int, *, limit: int = 100) -> list[PairRecord]:
    """Judge the pairs at tables of one size: first those that are shown, then those by results.

    Reads tens of thousands of games, which takes seconds: the report does it (see `fairness`).
    """
    strengths = stored_strengths(session, seats)
    rows = _rated_by(strengths, _results(session, seats), seats)
    if not len(rows):
        return []
    bots = np.unique(rows[:, 1])
    by_results = _by_results(rows, bots, seats, strengths)
    found = verdicts(by_results, _by_decisions(session, seats, bots))
    return _records(session, seats, bots, found, limit)


def _meetings(session: Session, seats: int) -> Numbers:
    met = MeetingTally
    counts = met.games, met.half_points, met.expected_milli, met.tributes, met.faults
    return numbers(session, select(met.bot_id, met.opponent_id, *counts).where(met.seats == seats))


def _rows_of(wanted: Sequence[tuple[int, int]], bots: Ints, others: Ints) -> Ints:
    """Return the number of each wanted pair's row."""
    width = int(others.max(initial=0)) + 1
    keys = bots * width + others
    order = np.argsort(keys)
    looked_for = np.array(wanted, np.int64).reshape(-1, 2) @ np.array([width, 1])
    found: Ints = order[np.searchsorted(keys, looked_for, sorter=order)]
    return found


def _chances(bots: Ints, others: Ints, strengths: dict[int, int]) -> Floats:
    """Return the chance of a bot to rank before another; NaN if a strength is unknown."""
    own, theirs = (
        np.array([strengths.get(bot, np.nan) for bot in side.tolist()]) for side in (bots, others)
    )
    chances: Floats = 1 / (1 + np.power(10, (theirs - own) / 400_000))
    return chances


def _counted_strengths(session: Session, seats: int) -> dict[int, int]:
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


def _results(session: Session, seats: int) -> Numbers:
    """Return deal, bot, version and rank of all seats in the newest matches: (seats, 4)."""
    newest = _newest(seats).limit(NEWEST).subquery()
    query = (
        select(newest.c.deal_id, Seat.bot_id, Seat.version_id, Seat.rank)
        .join(newest, newest.c.id == Seat.match_id)
        .order_by(Seat.match_id, Seat.seat)
    )
    return numbers(session, query)


def _rated_by(strengths: dict[int, int], rows: Numbers, seats: int) -> Numbers:
    """Leave out the matches of versions without a strength."""
    known = np.isin(rows[:, 2], np.array(sorted(strengths), np.int64)).reshape(-1, seats)
    return rows[np.repeat(known.all(axis=1), seats)]


def _by_results(rows: Numbers, bots: Ints, seats: int, strengths: dict[int, int]) -> list[Seen]:
    versions, first, numbered = np.unique(rows[:, 2], return_index=True, return_inverse=True)
    matches = Rankings(
        players=numbered.reshape(-1, seats),
        ranks=rows[:, 3].reshape(-1, seats),
        deals=np.unique(rows[::seats, 0], return_inverse=True)[1],
        count=len(versions),
    )
    theta = np.array([strengths[one] for one in versions.tolist()]) / POINTS
    of_version = np.searchsorted(bots, rows[first, 1])
    return results_signs(matches, theta - theta.mean(), of_version, len(bots))


def _by_decisions(session: Session, seats: int, bots: Ints) -> list[list[Seen]]:
    """See what decisions gave others in the evaluated games of these bots."""
    newest = (
        _newest(seats)
        .join(Favours, Favours.match_id == Match.id)
        .where(Favours.version == VERSION, Favours.milli != "")
        .add_columns(Favours.milli)
        .limit(favours.NEWEST)
        .subquery()
    )
    query = (
        select(newest.c.deal_id, newest.c.milli, Seat.bot_id)
        .join(newest, newest.c.id == Seat.match_id)
        .order_by(Seat.match_id, Seat.seat)
    )
    rows = session.execute(query).all()
    tables = np.array([row.bot_id for row in rows], np.int64).reshape(-1, seats)
    known = np.isin(tables, bots).all(axis=1)
    if not known.any():
        return []
    games = rows[::seats]
    deals = np.array([row.deal_id for row in games], np.int64)[known]
    given = np.array([favours.parse(row.milli, seats) for row in games])[known]
    numbered = np.searchsorted(bots, tables[known])
    return decision_signs(np.unique(deals, return_inverse=True)[1], numbered, given, len(bots))


def _newest(seats: int) -> Select[int, int]:
    counted = select(Match.id, Match.deal_id).where(counts_on_ladder(seats))
    return counted.order_by(Match.id.desc())


def _records(
    session: Session, seats: int, bots: Ints, found: Verdicts, limit: int
) -> list[PairRecord]:
    suspicion = found.results.max(axis=1)
    order = np.lexsort([found.friends, found.helpers, -suspicion, ~found.shown])[:limit]
    friends, helpers = bots[found.friends[order]].tolist(), bots[found.helpers[order]].tolist()
    counts = pair_counts(session, seats, list(zip(friends, helpers, strict=True)))
    named = select(Bot.id, Bot.name).where(Bot.id.in_({*friends, *helpers}))
    names = dict(session.execute(named).all())
    records = []
    for one, friend, helper, counted in zip(order.tolist(), friends, helpers, counts, strict=True):
        gifts, paid, kind = _largest(found.gifts[one], found.paid[one])
        records.append(
            PairRecord(
                **asdict(counted),
                bot_id=friend,
                name=names[friend],
                opponent_id=helper,
                opponent=names[helper],
                suspicion=float(suspicion[one]),
                against=float(found.results[one, 0]),
                beside=float(found.results[one, 1]) if seats > 2 else None,
                gifts=gifts,
                paid=paid,
                kind=kind,
                noted=bool(found.noted[one]),
                shown=bool(found.shown[one]),
            )
        )
    return records


def _largest(gifts: Floats, paid: Floats) -> tuple[float | None, float | None, str | None]:
    """Return the deviations of the kind of favour whose smaller one is largest, and its name."""
    smaller = np.minimum(gifts, paid)
    if np.isnan(smaller).all():
        return None, None, None
    kind = FavourKind(int(np.nanargmax(smaller)))
    return float(gifts[kind]), float(paid[kind]), kind.name.lower()
