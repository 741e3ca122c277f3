"""The ladder of one table size: its bots by rating. Nothing here counts matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Select, and_, select
from sqlalchemy.orm import Session

from ladder.model import Bot, LadderPlace, Strength, User, Version
from ladder.ratings import elo
from ladder.ratings.ranks import Ranks, ranks


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


def standings(session: Session, seats: int) -> list[Standing]:
    """The ladder of tables with that many seats, best first; only bots with a rated game."""
    query = of_ladder(seats).order_by(LadderPlace.rating_milli.desc(), Bot.id)
    found = ranks(session)
    return [standing_of(row, found) for row in session.execute(query)]


def of_ladder(seats: int | BindParameter[int]) -> Select[*tuple[Any, ...]]:
    """What `standing_of` makes the standings of a ladder from, in no order."""
    columns: tuple[Any, ...] = (
        LadderPlace.seats,
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
    strength = and_(
        Strength.version_id == LadderPlace.version_id, Strength.seats == LadderPlace.seats
    )
    return (
        select(*columns)
        .select_from(LadderPlace)
        .join(Bot, Bot.id == LadderPlace.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == LadderPlace.version_id)
        .outerjoin(Strength, strength)
        .where(Version.active, LadderPlace.seats == seats)
    )


def standing_of(row: Any, ranks: Ranks) -> Standing:
    """The standing that a row of `of_ladder` stands for."""
    seats, bot_id, name, author, version, rating, games, wins, faults, *strength, pinned = row
    strength_milli, low_milli, high_milli = strength
    return Standing(
        rank=ranks.rank(seats, rating),
        bot_id=bot_id,
        name=name,
        author=author,
        version=version,
        rating_milli=rating,
        games=games,
        wins=wins,
        faults=faults,
        strength_milli=strength_milli,
        low_milli=low_milli,
        high_milli=high_milli,
        provisional=elo.is_provisional(games, pinned=bool(pinned)),
        pinned=bool(pinned),
    )
