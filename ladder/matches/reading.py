"""Read matches and replays as pages show them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, Select, and_, bindparam, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import NotFound
from ladder.matches.rows import MatchRow, SeatRow, is_unnamed
from ladder.model import Bot, Match, RatingChange, Replay, Seat, Tournament, User, Version
from referee.replay import read, write

_Seats = Mapping[int, Sequence[Any]]  # rows of _SEATS by match

# Built once: lists of matches are asked for most.
_IDS: Final[BindParameter[Any]] = bindparam("ids", expanding=True)
_MATCHES: Final = (
    select(
        Match.id,
        Match.kind,
        Match.state,
        Match.tournament_id,
        Tournament.name.label("tournament_name"),
        Match.rated,
        Match.attempt,
        Match.interruptions,
        Match.reason,
        Match.result_number,
        Match.created_at,
        Match.started_at,
        Match.finished_at,
        Match.annul_reason,
        Match.start_up_ms,
    )
    .outerjoin(Tournament, Tournament.id == Match.tournament_id)
    .where(Match.id.in_(_IDS))
    .order_by(Match.id.desc())
)


def with_seats(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """Add to a query of seats: the bot, its result, and the ratings around a rated result."""
    return (
        query.add_columns(
            Seat.bot_id,
            Bot.name.label("bot"),
            User.name.label("author"),
            Version.name.label("version"),
            Seat.rank,
            Seat.vp,
            Seat.fault,
            RatingChange.before_milli,
            RatingChange.after_milli,
            RatingChange.before_deviation_milli,
            RatingChange.after_deviation_milli,
        )
        .join(Bot, Bot.id == Seat.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == Seat.version_id)
        .outerjoin(
            RatingChange,
            and_(
                RatingChange.match_id == Seat.match_id,
                RatingChange.version_id == Seat.version_id,
                RatingChange.kind.in_(("result", "missed")),
            ),
        )
    )


_SEATS: Final = (
    with_seats(select(Seat.match_id, Seat.seat))
    .where(Seat.match_id.in_(_IDS))
    .order_by(Seat.match_id, Seat.seat)
)


def match(session: Session, match_id: int, *, named: bool = False) -> MatchRow:
    """Return a match. Raises NotFound.

    `named`: name its seats even if the match may not have begun.
    """
    found = by_ids(session, [match_id], named=named)
    if not found:
        raise NotFound("there is no match %(match)s", match=match_id)
    return found[0]


def by_ids(
    session: Session, match_ids: Sequence[int], *, named: bool = False
) -> tuple[MatchRow, ...]:
    """Return these matches, newest first, without those that don't exist; `named` as in `match`."""
    if not match_ids:
        return ()
    wanted = {"ids": list(match_ids)}
    tables: defaultdict[int, list[Any]] = defaultdict(list)
    for seat in session.execute(_SEATS, wanted).all():
        tables[seat[0]].append(seat)
    found: Sequence[Any] = session.execute(_MATCHES, wanted).all()
    at = model.now(session)
    return tuple(_row(match, tables, named=named or not is_unnamed(match, at)) for match in found)


def seats_of(session: Session, match_id: int, user_id: int) -> list[int]:
    """Return the seats of a match at which this user's bots sit."""
    own = select(Seat.seat).join(Seat.bot).where(Seat.match_id == match_id)
    return list(session.scalars(own.where(Bot.user_id == user_id).order_by(Seat.seat)))


def replay(session: Session, match_id: int) -> bytes:
    """Return the replay file of a finished match, without names of people who left.

    Raises NotFound.
    """
    found = session.get(Replay, match_id)
    if found is None:
        raise NotFound(
            "match %(match)s has no replay: only finished matches have one", match=match_id
        )
    gone = _gone(session, match_id)
    return _renamed(found.data, gone) if gone else found.data


def _gone(session: Session, match_id: int) -> dict[int, str]:
    """Return the seats whose author has left, with the name that replaces the author's."""
    left = (
        select(Seat.seat, User.name)
        .join(Seat.bot)
        .join(Bot.user)
        .where(Seat.match_id == match_id, User.deleted_at.is_not(None))
    )
    return {row.seat: row.name for row in session.execute(left)}


def _renamed(data: bytes, authors: Mapping[int, str]) -> bytes:
    """Replace the authors of these seats in a replay; no other part of it depends on them."""
    record = read(data)
    for seat, name in authors.items():
        record.seats[seat].author = name
    return write(record)


def _row(match: Any, tables: _Seats, *, named: bool) -> MatchRow:
    """Make a MatchRow of a row of _MATCHES and the rows of its seats."""
    return MatchRow(
        id=match.id,
        kind=match.kind,
        state=match.state,
        tournament_id=match.tournament_id,
        tournament_name=match.tournament_name,
        rated=match.rated,
        seats=tuple(_seat_row(seat) if named else _unnamed(seat[1]) for seat in tables[match.id]),
        attempt=match.attempt,
        interruptions=match.interruptions,
        reason=match.reason,
        result_number=match.result_number,
        created_at=match.created_at,
        started_at=match.started_at,
        finished_at=match.finished_at,
        annul_reason=match.annul_reason,
    )


def _seat_row(row: Any) -> SeatRow:
    _, seat, bot_id, name, author, version, *result = row
    return SeatRow(seat, bot_id, name, author, model.submitted_name(version), *result)


def _unnamed(seat: int) -> SeatRow:
    return SeatRow(seat, *(None,) * 11)
