"""Measure how fair a ladder was: seats, neighbours, games, misses, waiting times and workers.

The data are the tallies, which each result updates, and the newest matches. A report puts all of it
together and is stored: making one takes longer the more matches a ladder has, reading it takes one
row.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import sqrt
from typing import Any, Final, TypeVar

import numpy as np
from pydantic import TypeAdapter
from sqlalchemy import func, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder import model
from ladder.ratings.agreement import Agreement, agreement
from ladder.ratings.collusion import PairRecord, evaluate_newest, pairs
from ladder.ratings.habits import Habits, habits
from ladder.ratings.ledger import newest
from ladder.ratings.refolding import take_snapshot
from ladder.ratings.setbacks import BotInterruptions, BotMisses, interruptions, misses
from ladder.ratings.stored import numbers
from ladder.ratings.tallies import TWELFTHS

NEWEST: Final = 10_000
"""Number of newest finished matches from which workers and interruptions are measured."""
_WAITS: Final = 1_000
"""Number of newest matches from which waiting is measured: to read times takes long."""
ENDS: Final = 8
"""Rows that a report takes from the start and from the end of a long list."""
_PAIRS: Final = 20
_OUTDATED: Final = -1  # no result has this number
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class SeatShare:
    """Wins of one seat; a shared win is a part of one. `expected`: its wins if seats were equal."""

    seat: int
    games: int
    wins: float
    expected: float


@dataclass(frozen=True, slots=True)
class NeighbourShare:
    """The results of the bots that moved right after this one, over all its games.

    `expected` is how often the same bots win wherever this one sits at the table: the wins that it
    leaves to others, shared out by how often each of them wins on the ladder. `z` is the difference
    from that in standard deviations. At tables of two every bot moves after every other, so there
    is nothing to compare.
    """

    bot_id: int
    name: str
    games: int
    wins: float
    expected: float
    z: float


@dataclass(frozen=True, slots=True)
class BotGames:
    """The number of rated games that all versions of a bot have played on a ladder."""

    bot_id: int
    name: str
    author: str
    games: int


@dataclass(frozen=True, slots=True)
class QueueWait:
    """Seconds from the creation of a ladder match to the start of its last attempt."""

    matches: int
    median: float
    most: float
    """95 % of the matches waited no longer."""


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """A worker's matches: seats played, faults among them, and the lag of its event loop."""

    name: str
    matches: int
    seats: int
    faults: int
    lag_ms: int | None
    """The longest lag of any match."""
    mean_lag_ms: float | None


