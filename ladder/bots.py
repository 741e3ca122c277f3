"""Bots: registering them, and what their pages show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder import ledger
from ladder.database import models, now
from ladder.database.models import LadderPlace as Place
from ladder.database.models import Meeting, RatingChange, User, Version
from ladder.errors import NotFound

HISTORY: Final = 1_000
"""The newest rating changes of each ladder that a profile holds."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with its active version and the address where that answers."""

    id: int
    name: str
    author: str
    version: str
    address: str


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
    """What a bot's page shows. `versions`: newest first; `version` is the active one.

    `history`: (result number, seats, rating_milli after it), oldest first, the last HISTORY of
    each ladder.
    """

    bot_id: int
    name: str
    author: str
    version: str
    versions: tuple[str, ...]
    ratings: tuple[LadderPlace, ...]
    history: tuple[tuple[int, int, int], ...]
    head_to_head: tuple[HeadToHead, ...]


def register(session: Session, *, name: str, author: str, address: str, version: str) -> Bot:
    """Make this version the active one of the author's bot; makes author and bot where needed.

    Registering a version again only changes its address, also for matches that are queued. The
    caller commits.
    """
    ledger.lock(session)
    bot = _bot(session, name, _user(session, author))
    before = session.scalars(select(Version).where(Version.bot_id == bot.id, Version.active))
    old = before.one_or_none()
    row = _version(session, bot, version)
    row.address = address
    if old is not row:
        _take_over(session, old, row)
    return Bot(bot.id, name, author, version, address)


def every(session: Session) -> list[Bot]:
    """All bots by name, each with its active version."""
    query = (
        select(models.Bot.id, models.Bot.name, User.name, Version.name, Version.address)
        .join(models.Bot.user)
        .join(Version, (Version.bot_id == models.Bot.id) & Version.active)
        .order_by(models.Bot.name, models.Bot.id)
    )
    return [Bot(*row) for row in session.execute(query)]


def profile(session: Session, bot_id: int) -> Profile:
    """What a bot's page shows; raises NotFound."""
    bot = session.get(models.Bot, bot_id)
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    ratings = _places(session, bot_id)
    return Profile(
        bot_id=bot.id,
        name=bot.name,
        author=bot.user.name,
        version=next((version.name for version in bot.versions if version.active), ""),
        versions=tuple(version.name for version in bot.versions),
        ratings=ratings,
        history=_history(session, bot_id, [place.seats for place in ratings]),
        head_to_head=_head_to_head(session, bot_id),
    )


def _user(session: Session, name: str) -> User:
    found = session.scalars(select(User).where(User.name == name)).one_or_none()
    if found is None:
        found = User(name=name, created_at=now(session))
        session.add(found)
        session.flush()
    return found


def _bot(session: Session, name: str, user: User) -> models.Bot:
    own = select(models.Bot).where(models.Bot.name == name, models.Bot.user_id == user.id)
    found = session.scalars(own).one_or_none()
    if found is None:
        found = models.Bot(name=name, user_id=user.id, created_at=now(session))
        session.add(found)
        session.flush()
    return found


def _version(session: Session, bot: models.Bot, name: str) -> Version:
    known = select(Version).where(Version.bot_id == bot.id, Version.name == name)
    row = session.scalars(known).one_or_none()
    if row is None:
        row = Version(
            bot_id=bot.id, name=name, address="", state="submitted", created_at=now(session)
        )
        session.add(row)
    return row


def _take_over(session: Session, old: Version | None, new: Version) -> None:
    """The new version plays from now on, and starts where the old one stands."""
    if old is not None:
        old.state = "superseded"
        session.flush()
    new.state = "active"
    new.activated_at = now(session)
    session.flush()
    if old is not None:
        ledger.inherit(session, old=old.id, new=new.id)


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
