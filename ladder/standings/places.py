"""The ladder of one table size: its bots by rating. Nothing here counts matches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import Session

from ladder import elo
from ladder.database.models import Bot, LadderPlace, Strength, User, Version


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place on the ladder of one table size. `wins` counts first ranks, shared or not.

    `rank` is shared by equal ratings; `rating_milli` is in thousandths of an Elo point, as are the
    strength and the ends of its 95 % interval, which are None until they have been computed. A
    `provisional` bot has few rated games; the rating of a `pinned` one never moves.
    """

    rank: int
    bot_id: int
    name: str
    author: str
    version: str
    rating_milli: int
    games: int
    wins: int
    faults: int
    strength_milli: int | None = None
    low_milli: int | None = None
    high_milli: int | None = None
    provisional: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bot stands on one ladder."""

    seats: int
    rank: int
    rating_milli: int
    games: int
    provisional: bool


@dataclass(frozen=True, slots=True)
class Places:
    """Where a bot stands on each ladder on which it has a place, by table size."""

    bot_id: int
    name: str
    author: str
    version: str
    places: tuple[Place, ...]


def standings(session: Session, seats: int) -> list[Standing]:
    """The ladder of tables with that many seats, best first; only bots with a rated game."""
    strength = and_(
        Strength.version_id == LadderPlace.version_id, Strength.seats == LadderPlace.seats
    )
    query = (
        _placed(
            Bot.id,
            Bot.name,
            User.name,
            Version.name,
            LadderPlace.rating_milli,
            LadderPlace.games,
            LadderPlace.wins,
            LadderPlace.faults,
            Strength.strength_milli,
            Strength.low_milli,
            Strength.high_milli,
            Bot.pinned,
        )
        .outerjoin(Strength, strength)
        .where(LadderPlace.seats == seats)
        .order_by(LadderPlace.rating_milli.desc(), Bot.id)
    )
    return [_standing(row) for row in session.execute(query)]


def on_all_ladders(session: Session) -> list[Places]:
    """Every bot with a rated game and its places, in the order of the bots' ids."""
    query = _placed(
        Bot.id,
        Bot.name,
        User.name,
        Version.name,
        LadderPlace.seats,
        LadderPlace.rating_milli,
        LadderPlace.games,
        Bot.pinned,
    ).order_by(Bot.id, LadderPlace.seats)
    rows = session.execute(query)
    return [
        Places(bot_id, name, author, version, tuple(map(_place, own)))
        for (bot_id, name, author, version), own in groupby(rows, key=lambda row: row[1:5])
    ]


def _placed(*columns: Any) -> Select[Any]:
    """The ranks of all active versions on their ladders, then the columns."""
    rank: ColumnElement[int] = func.rank().over(
        partition_by=LadderPlace.seats, order_by=LadderPlace.rating_milli.desc()
    )
    return (
        select(rank, *columns)
        .select_from(LadderPlace)
        .join(Bot, Bot.id == LadderPlace.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == LadderPlace.version_id)
        .where(Version.active)
    )


def _standing(row: Any) -> Standing:
    *columns, pinned = row
    standing = Standing(*columns)
    provisional = elo.is_provisional(standing.games, pinned=bool(pinned))
    return replace(standing, provisional=provisional, pinned=bool(pinned))


def _place(row: Any) -> Place:
    rank, *_, seats, rating_milli, games, pinned = row
    return Place(seats, rank, rating_milli, games, elo.is_provisional(games, pinned=bool(pinned)))
