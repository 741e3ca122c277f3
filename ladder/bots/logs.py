"""Show an author a bot at a glance, and its log: how the referee saw it in each match."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, and_, bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import profiles
from ladder.bots.own import bot_row
from ladder.bots.profiles import LadderPlace
from ladder.matches.listing import newest_results
from ladder.matches.reading import ABSENT, MISSED
from ladder.model import MATCH_OVER, Bot, Match, MatchState, Replay, Seat, SeatOutput, Version
from ladder.people.accounts import Account
from ladder.ratings.histories import trends
from ladder.ratings.standings import CachedByResult
from referee.errors import ReplayError
from referee.fault_reports import FaultReport, fault_reports
from referee.replay import read

MOST: Final = 200
"""How many entries a page holds at most."""

RESULTS: Final = 10
"""How many of a bot's newest results are shown."""
_MOST_OPEN: Final = 2_000
"""How many of the newest open matches are looked through."""
_RESULT_SEATS: Final = (
    select(
        Seat.match_id,
        Match.reason,
        *(Seat.bot_id, Bot.name, Seat.rank, Seat.vp, Seat.fault),  # as in ResultSeat
        Seat.fault_sentence,
    )
    .join(Match, Match.id == Seat.match_id)
    .join(Bot, Bot.id == Seat.bot_id)
    .where(Seat.match_id.in_(bindparam("ids", expanding=True)))
    .order_by(Seat.match_id, Seat.seat)
)
_ANNULLED: Final = (
    select(Match.id)
    .where(Match.id.in_(bindparam("ids", expanding=True)), Match.annulled_at.is_not(None))
    .order_by(Match.id)
)
_CACHED_TRENDS: Final = CachedByResult[Mapping[int, Mapping[int, Sequence[int]]]](most=256)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A match that is over. Whatever was not measured, or did not happen, is None."""

    match_id: int
    kind: str
    state: MatchState
    rated: bool
    reason: str | None
    version: str
    seat: int
    """Counts from 0."""
    rank: int | None
    vp: int | None
    fault: str | None
    """Its stable code."""
    fault_sentence: str | None
    """The referee's explanation, or why the bot could not be reached."""
    received: str | None
    """The first bytes of the message that broke the protocol, as text."""
    decisions: int | None
    think_ms: int | None
    """For all decisions together, by the referee's clock."""
    longest_ms: int | None
    """For the longest of them."""
    finished_at: datetime | None
    opponents: tuple[str, ...]
    """The others at the table, by seat, with their versions."""
    fault_report: FaultReport | None
    """All about its fault: the decision, the step in the replay, what was received, the clock."""
    peak_memory: int | None = None
    """In bytes, of a hosted bot; so for the next two."""
    cpu_ms: int | None = None
    """For all decisions together."""
    wrote: int | None = None
    """How many bytes are kept of its stdout and stderr; `uploads.of_match` returns them."""
    annul_reason: str | None = None
    """Why its result was taken back."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """Entries, newest first; `next_before` asks for the page after it, None on the last."""

    entries: tuple[LogEntry, ...]
    next_before: int | None


def log(
    session: Session,
    account: Account,
    bot_id: int,
    *,
    before: int | None = None,
    limit: int = 50,
    faults_only: bool = False,
) -> LogPage:
    """Return the newest matches of an own bot with lower ids than `before`. Raises NotFound."""
    bot = bot_row(session, account, bot_id)
    limit = max(1, min(limit, MOST))
    query = _played(bot.id).where(model.below(Seat.match_id, before)).limit(limit + 1)
    if faults_only:
        query = query.where(Seat.fault != ABSENT)
    rows = session.execute(query).all()
    others = _others(session, bot.id, [row.match_id for row in rows[:limit]])
    reports = _reports(session, {row.match_id: row.seat for row in rows[:limit] if row.fault})
    shown = tuple(
        LogEntry(
            **{**row._mapping, "version": model.submitted_name(row.version)},
            opponents=tuple(others[row.match_id]),
            fault_report=reports.get(row.match_id),
        )
        for row in rows[:limit]
    )
    return LogPage(shown, shown[-1].match_id if len(rows) > limit else None)


def _played(bot_id: int) -> Select[*tuple[Any, ...]]:
    """Select what a log says of a bot's seats in matches that are over, the newest first."""
    wrote = func.length(SeatOutput.output) + func.length(SeatOutput.errors)
    columns = (
        Seat.match_id,
        Match.kind,
        Match.state,
        Match.rated,
        Match.reason,
        Version.name.label("version"),
        Seat.seat,
        Seat.rank,
        Seat.vp,
        Seat.fault,
        Seat.fault_sentence,
        Seat.received,
        Seat.decisions,
        Seat.think_ms,
        Seat.longest_ms,
        Match.finished_at,
        Match.annul_reason,
        SeatOutput.peak_memory,
        SeatOutput.cpu_ms,
        wrote.label("wrote"),
    )
    own = and_(SeatOutput.match_id == Seat.match_id, SeatOutput.seat == Seat.seat)
    return (
        select(*columns)
        .join(Match, Match.id == Seat.match_id)
        .join(Version, Version.id == Seat.version_id)
        .outerjoin(SeatOutput, own)
        .where(Seat.bot_id == bot_id, Match.state.in_(MATCH_OVER))
        .order_by(Seat.match_id.desc())
    )


