"""What the page of a bot shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import NotFound
from ladder.model import BotState, MeetingTally, Strength, User, Version
from ladder.model import LadderPlace as Place
from ladder.ratings.elo import is_provisional
from ladder.ratings.standings import ranks

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
    state: BotState
    self_declared: bool
    offline: bool
    pinned: bool
    version: str
    versions: tuple[str, ...]
    ratings: tuple[LadderPlace, ...]
    head_to_head: tuple[HeadToHead, ...]


# Built once: these are asked for each bot's page.
_BOT: Final = (
    select(
        model.Bot.name,
        model.Bot.user_id,
        User.name,
        model.Bot.state,
        model.Bot.house,
        model.Bot.offline_since,
        model.Bot.pinned,
    )
    .join(model.Bot.user)
    .where(model.Bot.id == bindparam("bot"))
)
_VERSIONS: Final = (
    select(Version.name, Version.active, Version.activated_at)
    .where(Version.bot_id == bindparam("bot"))
    .order_by(Version.id.desc())
)
_PLACES: Final = (
    select(
        Place.seats,
        Place.rating_milli,
        Place.games,
        Place.wins,
        Place.faults,
        Strength.strength_milli,
        Strength.low_milli,
        Strength.high_milli,
    )
    .join(Version, Version.id == Place.version_id)
    .outerjoin(
        Strength, and_(Strength.version_id == Place.version_id, Strength.seats == Place.seats)
    )
    .where(Place.bot_id == bindparam("bot"), Version.active)
    .order_by(Place.seats)
)
_GAMES: Final = func.sum(MeetingTally.games).label("games")
_MET: Final = (
    select(
        MeetingTally.opponent_id, (func.sum(MeetingTally.half_points) / 2.0).label("points"), _GAMES
    )
    .where(MeetingTally.bot_id == bindparam("bot"))
    .group_by(MeetingTally.opponent_id)
    .order_by(_GAMES.desc(), MeetingTally.opponent_id)
    .limit(bindparam("most"))
    .subquery()
)
_HEAD_TO_HEAD: Final = (
    select(model.Bot.id, model.Bot.name, User.name, _MET.c.points, _MET.c.games)
    .join(_MET, _MET.c.opponent_id == model.Bot.id)
    .join(model.Bot.user)
    .order_by(_MET.c.games.desc(), model.Bot.id)
)


def profile(session: Session, bot_id: int) -> Profile:
    """What a bot's page shows; raises NotFound."""
    bot = session.execute(_BOT, {"bot": bot_id}).one_or_none()
    if bot is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    name, author_id, author, state, house, offline_since, pinned = bot
    versions = session.execute(_VERSIONS, {"bot": bot_id}).all()
    return Profile(
        bot_id=bot_id,
        name=name,
        author_id=author_id,
        author=author,
        state=state,
        self_declared=not house,
        offline=offline_since is not None,
        pinned=pinned,
        version=next((name for name, active, _ in versions if active), ""),
        versions=tuple(name for name, _, activated_at in versions if activated_at),
        ratings=_places(session, bot_id, pinned=pinned),
        head_to_head=_head_to_head(session, bot_id),
    )


def _places(session: Session, bot_id: int, *, pinned: bool) -> tuple[LadderPlace, ...]:
    found = ranks(session)
    return tuple(
        LadderPlace(
            seats,
            found.rank(seats, rating),
            rating,
            games,
            wins,
            faults,
            is_provisional(games, pinned=pinned),
            *interval,
        )
        for seats, rating, games, wins, faults, *interval in session.execute(
            _PLACES, {"bot": bot_id}
        )
    )


def _head_to_head(session: Session, bot_id: int) -> tuple[HeadToHead, ...]:
    """Most games first."""
    return tuple(
        HeadToHead(opponent, name, author, float(points), int(games))
        for opponent, name, author, points, games in session.execute(
            _HEAD_TO_HEAD, {"bot": bot_id, "most": OPPONENTS}
        )
    )
