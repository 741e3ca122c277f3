"""Read pages of a ladder, searched and sorted, and pages of all ladders side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, or_, select
from sqlalchemy.orm import Session

from ladder.model import Bot, LadderPlace, User, Version
from ladder.people.accounts import printable
from ladder.ratings import standings
from ladder.ratings.ranks import Place, PlaceNumbers, Ranks, mean_skill, ranks

_SHOWN: Final = standings.of_ladder(bindparam("seats")).where(
    LadderPlace.version_id.in_(bindparam("versions", expanding=True))
)
_NAMES: Final = select(Version.id, Bot.name).join(Version.bot).where(Version.active)
_NAMED: Final = (
    select(Version.id, Bot.id, Bot.name, User.name, Version.name, Bot.pinned)
    .join(Bot, Bot.id == Version.bot_id)
    .join(User, User.id == Bot.user_id)
    .where(Version.id.in_(bindparam("versions", expanding=True)))
)


class Sort(StrEnum):
    """The columns by which a ladder can be sorted: largest first, except `RANK` and `BOT`.

    By `ELO`, the deviation of those that are being placed does not count, nor who is inactive;
    `STRENGTH` is the same, for callers of an older release.
    """

    RANK = "rank"
    BOT = "bot"
    ELO = "elo"
    STRENGTH = "strength"
    GAMES = "games"
    WINS = "wins"
    FAULTS = "faults"


_SORT_VALUES: Final[Mapping[Sort, Callable[[PlaceNumbers], Any]]] = {
    Sort.RANK: lambda place: None if place.inactive else place.standing,
    Sort.ELO: lambda place: place.rating_milli,
    Sort.STRENGTH: lambda place: place.rating_milli,
    Sort.GAMES: lambda place: place.games,
    Sort.WINS: lambda place: place.wins / place.games if place.games else None,
    Sort.FAULTS: lambda place: place.faults,
}


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a ladder; `found` counts the bots on all pages."""

    rows: tuple[standings.Standing, ...]
    found: int


@dataclass(frozen=True, slots=True)
class Overall:
    """A bot with its place on each ladder (None if it has not played there).

    `mean_milli` is the mean of its ratings on the ladders on which it has played,
    `mean_deviation_milli` the deviation of that (milli-Elo).
    """

    bot_id: int
    name: str
    author: str
    version: str
    pinned: bool
    mean_milli: int
    mean_deviation_milli: int
    places: tuple[Place | None, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """A page of all ladders; `found` counts the bots on all pages."""

    rows: tuple[Overall, ...]
    found: int


_names: Final = standings.CachedByResult[Mapping[int, str]]()


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
    """Read page number `page` (from 1) of the bots whose name or author contains `search`.

    Ranks are those on the whole ladder. Bots without a value to sort by come last.
    """
    found = ranks(session)
    wanted = _sorted(session, found, seats, sort, reverse=reverse)
    wanted = _matching(session, wanted, search)
    shown = wanted[(page - 1) * limit : page * limit]
    rows = session.execute(_SHOWN, {"seats": seats, "versions": shown}).all()
    by_version = {row[0]: standings.standing_of(row, found) for row in rows}
    # A version that another one has just replaced is left out.
    known = (by_version[version] for version in shown if version in by_version)
    return Board(tuple(known), len(wanted))


def overview(
    session: Session, *, search: str = "", by: int | None = None, page: int = 1, limit: int = 50
) -> Overview:
    """Read page number `page` (from 1), best first: by rank on the ladder `by`, or mean rating.

    By the mean, bots that play on more ladders come first: the means of others say less.
    """
    found = ranks(session)
    wanted = found.by_mean
    if by is not None:
        elsewhere = (version for version in found.by_mean if by not in found.places[version])
        wanted = [*found.by_rank[by], *elsewhere]
    wanted = _matching(session, wanted, search)
    shown = wanted[(page - 1) * limit : page * limit]
    named = {row[0]: row for row in session.execute(_NAMED, {"versions": shown}).all()}
    rows = (_overall(named[version], found) for version in shown if version in named)
    return Overview(tuple(rows), len(wanted))


def name_contains(search: str) -> ColumnElement[bool]:
    """Make the condition that the name of a bot or of its author contains `search`."""
    shown = printable(search)
    return or_(*(name.icontains(shown, autoescape=True) for name in (Bot.name, User.name)))


def _matching(session: Session, versions: Sequence[int], search: str) -> Sequence[int]:
    """Return those of the versions whose bot or author has a name that contains `search`."""
    if not search:
        return versions
    query = select(Version.id).join(Bot, Bot.id == Version.bot_id).join(Bot.user)
    found = set(session.scalars(query.where(Version.active, name_contains(search))))
    return [version for version in versions if version in found]


def _sorted(
    session: Session, ranks: Ranks, seats: int, sort: Sort, *, reverse: bool
) -> Sequence[int]:
    """Sort the versions on the ladder; equal ones by rank, those without a value last."""
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
    """Return the value to sort by, by version."""
    if sort is Sort.BOT:
        return _names.get(session, None, lambda _last: _folded_names(session))
    return {
        version: _SORT_VALUES[sort](ranks.places[version][seats])
        for version in ranks.by_rank[seats]
    }


def _folded_names(session: Session) -> Mapping[int, str]:
    return {version: name.casefold() for version, name in session.execute(_NAMES).all()}


def _overall(row: Any, ranks: Ranks) -> Overall:
    version_id, bot_id, name, author, version, pinned = row
    mean = mean_skill(ranks.places[version_id])
    places = ranks.places_of(version_id)
    return Overall(bot_id, name, author, version, bool(pinned), *mean, places)