class ResultSeat(NamedTuple):
    """A seat of a match that is over; `fault` is the stable code of its bot's fault."""

    bot_id: int
    name: str
    rank: int | None
    vp: int | None
    fault: str | None


@dataclass(frozen=True, slots=True)
class RecentResult:
    """A match that a bot has played to its end: its own seat, and the best of the others.

    `reason` says how the match ended, `seats` how many sat there. `sentence` is the referee's
    explanation of the bot's fault; None if it made none. An annulled result does not count.
    """

    match_id: int
    reason: str | None
    seats: int
    own: ResultSeat
    best: ResultSeat | None
    sentence: str | None
    annulled: bool

    @property
    def faulted(self) -> bool:
        """Return True if the bot faulted, or lost since it did not accept the match."""
        missed = self.reason == MISSED and self.own.rank is not None
        return missed or (self.own.fault is not None and self.own.fault != ABSENT)


@dataclass(frozen=True, slots=True)
class Glance:
    """A bot as its author sees it first.

    `trends` holds ratings (milli-Elo) by table size; `open` counts the matches that wait or are
    being played, by kind: all of them, unless there may be `more`. Results with a fault that counts
    come first, then the newest.
    """

    places: tuple[LadderPlace, ...]
    trends: Mapping[int, Sequence[int]]
    results: tuple[RecentResult, ...]
    open: Mapping[str, int]
    more: bool


_CACHED_RESULTS: Final = CachedByResult[dict[int, tuple[RecentResult, ...]]](most=256)


def glances(session: Session, bot_ids: Sequence[int]) -> dict[int, Glance]:
    """Return the bots at a glance, by id."""
    places = profiles.places(session, bot_ids)
    changes = _trends(session, places)
    results = _results(session, bot_ids)
    waiting, more = _open(session, bot_ids)
    return {
        bot_id: Glance(
            places[bot_id], changes.get(bot_id, {}), results[bot_id], waiting[bot_id], more
        )
        for bot_id in bot_ids
    }


def _reports(session: Session, seats: Mapping[int, int]) -> dict[int, FaultReport]:
    """Return the report of the fault at these seats (by match), from the replays.

    They are made anew each time, which takes 2 ms: replays of any age can be read.
    """
    query = select(Replay.match_id, Replay.data).where(Replay.match_id.in_(seats))
    reports: dict[int, FaultReport] = {}
    for match_id, data in session.execute(query):
        with suppress(ReplayError):
            for report in fault_reports(read(data)):
                if report.seat == seats[match_id]:
                    reports[match_id] = report
    return reports


