"""Matches as pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload, selectinload

from ladder.database import models, now
from ladder.errors import NotFound
from ladder.matches.naming import is_named, is_unnamed
from ladder.matches.rows import MatchPage, MatchRow, SeatRow
from referee.replay import read, write

_WITH_NAMES = (
    joinedload(models.Match.tournament),
    selectinload(models.Match.table).joinedload(models.Seat.bot).joinedload(models.Bot.user),
    selectinload(models.Match.table).joinedload(models.Seat.version),
)

_Ratings = dict[tuple[int, int], tuple[int, int]]  # (match, bot): before and after


def page(
    session: Session,
    *,
    bot_id: int | None = None,
    opponent_id: int | None = None,
    tournament_id: int | None = None,
    state: str | None = None,
    before: int | None = None,
    limit: int = 50,
) -> MatchPage:
    """The newest matches with a lower id than `before`: of one bot (and one that was at the table,
    too), tournament or state. Where a bot is asked for, those whose seats are not named are left
    out."""
    query = select(models.Match).options(*_WITH_NAMES)
    newest: InstrumentedAttribute[int] = models.Match.id
    if bot_id is not None or opponent_id is not None:
        query = query.where(is_named(session, models.Match.id))
    if bot_id is not None:
        query = query.join(models.Match.table).where(models.Seat.bot_id == bot_id)
        newest = models.Seat.match_id  # the same number, but the one that the bot's index is by
    if opponent_id is not None:
        there = models.Match.table.any(models.Seat.bot_id == opponent_id)
        query = query.where(there)
    if tournament_id is not None:
        query = query.where(models.Match.tournament_id == tournament_id)
    if state is not None:
        query = query.where(models.Match.state == state)
    if before is not None:
        query = query.where(newest < before)
    found = session.scalars(query.order_by(newest.desc()).limit(limit + 1)).all()
    shown = _rows(session, found[:limit])
    return MatchPage(shown, shown[-1].id if len(found) > limit else None)


def match(session: Session, match_id: int, *, named: bool = False) -> MatchRow:
    """One match; raises NotFound.

    `named`: for who may know who sits at its table in any case, or knows that it has begun.
    """
    query = select(models.Match).options(*_WITH_NAMES).where(models.Match.id == match_id)
    found = session.scalars(query).one_or_none()
    if found is None:
        raise NotFound("there is no match %(match)s", match=match_id)
    return _rows(session, [found], named=named)[0]


def by_ids(
    session: Session, match_ids: Sequence[int], *, named: bool = False
) -> tuple[MatchRow, ...]:
    """These matches, newest first; those that are not there are left out. `named` as in `match`."""
    query = select(models.Match).options(*_WITH_NAMES).where(models.Match.id.in_(match_ids))
    found = session.scalars(query.order_by(models.Match.id.desc())).all()
    return _rows(session, found, named=named)


def replay(session: Session, match_id: int) -> bytes:
    """The replay file of a finished match, without the names of people who left; or NotFound."""
    found = session.get(models.Replay, match_id)
    if found is None:
        raise NotFound(
            "there is no replay of match %(match)s: replays are of finished matches", match=match_id
        )
    gone = _gone(session, match_id)
    return _renamed(found.data, gone) if gone else found.data


def _gone(session: Session, match_id: int) -> dict[int, str]:
    """The seats whose author has left, and what they are called now."""
    left = (
        select(models.Seat.seat, models.User.name)
        .join(models.Seat.bot)
        .join(models.Bot.user)
        .where(models.Seat.match_id == match_id, models.User.deleted_at.is_not(None))
    )
    return {row.seat: row.name for row in session.execute(left)}


def _renamed(data: bytes, authors: Mapping[int, str]) -> bytes:
    """The replay file with other authors in these seats; no other part of it depends on them."""
    record = read(data)
    for seat, name in authors.items():
        record.seats[seat].author = name
    return write(record)


def _rows(
    session: Session, matches: Sequence[models.Match], *, named: bool = False
) -> tuple[MatchRow, ...]:
    ratings = _ratings(session, [match.id for match in matches])
    at = now(session)
    return tuple(
        _row(match, ratings, named=named or not is_unnamed(match, at)) for match in matches
    )


def _ratings(session: Session, match_ids: Sequence[int]) -> _Ratings:
    change = models.RatingChange
    query = select(change.match_id, change.bot_id, change.before_milli, change.after_milli).where(
        change.match_id.in_(match_ids), change.kind == "result"
    )
    return {
        (match_id, bot_id): (before, after)
        for match_id, bot_id, before, after in session.execute(query)
        if match_id is not None
    }


def _row(match: models.Match, ratings: _Ratings, *, named: bool) -> MatchRow:
    return MatchRow(
        id=match.id,
        kind=match.kind,
        state=match.state,
        tournament_id=match.tournament_id,
        tournament_name=match.tournament.name if match.tournament else None,
        rated=match.rated,
        seats=tuple(
            _seat_row(seat, ratings) if named else _unnamed(seat.seat) for seat in match.table
        ),
        attempt=match.attempt,
        interruptions=match.interruptions,
        reason=match.reason,
        result_number=match.result_number,
        created_at=match.created_at,
        started_at=match.started_at,
        finished_at=match.finished_at,
        annul_reason=match.annul_reason,
    )


def _seat_row(seat: models.Seat, ratings: _Ratings) -> SeatRow:
    before, after = ratings.get((seat.match_id, seat.bot_id), (None, None))
    return SeatRow(
        seat=seat.seat,
        bot_id=seat.bot_id,
        name=seat.bot.name,
        author=seat.bot.user.name,
        version=seat.version.submitted_name,
        rank=seat.rank,
        vp=seat.vp,
        fault=seat.fault,
        rating_before=before,
        rating_after=after,
    )


def _unnamed(seat: int) -> SeatRow:
    return SeatRow(seat, *(None,) * 9)
