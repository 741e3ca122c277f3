"""The bots that play with people: those of the house, and those whose authors allow it.

Only a bot that could play on the ladder now is offered: active, in reach, not suspended, and with a
host if it needs one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.errors import Invalid, NotFound, Refused
from ladder.matches.tables import can_start, ready_for
from ladder.model import Bot, CasualGame, CasualSeat, CasualState, LadderPlace, User, Version, now
from ladder.ratings.boards import name_contains
from referee.rules.pieces import MIN_PLAYERS

SHOWN: Final = 40
"""How many authors' bots are listed at most; a search finds the others."""
GAMES: Final = 20
"""How many games an author's bot plays with people, of those in which somebody chose lately."""
LATELY: Final = timedelta(minutes=10)
"""How long a game waits for a choice before it counts no more."""


@dataclass(frozen=True, slots=True)
class CasualOpponent:
    """A bot that plays with people now; `rating` in milli-Elo, None if it has none yet."""

    bot_id: int
    name: str
    author: str
    house: bool
    rating_milli: int | None
    deviation_milli: int | None


def house_bots(session: Session) -> Sequence[CasualOpponent]:
    """Return the bots of the house, weakest first.

    Those without a rating on the ladder of two stand by their mean on the others.
    """
    return _found(session, Bot.house.is_(True))


def authors_bots(session: Session, search: str = "") -> tuple[Sequence[CasualOpponent], bool]:
    """Return the bots of authors, weakest first, and whether there are more than SHOWN of them.

    `search`: a part of the name of a bot or its author.
    """
    found = _found(session, and_(~Bot.house, name_contains(search)), SHOWN + 1)
    return found[:SHOWN], len(found) > SHOWN


def version_of(session: Session, bot_id: int) -> int:
    """Return the version that plays for a bot now. Raises NotFound if it plays with no people."""
    version_id = session.scalar(_ready().with_only_columns(Version.id).where(Bot.id == bot_id))
    if version_id is None:
        known = select(Bot.name).join(Version, Version.bot_id == Bot.id).where(Bot.id == bot_id)
        name = session.scalar(known.where(Version.activated_at.is_not(None)).limit(1))
        raise NotFound("bot %(bot)s does not play with people now", bot=name or bot_id)
    return int(version_id)


def refuse_busy(session: Session, table: Iterable[CasualSeat]) -> None:
    """Raise Refused if a bot at the table is an author's and plays GAMES games already.

    A game counts once it is played: to open it is not enough. Locks these bots, so that nobody else
    counts now.
    """
    versions = [one.version_id for one in table if one.is_bot]
    seated = select(Version.bot_id).where(Version.id.in_(versions))
    own = select(Bot.id, Bot.name).where(Bot.id.in_(seated), ~Bot.house).order_by(Bot.id)
    for bot_id, name in session.execute(own.with_for_update(key_share=True)).all():
        if _games(session, bot_id) >= GAMES:
            raise Refused(
                "%(bot)s already plays with %(count)s people: choose another bot, or come back "
                "later",
                bot=name,
                count=GAMES,
            )


def refuse_twice(session: Session, opponents: Sequence[int | None]) -> None:
    """Raise Invalid if an author's bot is wished for two seats: it may be able to play one only."""
    twice = {bot for bot in opponents if bot is not None and opponents.count(bot) > 1}
    query = select(Bot.name).where(Bot.id.in_(twice), ~Bot.house)
    if twice and (name := session.scalar(query)) is not None:
        raise Invalid("opponents", "%(bot)s can take only one seat", bot=name)


def waits_since() -> ColumnElement[datetime]:
    """Return the time since when a game waits for a choice, or for its people."""
    return func.coalesce(CasualGame.asked_at, CasualGame.created_at)


def _games(session: Session, bot_id: int) -> int:
    """Count the games of a bot in which something happened lately; others ask nothing of it."""
    since = now(session) - LATELY
    query = (
        select(func.count(CasualGame.id.distinct()))
        .join(CasualSeat, CasualSeat.game_id == CasualGame.id)
        .join(Version, Version.id == CasualSeat.version_id)
        .where(
            Version.bot_id == bot_id, CasualGame.state == CasualState.PLAYING, waits_since() > since
        )
    )
    return session.scalar(query) or 0


def _found(
    session: Session, which: ColumnElement[bool], limit: int | None = None
) -> Sequence[CasualOpponent]:
    place = and_(LadderPlace.version_id == Version.id, LadderPlace.seats == MIN_PLAYERS)
    rating, anywhere = LadderPlace.rating_milli, aliased(LadderPlace)
    mean = select(func.avg(anywhere.rating_milli)).where(anywhere.version_id == Version.id)
    strength = func.coalesce(rating, mean.scalar_subquery())
    query = (
        _ready()
        .add_columns(rating, LadderPlace.deviation_milli)
        .outerjoin(LadderPlace, place)
        .where(which)
        .order_by(strength.is_(None), strength, Bot.name)
        .limit(limit)
    )
    return [CasualOpponent(*row) for row in session.execute(query)]


def _ready() -> Select[Any]:
    columns: tuple[Any, ...] = (Bot.id, Bot.name, User.name, Bot.house)
    return (
        select(*columns)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.bot_id == Bot.id)
        .where(ready_for(model.MatchKind.LADDER), can_start(), or_(Bot.house, Bot.open_to_people))
    )
