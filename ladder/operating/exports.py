"""Export results and replays in bulk, in the order of their numbers, for research.

Each call reads one batch in a short statement: an export of a million results holds no transaction
open and needs no more memory than one of a hundred.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from ladder.matches import reading
from ladder.model import Bot, EntryKind, Match, RatingChange, Seat, submitted_name
from ladder.ratings import elo
from ladder.ratings.elo import Skill


@dataclass(frozen=True, slots=True)
class ExportedSeat:
    """A seat of an exported result.

    `tributes` is how many things its El Zorro visits took from each seat; None if none. Ratings and
    their deviations before and after the result are in milli-Elo; None if it was not rated. The
    deviation of a `pinned` bot is 0.
    """

    bot_id: int
    bot: str
    author: str
    version: str
    rank: int | None
    vp: int | None
    fault: str | None
    tributes: tuple[int, ...] | None
    rating_before: int | None
    rating_after: int | None
    deviation_before: int | None
    deviation_after: int | None
    pinned: bool


@dataclass(frozen=True, slots=True)
class ExportedResult:
    """A result with its seats in the order of play.

    Matches with the same `deal_id` share the layout. `reason` is ships, turns, forfeit; absent or
    missed if no game was played: of a missed one only the seat that lost it has a rank, and ratings
    after it. Clock times are in milliseconds. An `annulled` result no longer counts.
    """

    result_number: int
    match_id: int
    kind: str
    tournament_id: int | None
    deal_id: int
    rotation: int
    rated: bool
    annulled: bool
    reason: str | None
    move_limit_ms: int
    bank_ms: int
    increment_ms: int
    finished_at: datetime | None
    seats: tuple[ExportedSeat, ...]


@dataclass(frozen=True, slots=True)
class ExportedReplay:
    """The replay file of a result; None if no game was played."""

    result_number: int
    match_id: int
    replay: bytes | None


def results(session: Session, *, after: int, limit: int) -> list[ExportedResult]:
    """Read the next results with numbers above `after`; fewer than `limit` at the end."""
    numbers = _numbers(session, after, limit)
    seats = select(
        Match.result_number,
        Match.id,
        Match.kind,
        Match.tournament_id,
        Match.deal_id,
        Match.rotation,
        Match.rated,
        Match.annulled_at,
        Match.reason,
        Match.move_limit_ms,
        Match.bank_ms,
        Match.increment_ms,
        Match.finished_at,
        Seat.seat,
        Seat.tributes,
    ).join(Seat, Seat.match_id == Match.id)
    query = (
        reading.with_seats(seats)
        .where(Match.result_number.in_([number for number, _ in numbers]))
        .order_by(Match.result_number, Seat.seat)
    )
    others = _beside_missing(session, numbers)
    rows = groupby(session.execute(query), attrgetter("result_number"))
    return [_result(list(table), others) for _, table in rows]


def replays(session: Session, *, after: int, limit: int) -> list[ExportedReplay]:
    """Read the next replay files, without the names of deleted accounts."""
    numbers = _numbers(session, after, limit)
    files = reading.replays(session, [match_id for _, match_id in numbers])
    return [ExportedReplay(number, match_id, files.get(match_id)) for number, match_id in numbers]


def _numbers(session: Session, after: int, limit: int) -> Sequence[tuple[int, int]]:
    """Return (result number, match id) of the next results."""
    query = (
        select(Match.result_number, Match.id)
        .where(Match.result_number > after)
        .order_by(Match.result_number)
        .limit(limit)
    )
    return [(number, match_id) for number, match_id in session.execute(query) if number is not None]


def _beside_missing(
    session: Session, numbers: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], Skill]:
    """Return the ratings, by match and seat, of the bots at tables that one has missed.

    Its loss follows from them, but they do not change, so the ledger has no rows of them there.
    """
    earlier = aliased(RatingChange)
    newest = (
        select(earlier.id)
        .where(
            earlier.bot_id == Seat.bot_id,
            earlier.version_id == Seat.version_id,
            earlier.seats == Match.seats,
            earlier.result_number < Match.result_number,
        )
        .order_by(earlier.result_number.desc(), earlier.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(
            Match.id,
            Seat.seat,
            Bot.pinned,
            RatingChange.after_milli,
            RatingChange.after_deviation_milli,
        )
        .join(Seat, Seat.match_id == Match.id)
        .join(Bot, Bot.id == Seat.bot_id)
        .outerjoin(RatingChange, RatingChange.id == newest)
        .where(
            Match.result_number.in_([number for number, _ in numbers]),
            Match.reason == EntryKind.MISSED,
            Seat.rank.is_(None),
        )
    )
    found = {}
    for match_id, seat, pinned, rating, deviation in session.execute(query):
        start = elo.ANCHOR if pinned else elo.NEWCOMER
        found[match_id, seat] = start if rating is None else Skill(rating, deviation)
    return found


def _result(rows: Sequence[Any], others: Mapping[tuple[int, int], Skill]) -> ExportedResult:
    """Make a result of the rows of its seats; `others` are ratings of which it changes none."""
    first = rows[0]
    before = [
        others.get((row.id, row.seat), (row.before_milli, row.before_deviation_milli))
        for row in rows
    ]
    return ExportedResult(
        result_number=first.result_number,
        match_id=first.id,
        kind=first.kind,
        tournament_id=first.tournament_id,
        deal_id=first.deal_id,
        rotation=first.rotation,
        rated=first.rated,
        annulled=first.annulled_at is not None,
        reason=first.reason,
        move_limit_ms=first.move_limit_ms,
        bank_ms=first.bank_ms,
        increment_ms=first.increment_ms,
        finished_at=first.finished_at,
        seats=tuple(
            ExportedSeat(
                bot_id=row.bot_id,
                bot=row.bot,
                author=row.author,
                version=submitted_name(row.version),
                rank=row.rank,
                vp=row.vp,
                fault=row.fault,
                tributes=tuple(map(int, row.tributes.split())) if row.tributes else None,
                rating_before=rating,
                rating_after=row.after_milli,
                deviation_before=deviation,
                deviation_after=row.after_deviation_milli,
                pinned=deviation == 0,
            )
            for row, (rating, deviation) in zip(rows, before, strict=True)
        ),
    )
