"""All ladders side by side: where each bot stands on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from ladder.contests.pairings.tables import TABLE_SIZES
from ladder.model import Bot, User, Version
from ladder.ratings import elo
from ladder.ratings.boards import fitting_versions
from ladder.ratings.places import Place
from ladder.ratings.ranks import Ranks, mean, ranks

_NAMED: Final = (
    select(Version.id, Bot.id, Bot.name, User.name, Version.name, Bot.pinned)
    .join(Bot, Bot.id == Version.bot_id)
    .join(User, User.id == Bot.user_id)
    .where(Version.id.in_(bindparam("versions", expanding=True)))
)


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
    found = ranks(session)
    wanted = list(found.by_mean)
    if by is not None:
        elsewhere = (version for version in found.by_mean if by not in found.places[version])
        wanted = [*found.by_rank[by], *elsewhere]
    if search:
        fitting = fitting_versions(session, search)
        wanted = [version for version in wanted if version in fitting]
    shown = wanted[(page - 1) * limit : page * limit]
    named = {row[0]: row for row in session.execute(_NAMED, {"versions": shown}).all()}
    rows = (_overall(named[version], found) for version in shown if version in named)
    return Overview(tuple(rows), len(wanted))


def _overall(row: Any, ranks: Ranks) -> Overall:
    version_id, bot_id, name, author, version, pinned = row
    own = ranks.places[version_id]
    places = tuple(
        Place(
            seats,
            ranks.rank(seats, own[seats].rating_milli),
            own[seats].rating_milli,
            own[seats].games,
            provisional=elo.is_provisional(own[seats].games, pinned=bool(pinned)),
        )
        if seats in own
        else None
        for seats in TABLE_SIZES
    )
    return Overall(bot_id, name, author, version, bool(pinned), mean(own), places)
