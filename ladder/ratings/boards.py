"""A page of a ladder: searched, sorted and cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, or_, select, text
from sqlalchemy.orm import Session

from ladder.model import Bot, LadderPlace, User, Version
from ladder.ratings.kept_looks import Looks
from ladder.ratings.places import Standing, of_ladder, standing_of
from ladder.ratings.ranks import Held, Ranks, ranks

LONGEST_SEARCH: Final = 100
"""Characters of a search that count."""


_SHOWN: Final = (
    of_ladder(bindparam("seats"))
    .with_only_columns(LadderPlace.version_id, *of_ladder(bindparam("seats")).selected_columns)
    .where(LadderPlace.version_id.in_(bindparam("versions", expanding=True)))
)
_NAMES: Final = text(
    "SELECT v.id, b.name FROM versions v JOIN bots b ON b.id = v.bot_id WHERE v.state = 'active'"
)
# Versions first: SQLite takes the tables in this order, which spares it those that play no more.
_STRENGTHS: Final = text(
    "SELECT v.id, s.strength_milli FROM versions v CROSS JOIN strengths s"
    " WHERE v.state = 'active' AND s.version_id = v.id AND s.seats = :seats"
)


class Sort(StrEnum):
    """What a ladder may be sorted by. Numbers begin with the largest, `RANK` and `BOT` do not."""

    RANK = "rank"
    BOT = "bot"
    STRENGTH = "strength"
    GAMES = "games"
    WINS = "wins"
    FAULTS = "faults"


_HELD: Final[Mapping[Sort, Callable[[Held], float | None]]] = {
    Sort.RANK: lambda held: held.rating_milli,
    Sort.GAMES: lambda held: held.games,
    Sort.WINS: lambda held: held.wins / held.games if held.games else None,
    Sort.FAULTS: lambda held: held.faults,
}


_names: Final = Looks[Mapping[int, str]]()


@dataclass(frozen=True, slots=True)
class Board:
    """One page of a ladder; `found` counts the bots on all its pages."""

    rows: tuple[Standing, ...]
    found: int


def board(
    session: Session,
    seats: int,
    *,
    search: str = "",
    sort: Sort = Sort.RANK,
    reverse: bool = False,
    page: int = 1,
    limit: int = 50,
) -> Board:
    """The page with that number, from 1, of the bots whose name or author contains `search`.

    Ranks are those on the whole ladder. Bots without a strength come last where that sorts.
    """
    found = ranks(session)
    wanted = _sorted(session, found, seats, sort, reverse=reverse)
    if search:
        fitting = fitting_versions(session, search)
        wanted = [version for version in wanted if version in fitting]
    shown = wanted[(page - 1) * limit : page * limit]
    rows = session.execute(_SHOWN, {"seats": seats, "versions": shown}).all()
    by_version = {row[0]: standing_of(row[1:], found) for row in rows}
    # One that gave its place to another version in this moment is left out.
    known = (by_version[version] for version in shown if version in by_version)
    return Board(tuple(known), len(wanted))


def fitting_versions(session: Session, search: str) -> set[int]:
    """The active versions of the bots whose name or author contains `search`."""
    query = select(Version.id).join(Bot, Bot.id == Version.bot_id).join(Bot.user)
    return set(session.scalars(query.where(Version.active, name_contains(search))))


def name_contains(search: str) -> ColumnElement[bool]:
    """Whether the name of a bot, or of its author, contains this."""
    part = "".join(letter if letter.isprintable() else "?" for letter in search.strip())
    shown = part[:LONGEST_SEARCH]  # of what no name contains PostgreSQL would take offence
    return or_(*(name.icontains(shown, autoescape=True) for name in (Bot.name, User.name)))


def _sorted(
    session: Session, ranks: Ranks, seats: int, sort: Sort, *, reverse: bool
) -> Sequence[int]:
    """The versions on the ladder; those that are equal by rank, and those without a value last."""
    ranked = ranks.by_rank[seats]
    if sort is Sort.RANK and not reverse:
        return ranked
    values = _values(session, ranks, seats, sort)
    down = (sort is not Sort.BOT) != reverse
    valued = sorted(
        (version for version in ranked if values.get(version) is not None),
        key=lambda version: values[version],
        reverse=down,
    )
    return [*valued, *(version for version in ranked if values.get(version) is None)]


def _values(session: Session, ranks: Ranks, seats: int, sort: Sort) -> Mapping[int, Any]:
    """By version: what the ladder is sorted by."""
    if sort is Sort.BOT:
        return _names.at(session, None, lambda _last: _folded_names(session))
    if sort is Sort.STRENGTH:
        return dict(session.execute(_STRENGTHS, {"seats": seats}).all())
    return {version: _HELD[sort](ranks.places[version][seats]) for version in ranks.by_rank[seats]}


def _folded_names(session: Session) -> Mapping[int, str]:
    return {version: name.casefold() for version, name in session.execute(_NAMES).all()}
