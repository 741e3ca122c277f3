"""What the page of a bot shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.database import models
from ladder.database.models import LadderPlace as Place
from ladder.database.models import Meeting, RatingChange, User, Version
from ladder.errors import NotFound

HISTORY: Final = 1_000
"""The newest rating changes of each ladder that a profile holds."""


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """Where a bot stands on the ladder of one table size."""

    seats: int
    rank: int
    rating_milli: int
    games: int
    wins: int
    faults: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """A bot against another in all rated matches: a point for a better rank, half for a tie."""

    opponent_id: int
    name: str
    author: str
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What a bot's page shows. `versions`: those that play or played, newest first; `version` is
    the active one, empty where none plays yet.

    `self_declared`: nobody but its author knows which program answers; the operator starts house
    bots himself. `history`: (result number, seats, rating_milli after it), oldest first, the last
    HISTORY of each ladder.
    """

    bot_id: int
    name: str
    author_id: int
    author: str
    state: str
    self_declared: bool
    version: str
    versions: tuple[str, ...]
    ratings: tuple[LadderPlace, ...]
    history: tuple[tuple[int, int, int], ...]
    head_to_head: tuple[HeadToHead, ...]


def profile(session: Session, bot_id: int) -> Profile:
    """What a bot's page shows; raises NotFound."""
    bot = session.get(models.Bot, bot_id)
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    ratings = _places(session, bot_id)
    return Profile(
        bot_id=bot.id,
        name=bot.name,
        author_id=bot.user_id,
        author=bot.user.name,
        state=bot.state,
        self_declared=not bot.house,
        version=next((version.name for version in bot.versions if version.active), ""),
        versions=tuple(version.name for version in bot.versions if version.activated_at),
        ratings=ratings,
        history=_history(session, bot_id, [place.seats for place in ratings]),
        head_to_head=_head_to_head(session, bot_id),
    )


def _places(session: Session, bot_id: int) -> tuple[LadderPlace, ...]:
    own = session.scalars(
        select(Place)
        .join(Version, Version.id == Place.version_id)
        .where(Place.bot_id == bot_id, Version.active)
        .order_by(Place.seats)
    )
    return tuple(
        LadderPlace(
            place.seats,
            _rank(session, place),
            place.rating_milli,
            place.games,
            place.wins,
            place.faults,
        )
        for place in own.all()
    )


def _rank(session: Session, place: Place) -> int:
    better = (
        select(func.count())
        .select_from(Place)
        .join(Version, Version.id == Place.version_id)
        .where(Version.active, Place.seats == place.seats, Place.rating_milli > place.rating_milli)
    )
    return 1 + (session.scalar(better) or 0)


def _history(session: Session, bot_id: int, ladders: list[int]) -> tuple[tuple[int, int, int], ...]:
    columns = select(RatingChange.result_number, RatingChange.seats, RatingChange.after_milli)
    history: list[tuple[int, int, int]] = []
    for seats in ladders:
        own = columns.where(RatingChange.bot_id == bot_id, RatingChange.seats == seats)
        newest = own.order_by(RatingChange.result_number.desc()).limit(HISTORY)
        history += session.execute(newest)
    return tuple(sorted(history))


def _head_to_head(session: Session, bot_id: int) -> tuple[HeadToHead, ...]:
    """Most games first."""
    games = func.sum(Meeting.games)
    query = (
        select(
            models.Bot.id, models.Bot.name, User.name, func.sum(Meeting.half_points) / 2.0, games
        )
        .join(models.Bot, models.Bot.id == Meeting.opponent_id)
        .join(models.Bot.user)
        .where(Meeting.bot_id == bot_id)
        .group_by(models.Bot.id, models.Bot.name, User.name)
        .order_by(games.desc(), models.Bot.id)
    )
    return tuple(
        HeadToHead(opponent, name, author, float(points), int(games))
        for opponent, name, author, points, games in session.execute(query)
    )
