"""Matches as pages and commands see them, and whether their seats may be named yet.

A ladder match that may not have begun does not show who sits at its table: no bot learns whom it
will meet before it has accepted the game, so its author must not read it on the site either. A
challenge names its seats, since its author chose them; pairings of tournaments are public. A match
counts as begun once the time to accept it is over; a live move shows it sooner.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Select, and_, bindparam, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder import model
from ladder.errors import NotFound
from ladder.model import Bot, Match, MatchState, RatingChange, Seat, Tournament, User, Version
from referee.replay import read, write

ABSENT: Final = "absent"
"""The reason of a match that was decided without a game, since a bot of it stayed away."""

MISSED: Final = model.EntryKind.MISSED.value
"""The reason of a match of the ladder that one bot refused too often: its loss, and no win."""
WITHOUT_GAME: Final = (ABSENT, MISSED)

_DIALLING: Final = timedelta(seconds=5)
"""The time from a claim until a bot's time to accept is measured."""
_OF_LADDER: Final = Match.kind == model.MatchKind.LADDER
_WAITING: Final = select(Match.id).where(_OF_LADDER, Match.state == MatchState.QUEUED)
_RUNNING: Final = select(Match.started_at, Match.start_up_ms, Match.id).where(
    _OF_LADDER, Match.state == MatchState.RUNNING
)

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


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of a match.

    `bot_id`, `name`, `author` and `version` are None while the seats may not be named. `rank`
    counts from 1, ties shared; `vp` is None if the game ended by forfeit; `fault` is the stable
    code of the bot's fault. Ratings are in milli-Elo, None unless the result was rated.
    """

    seat: int
    bot_id: int | None
    name: str | None
    author: str | None
    version: str | None
    rank: int | None
    vp: int | None
    fault: str | None
    rating_before: int | None
    rating_after: int | None
    deviation_before: int | None
    deviation_after: int | None


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match.

    `kind` is one of `MatchKind`. `reason` says how a finished game ended (ships, turns or forfeit;
    ABSENT or MISSED if none was played) or, in a sentence, why the match failed. `annul_reason` is
    set if an organiser took the result out of all counts. Times are aware and in UTC.
    """

    id: int
    kind: str
    state: MatchState
    tournament_id: int | None
    tournament_name: str | None
    rated: bool
    seats: tuple[SeatRow, ...]
    attempt: int
    interruptions: int
    reason: str | None
    result_number: int | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    annul_reason: str | None = None

    @property
    def is_named(self) -> bool:
        """Return True if the row says who sits at the table."""
        return all(seat.bot_id is not None for seat in self.seats)

    @property
    def has_replay(self) -> bool:
        """Return True if a game was played to its end."""
        return self.state == MatchState.FINISHED and self.reason not in WITHOUT_GAME


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A page of matches, newest first; `next_before` asks for the next page, None on the last."""

    matches: tuple[MatchRow, ...]
    next_before: int | None


def _is_unnamed(match: Match, at: datetime) -> bool:
    """Return True if the match may not have begun at this time, so its seats stay unnamed."""
    if match.kind != model.MatchKind.LADDER:
        return False
    return match.state == MatchState.QUEUED or (
        match.state == MatchState.RUNNING and _accepting(match.started_at, match.start_up_ms, at)
    )


def is_named(session: Session, match_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Return the condition that a match may be found by its bots; `match_id` is its id's column."""
    running = session.execute(_RUNNING).all()
    at = model.now(session) if running else None
    accepting = [
        found for claimed, start_up, found in running if at and _accepting(claimed, start_up, at)
    ]
    named = match_id.not_in(_WAITING)
    return and_(named, match_id.not_in(accepting)) if accepting else named


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
_REPLAYS: Final = select(model.Replay.match_id, model.Replay.data).where(
    model.Replay.match_id.in_(_IDS)
)
_GONE: Final = (
    select(Seat.match_id, Seat.seat, User.name)
    .join(Seat.bot)
    .join(Bot.user)
    .where(Seat.match_id.in_(_IDS), User.deleted_at.is_not(None))
)
"""The seats whose author has left, with the name that replaces the author's."""