def _others(session: Session, bot_id: int, match_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the others at the table of each match, by its id."""
    query = (
        select(Seat.match_id, Bot.name, Version.name.label("version"))
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id.in_(match_ids), Seat.bot_id != bot_id)
        .order_by(Seat.match_id, Seat.seat)
    )
    others: defaultdict[int, list[str]] = defaultdict(list)
    for row in session.execute(query):
        others[row.match_id].append(f"{row.name} v{model.submitted_name(row.version)}")
    return others


def _trends(
    session: Session, places: Mapping[int, Sequence[LadderPlace]]
) -> Mapping[int, Mapping[int, Sequence[int]]]:
    """Return the newest ratings (milli-Elo) of each bot on its ladders, by bot and size."""
    on = tuple((place.seats, bot_id) for bot_id, own in places.items() for place in own)

    def changed(_last: int) -> Mapping[int, Mapping[int, Sequence[int]]]:
        found: defaultdict[int, dict[int, Sequence[int]]] = defaultdict(dict)
        for seats in sorted({seats for seats, _ in on}):
            bot_ids = [bot_id for size, bot_id in on if size == seats]
            changes = trends(session, seats, bot_ids)
            for bot_id in bot_ids:
                found[bot_id][seats] = changes.get(bot_id, ())
        return found

    return _CACHED_TRENDS.get(session, on, changed)


def _results(session: Session, bot_ids: Sequence[int]) -> dict[int, tuple[RecentResult, ...]]:
    """Return the bots' newest results, those with a fault that counts first."""
    ids = newest_results(session, bot_ids, limit=RESULTS)
    every = tuple(chain(*ids.values()))
    annulled = tuple(session.scalars(_ANNULLED, {"ids": list(set(every))}))

    def read(_last: int) -> dict[int, tuple[RecentResult, ...]]:
        tables: defaultdict[int, list[Any]] = defaultdict(list)
        for row in session.execute(_RESULT_SEATS, {"ids": list(set(every))}):
            tables[row.match_id].append(row)
        return {
            bot_id: tuple(
                sorted(
                    (_result(tables[one], bot_id, annulled=one in annulled) for one in own),
                    key=lambda result: result.annulled or not result.faulted,
                )
            )
            for bot_id, own in ids.items()
        }

    return _CACHED_RESULTS.get(session, tuple(bot_ids), read, last=hash((every, annulled)))


def _result(table: Sequence[Any], bot_id: int, *, annulled: bool) -> RecentResult:
    own = next(row for row in table if row.bot_id == bot_id)
    others = [row for row in table if row is not own and row.rank is not None]
    best = min(others, key=lambda row: row.rank, default=None)
    return RecentResult(
        match_id=own.match_id,
        reason=own.reason,
        seats=len(table),
        own=ResultSeat(*own[2:7]),
        best=None if best is None else ResultSeat(*best[2:7]),
        sentence=own.fault_sentence if own.fault else None,
        annulled=annulled,
    )


def _open(session: Session, bot_ids: Sequence[int]) -> tuple[Mapping[int, Mapping[str, int]], bool]:
    """Count the bots' matches that wait or are being played, by bot and kind.

    Also return True if there are too many of all bots to look through: the counts may be too low.
    """
    newest = (
        select(Match.id, Match.kind)
        .where(Match.state.in_(model.MATCH_UNDER_WAY))
        .order_by(Match.id.desc())
        .limit(_MOST_OPEN)
        .cte()
    )
    query = (
        select(Seat.bot_id, newest.c.kind, func.count())
        .join(newest, newest.c.id == Seat.match_id)
        .where(Seat.bot_id.in_(bot_ids))
        .group_by(Seat.bot_id, newest.c.kind)
    )
    counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for bot_id, kind, count in session.execute(query):
        counts[bot_id][kind] = count
    more = session.scalar(select(func.count()).select_from(newest)) == _MOST_OPEN
    return counts, more
