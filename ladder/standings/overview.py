"""All ladders side by side: where each bot stands on each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import elo
from ladder.database.models import Bot, LadderPlace, User, Version
from ladder.standings.boards import name_contains
from ladder.standings.places import SIZES, Place
from ladder.standings.ranks import Ranks

_Places = dict[int, tuple[int, int]]
"""Rating in thousandths and games, by table size."""
_NOWHERE: Final = (-(10**9), 0)


@dataclass(frozen=True, slots=True)
class Overall:
    """A bot with its place on each ladder, None where it has not played; `mean_milli` is the mean
    of its ratings on all ladders, in thousandths; one where it has none counts as the start."""

    bot_id: int
    name: str
    author: str
    version: str
    pinned: bool
    mean_milli: float
    places: tuple[Place | None, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """One page of the bots; `found` counts those on all pages."""

    rows: tuple[Overall, ...]
    found: int


def overview(
    session: Session,
    *,
    search: str = "",
    by: int | None = None,
    page: int = 1,
    limit: int = 50,
) -> Overview:
    """The page with that number, from 1; best first on the ladder `by`, else by the mean.

    All places are read, some thousands of numbers; names are looked up for the page alone.
    """
    places = _places(session)
    ranks = Ranks(_falling(places))
    wanted = sorted(places if not search else _fitting(session, search) & places.keys())
    wanted.sort(key=lambda version: _mean(places[version]), reverse=True)
    if by is not None:
        wanted.sort(key=lambda version: places[version].get(by, _NOWHERE), reverse=True)
    shown = wanted[(page - 1) * limit : page * limit]
    query = (
        select(Version.id, Bot.id, Bot.name, User.name, Version.name, Bot.pinned)
        .join(Bot, Bot.id == Version.bot_id)
        .join(User, User.id == Bot.user_id)
        .where(Version.id.in_(shown))
    )
    named = {row[0]: row for row in session.execute(query)}
    rows = (_overall(named[version], places[version], ranks) for version in shown)
    return Overview(tuple(rows), len(wanted))


def _places(session: Session) -> dict[int, _Places]:
    """By active version: rating and games by table size."""
    query = (
        select(
            LadderPlace.version_id, LadderPlace.seats, LadderPlace.rating_milli, LadderPlace.games
        )
        .join(Version, Version.id == LadderPlace.version_id)
        .where(Version.active)
    )
    found: defaultdict[int, _Places] = defaultdict(dict)
    for version, seats, rating, games in session.connection().execute(query):
        found[version][seats] = (rating, games)
    return found


def _falling(places: Mapping[int, _Places]) -> dict[int, list[int]]:
    falling: dict[int, list[int]] = {seats: [] for seats in SIZES}
    for own in places.values():
        for seats, (rating, _) in own.items():
            falling[seats].append(-rating)
    return {seats: sorted(ratings) for seats, ratings in falling.items()}


def _fitting(session: Session, search: str) -> set[int]:
    """The active versions of the bots whose name or author contains `search`."""
    query = select(Version.id).join(Bot, Bot.id == Version.bot_id).join(Bot.user)
    return set(session.scalars(query.where(Version.active, name_contains(search))))


def _mean(places: _Places) -> float:
    rated = sum(rating for rating, _ in places.values())
    return (rated + (len(SIZES) - len(places)) * elo.START) / len(SIZES)


def _overall(row: Any, own: _Places, ranks: Ranks) -> Overall:
    _, bot_id, name, author, version, pinned = row
    places = tuple(
        Place(
            seats,
            ranks.rank(seats, own[seats][0]),
            *own[seats],
            provisional=elo.is_provisional(own[seats][1], pinned=bool(pinned)),
        )
        if seats in own
        else None
        for seats in SIZES
    )
    return Overall(bot_id, name, author, version, bool(pinned), _mean(own), places)
