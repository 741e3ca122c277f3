"""All ladders side by side: where each bot stands on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Subquery, case, exists, func, literal, select
from sqlalchemy.orm import Session

from ladder import elo
from ladder.database.models import Bot, LadderPlace, User, Version
from ladder.standings.boards import name_contains
from ladder.standings.places import SIZES, Place
from ladder.standings.ranks import Ranks, ranks


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
    """The page with that number, from 1; best first on the ladder `by`, else by the mean."""
    rated = _rated()
    first = rated.c.mean if by is None else rated.c[f"rating_{by}"]
    query = (
        select(rated, Bot.id, Bot.name, User.name, Version.name, Bot.pinned)
        .add_columns(func.count().over() if search else literal(0))
        .join(Version, Version.id == rated.c.version_id)
        .join(Bot, Bot.id == Version.bot_id)
        .join(User, User.id == Bot.user_id)
        .order_by(first.desc().nulls_last(), rated.c.mean.desc(), Bot.id)
        .limit(limit)
        .offset((page - 1) * limit)
    )
    if search:
        query = query.where(name_contains(search))
    rows = session.execute(query).all()
    fitting = (rows[0][-1] if rows else 0) if search else _count(session)
    found = ranks(session, SIZES)
    return Overview(tuple(_overall(row, found) for row in rows), fitting)


def _count(session: Session) -> int:
    """How many bots have a place on some ladder."""
    placed = exists().where(LadderPlace.version_id == Version.id)
    return session.scalar(select(func.count()).where(Version.active, placed)) or 0


def _rated() -> Subquery:
    """A row for each active version: rating and games on each ladder, and the mean rating."""
    place = LadderPlace
    columns: list[ColumnElement[Any]] = []
    for seats in SIZES:
        of_ladder = place.seats == seats
        columns.append(func.max(case((of_ladder, place.rating_milli))).label(f"rating_{seats}"))
        columns.append(func.max(case((of_ladder, place.games))).label(f"games_{seats}"))
    missing = (len(SIZES) - func.count()) * elo.START
    mean = (func.sum(place.rating_milli) + missing) / (1.0 * len(SIZES))
    return (
        select(place.version_id, mean.label("mean"), *columns)
        .join(Version, Version.id == place.version_id)
        .where(Version.active)
        .group_by(place.version_id)
        .subquery()
    )


def _overall(row: Any, ranks: Ranks) -> Overall:
    _, mean, *ladders, bot_id, name, author, version, pinned, _ = row
    places = []
    for index, seats in enumerate(SIZES):
        rating, games = ladders[2 * index : 2 * index + 2]
        places.append(
            None
            if rating is None
            else Place(
                seats,
                ranks.rank(seats, rating),
                rating,
                games,
                elo.is_provisional(games, pinned=bool(pinned)),
            )
        )
    return Overall(bot_id, name, author, version, bool(pinned), float(mean), tuple(places))
