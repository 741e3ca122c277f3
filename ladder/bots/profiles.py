"""What the page of a bot shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from ladder.database import models
from ladder.database.models import LadderPlace as Place
from ladder.database.models import Meeting, Strength, User, Version
from ladder.elo import is_provisional
from ladder.errors import NotFound

OPPONENTS: Final = 100
"""The opponents that a profile holds, those met most often."""


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """Where a bot stands on the ladder of one table size; see `standings.Standing`."""

    seats: int
    rank: int
    rating_milli: int
    games: int
    wins: int
    faults: int
    provisional: bool
    strength_milli: int | None
    low_milli: int | None
    high_milli: int | None


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
    bots himself. `offline`: it could not be reached and is looked for.
    """

    bot_id: int
    name: str
    author_id: int
    author: str
    state: str
    self_declared: bool
    offline: bool
    pinned: bool
    version: str
    versions: tuple[str, ...]
    ratings: tuple[LadderPlace, ...]
    head_to_head: tuple[HeadToHead, ...]


def profile(session: Session, bot_id: int) -> Profile:
    """What a bot's page shows; raises NotFound."""
    bot = session.get(models.Bot, bot_id)
    if bot is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    ratings = _places(session, bot)
    return Profile(
        bot_id=bot.id,
        name=bot.name,
        author_id=bot.user_id,
        author=bot.user.name,
        state=bot.state,
        self_declared=not bot.house,
        offline=bot.offline_since is not None,
        pinned=bot.pinned,
        version=next((version.name for version in bot.versions if version.active), ""),
        versions=tuple(version.name for version in bot.versions if version.activated_at),
        ratings=ratings,
        head_to_head=_head_to_head(session, bot_id),
    )


def _places(session: Session, bot: models.Bot) -> tuple[LadderPlace, ...]:
    strength = and_(Strength.version_id == Place.version_id, Strength.seats == Place.seats)
    own = session.execute(
        select(Place, Strength.strength_milli, Strength.low_milli, Strength.high_milli)
        .join(Version, Version.id == Place.version_id)
        .outerjoin(Strength, strength)
        .where(Place.bot_id == bot.id, Version.active)
        .order_by(Place.seats)
    ).all()
    return tuple(
        LadderPlace(
            place.seats,
            _rank(session, place),
            place.rating_milli,
            place.games,
            place.wins,
            place.faults,
            is_provisional(place.games, pinned=bot.pinned),
            *interval,
        )
        for place, *interval in own
    )


def _rank(session: Session, place: Place) -> int:
    better = (
        select(func.count())
        .select_from(Place)
        .join(Version, Version.id == Place.version_id)
        .where(Version.active, Place.seats == place.seats, Place.rating_milli > place.rating_milli)
    )
    return 1 + (session.scalar(better) or 0)


def _head_to_head(session: Session, bot_id: int) -> tuple[HeadToHead, ...]:
    """Most games first."""
    games = func.sum(Meeting.games).label("games")
    met = (
        select(Meeting.opponent_id, (func.sum(Meeting.half_points) / 2.0).label("points"), games)
        .where(Meeting.bot_id == bot_id)
        .group_by(Meeting.opponent_id)
        .order_by(games.desc(), Meeting.opponent_id)
        .limit(OPPONENTS)
        .subquery()
    )
    query = (
        select(models.Bot.id, models.Bot.name, User.name, met.c.points, met.c.games)
        .join(met, met.c.opponent_id == models.Bot.id)
        .join(models.Bot.user)
        .order_by(met.c.games.desc(), models.Bot.id)
    )
    return tuple(
        HeadToHead(opponent, name, author, float(points), int(games))
        for opponent, name, author, points, games in session.execute(query)
    )