def match(session: Session, match_id: int, *, named: bool = False) -> MatchRow:
    """Return a match. Raises NotFound.

    `named`: name its seats even if the match may not have begun.
    """
    rows = by_ids(session, [match_id], named=named)
    if not rows:
        raise no_match(match_id)
    return rows[0]


def no_match(match_id: int) -> NotFound:
    """Return the error for an unknown match."""
    return NotFound("there is no match %(match)s", match=match_id)


def by_ids(
    session: Session, match_ids: Sequence[int], *, named: bool = False
) -> tuple[MatchRow, ...]:
    """Return these matches, newest first, without those that don't exist; `named` as in `match`."""
    if not match_ids:
        return ()
    parameters = {"ids": list(match_ids)}
    tables: defaultdict[int, list[Any]] = defaultdict(list)
    for seat in session.execute(_SEATS, parameters).all():
        tables[seat[0]].append(seat)
    matches: Sequence[Any] = session.execute(_MATCHES, parameters).all()
    if named or all(match.state == MatchState.FINISHED for match in matches):
        return tuple(_row(match, tables, named=True) for match in matches)
    at = model.now(session)
    return tuple(_row(match, tables, named=not _is_unnamed(match, at)) for match in matches)


def seats_of(session: Session, match_id: int, user_id: int) -> list[int]:
    """Return the seats of a match at which this user's bots sit."""
    own = select(Seat.seat).join(Seat.bot).where(Seat.match_id == match_id)
    return list(session.scalars(own.where(Bot.user_id == user_id).order_by(Seat.seat)))


def replay(session: Session, match_id: int) -> bytes:
    """Return the replay file of a finished match, without names of people who left.

    Raises NotFound.
    """
    found = replays(session, [match_id])
    if found:
        return found[match_id]
    if session.get(Match, match_id) is None:
        raise no_match(match_id)
    raise NotFound(
        "match %(match)s has no replay: only a match that was played to its end has one",
        match=match_id,
    )


def replays(session: Session, match_ids: Sequence[int]) -> dict[int, bytes]:
    """Return the replay files of those of these matches that have one, as `replay` does, by id."""
    gone: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for match_id, seat, name in session.execute(_GONE, {"ids": match_ids}):
        gone[match_id][seat] = name
    return {
        match_id: renamed(data, gone[match_id]) if match_id in gone else data
        for match_id, data in session.execute(_REPLAYS, {"ids": match_ids})
    }


def renamed(
    data: bytes, authors: Mapping[int, str], people: Mapping[int, str] | None = None
) -> bytes:
    """Replace the authors of bots, and the names of people, by seat in a replay.

    No other part of it depends on them.
    """
    record = read(data)
    for seat, name in authors.items():
        record.seats[seat].author = name
    for seat, name in (people or {}).items():
        record.seats[seat].name = name
    return write(record)


def _accepting(claimed: datetime | None, start_up_ms: int, at: datetime) -> bool:
    return claimed is None or at < claimed + timedelta(milliseconds=start_up_ms) + _DIALLING


def _row(match: Any, tables: _Seats, *, named: bool) -> MatchRow:
    """Make a MatchRow of a row of _MATCHES and the rows of its seats."""
    seats = tuple(
        _seat_row(seat) if named else SeatRow(seat[1], *(None,) * 11) for seat in tables[match.id]
    )
    shown = {name: value for name, value in match._mapping.items() if name != "start_up_ms"}
    return MatchRow(**shown, seats=seats)


def _seat_row(row: Any) -> SeatRow:
    _, seat, bot_id, name, author, version, *result = row
    return SeatRow(seat, bot_id, name, author, model.submitted_name(version), *result)