@dataclass(frozen=True, slots=True)
class LadderReport:
    """How fair the ladder of one table size was.

    `before` lists the bots that are best to move behind, then those that are worst; `games` lists
    the bots with the fewest games, then those with the most; `bots` counts all that have played.
    `missed` lists the bots that missed most, `interrupted` those whose matches were interrupted
    most. `workers` are those of all table sizes together.
    """

    seats: int
    by_seat: tuple[SeatShare, ...]
    before: tuple[NeighbourShare, ...]
    games: tuple[BotGames, ...]
    bots: int
    queue_wait: QueueWait | None
    workers: tuple[WorkerRecord, ...]
    pairs: tuple[PairRecord, ...]
    missed: tuple[BotMisses, ...] = ()
    interrupted: tuple[BotInterruptions, ...] = ()
    habits: Habits | None = None
    """Its players' habits; None in a report from before they were counted."""
    agreement: Agreement | None = None
    """None if no placed bot has a strength yet."""


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report and the time when it was computed."""

    report: LadderReport
    computed_at: datetime


_REPORT: Final = TypeAdapter(LadderReport)
_STORED: Final = model.Upsert(
    model.FairnessReport, replace=("report", "last_result", "computed_at")
)


def by_seat(session: Session, seats: int) -> list[SeatShare]:
    """Read the wins by seat on the ladder of tables with `seats` seats."""
    found = _wins_by(session, model.SeatTally.seat, seats)
    return [SeatShare(seat, games, wins, games / seats) for seat, games, wins in found]


def by_neighbour(session: Session, seats: int) -> list[NeighbourShare]:
    """Measure what it is worth to move behind each bot; the best one to follow comes first."""
    tally = model.NeighbourTally
    query = select(tally.bot_id, tally.before_id, tally.games, tally.win_twelfths)
    bots, before, games, twelfths = numbers(session, query.where(tally.seats == seats)).T
    rates = _win_rates(session, seats)
    beside = _weight_beside(session, seats, rates)
    rate = np.array([rates[bot] for bot in bots.tolist()])
    totals = [np.bincount(before, weights).tolist() for weights in (games, twelfths, games * rate)]
    sums: dict[int, tuple[float, float, float]] = {}
    for before_id in np.unique(before).tolist():
        played, won, weight = (total[before_id] for total in totals)
        # The wins that the bot before leaves to the others at its tables, shared out by how often
        # each of them wins; the bots behind it get their part.
        left = played * (1 - rates[before_id])
        expected = weight * left / beside[before_id] if beside[before_id] else 0.0
        sums[before_id] = played, won / TWELFTHS, expected
    names = dict(
        session.execute(select(model.Bot.id, model.Bot.name).where(model.Bot.id.in_(sums))).all()
    )
    found = [
        NeighbourShare(bot, names[bot], int(played), wins, expected, _z(wins, expected, played))
        for bot, (played, wins, expected) in sums.items()
    ]
    return sorted(found, key=lambda one: (-one.z, one.bot_id))


def games_per_bot(session: Session, seats: int) -> list[BotGames]:
    """Count the rated games of each bot on one ladder, the fewest first."""
    query = (
        select(
            model.Bot.id,
            model.Bot.name,
            model.User.name,
            func.sum(model.SeatTally.games).label("games"),
        )
        .join(model.Bot, model.Bot.id == model.SeatTally.bot_id)
        .join(model.User, model.User.id == model.Bot.user_id)
        .where(model.SeatTally.seats == seats)
        .group_by(model.Bot.id, model.Bot.name, model.User.name)
        .order_by("games", model.Bot.id)
    )
    return [
        BotGames(bot_id, name, author, int(games))
        for bot_id, name, author, games in session.execute(query)
    ]


def queue_wait(session: Session, seats: int) -> QueueWait | None:
    """Measure how long the newest ladder matches waited; None if none has finished."""
    query = (
        select(model.Match.created_at, model.Match.started_at)
        .where(
            model.Match.state == model.MatchState.FINISHED,
            model.Match.kind == "ladder",
            model.Match.rated,
            model.Match.seats == seats,
            model.Match.started_at.is_not(None),
        )
        .order_by(model.Match.id.desc())
        .limit(_WAITS)
    )
    waits = [_seconds(made, started) for made, started in session.execute(query)]
    if not waits:
        return None
    median, most = np.quantile(waits, [0.5, 0.95])
    return QueueWait(len(waits), float(median), float(most))


def workers(session: Session) -> list[WorkerRecord]:
    """Read the record of each worker in the newest finished matches, by name."""
    newest = (
        select(model.Match.id, model.Match.claimed_by, model.Match.lag_ms)
        .where(model.Match.state == model.MatchState.FINISHED, model.Match.claimed_by.is_not(None))
        .order_by(model.Match.id.desc())
        .limit(NEWEST)
        .subquery()
    )
    faults = (
        select(
            newest.c.claimed_by, func.count(), func.count(func.nullif(model.Seat.fault, "absent"))
        )
        .join(model.Seat, model.Seat.match_id == newest.c.id)
        .group_by(newest.c.claimed_by)
    )
    seated = {name: (seats, faulted) for name, seats, faulted in session.execute(faults)}
    lags = (
        select(
            newest.c.claimed_by, func.count(), func.max(newest.c.lag_ms), func.avg(newest.c.lag_ms)
        )
        .group_by(newest.c.claimed_by)
        .order_by(newest.c.claimed_by)
    )
    return [
        WorkerRecord(
            name, matches, *seated.get(name, (0, 0)), lag, None if mean is None else float(mean)
        )
        for name, matches, lag, mean in session.execute(lags)
    ]


def _seconds(made: datetime, started: datetime | None) -> float:
    assert started is not None
    return (started - made).total_seconds()


def _win_rates(session: Session, seats: int) -> dict[int, float]:
    """Return the share of its games that each bot has won."""
    found = _wins_by(session, model.SeatTally.bot_id, seats)
    return {bot_id: wins / games for bot_id, games, wins in found}


def _wins_by(
    session: Session, column: InstrumentedAttribute[int], seats: int
) -> list[tuple[int, int, float]]:
    """Return the games and the wins on a ladder by a column of its tallies, in its order."""
    tally = model.SeatTally
    query = (
        select(column, func.sum(tally.games), func.sum(tally.win_twelfths))
        .where(tally.seats == seats)
        .group_by(column)
        .order_by(column)
    )
    return [(key, int(games), int(wins) / TWELFTHS) for key, games, wins in session.execute(query)]


def _weight_beside(session: Session, seats: int, rates: dict[int, float]) -> dict[int, float]:
    """Sum up for each bot the win rates of those at its tables, over their games there."""
    met = select(
        model.MeetingTally.bot_id, model.MeetingTally.opponent_id, model.MeetingTally.games
    )
    bots, others, games = numbers(session, met.where(model.MeetingTally.seats == seats)).T
    weights = np.bincount(bots, games * np.array([rates.get(bot, 0.0) for bot in others.tolist()]))
    return dict(enumerate(weights.tolist()))


def _z(wins: float, expected: float, games: float) -> float:
    chance = min(max(expected / games, 0.0), 1.0)
    variance = games * chance * (1 - chance)
    return (wins - expected) / sqrt(variance) if variance > 0 else 0.0


def make(session: Session, seats: int) -> LadderReport:
    """Compute the report on the ladder as it is now."""
    games = games_per_bot(session, seats)
    before = by_neighbour(session, seats) if seats > 2 else []
    return LadderReport(
        seats=seats,
        by_seat=tuple(by_seat(session, seats)),
        before=_ends(before),
        games=_ends(games),
        bots=len(games),
        queue_wait=queue_wait(session, seats),
        workers=tuple(workers(session)),
        pairs=tuple(pairs(session, seats, limit=_PAIRS)),
        missed=tuple(misses(session, seats)),
        interrupted=tuple(interruptions(session, seats, newest_of=NEWEST)),
        habits=habits(session, seats),
        agreement=agreement(session, seats),
    )


def refresh(session: Session, seats: int) -> bool:
    """Compute and store the report; return False if there is no new result since the last one.

    Reads in one transaction, which it ends, then writes; the caller commits. So the session must
    not be used for anything else.
    """
    session.rollback()
    take_snapshot(session)  # else a result between two statements would fit neither
    model.take_your_time(session)  # on a large ladder more than the server's patience
    last = newest(session)
    known = session.scalar(
        select(model.FairnessReport.last_result).where(model.FairnessReport.seats == seats)
    )
    report = None if last == (known or 0) else make(session, seats)
    session.rollback()
    if report is None:
        return False
    model.write(session)
    row = {
        "seats": seats,
        "report": json.dumps(_without_authors(report)),
        "last_result": last,
        "computed_at": model.now(session),
    }
    _STORED.put(session, row)
    return True


def evaluate(session: Session, seats: int) -> None:
    """Evaluate the decisions of some more games, and let the report be computed anew.

    Reads in one transaction, which it ends, then writes; the caller commits.
    """
    if evaluate_newest(session, seats):
        report = model.FairnessReport
        session.execute(update(report).where(report.seats == seats).values(last_result=_OUTDATED))


def newest_report(session: Session, seats: int) -> StoredReport | None:
    """Read the newest report; None if there is none yet."""
    row = session.get(model.FairnessReport, seats, populate_existing=True)
    if row is None:
        return None
    fields: dict[str, Any] = json.loads(row.report)
    _add_authors(session, fields["games"])
    return StoredReport(_REPORT.validate_python(fields), row.computed_at)


def _without_authors(report: LadderReport) -> dict[str, Any]:
    """Leave out the authors' names: nothing may remain here of a person who leaves."""
    fields = asdict(report)
    for row in fields["games"]:
        del row["author"]
    return fields


def _add_authors(session: Session, games: list[dict[str, Any]]) -> None:
    """Add the current names of the authors."""
    listed = model.Bot.id.in_([row["bot_id"] for row in games])
    query = select(model.Bot.id, model.User.name).join(model.Bot.user).where(listed)
    names = dict(session.execute(query).all())
    for row in games:
        row["author"] = names[row["bot_id"]]


def _ends(rows: Sequence[_Row]) -> tuple[_Row, ...]:
    """Return all of a short list, the first and last ENDS of a long one."""
    return tuple(rows) if len(rows) <= 2 * ENDS else (*rows[:ENDS], *rows[-ENDS:])
