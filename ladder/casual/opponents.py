"""The bots that play with people: those of the house, weakest first."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.matches.tables import ready_for
from ladder.model import Bot, LadderPlace, MatchKind, User, Version
from referee.ways import HOSTED_PREFIX


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that plays with people now; `rating` in milli-Elo, None if it has none yet."""

    bot_id: int
    version_id: int
    name: str
    author: str
    house: bool
    rating: int | None


def opponents(session: Session, seats: int = 2) -> tuple[Opponent, ...]:
    """Return the bots that play with people now, weakest first by the ladder of this size."""
    rating = func.min(LadderPlace.rating_milli)
    query = (
        _ready()
        .add_columns(rating.label("rating"))
        .outerjoin(
            LadderPlace, and_(LadderPlace.version_id == Version.id, LadderPlace.seats == seats)
        )
        .group_by(Bot.id, Version.id, Bot.name, User.name, Bot.house)
        .order_by(rating.is_(None), rating, Bot.name)
    )
    return tuple(Opponent(*row) for row in session.execute(query))


def version_of(session: Session, bot_id: int) -> int:
    """Return the version that plays for a bot now. Raises NotFound if it does not play."""
    row = session.execute(_ready().where(Bot.id == bot_id)).one_or_none()
    if row is None:
        raise NotFound("bot %(bot)s does not play with people now", bot=bot_id)
    return int(row[1])


def _ready() -> Select[Any]:
    columns: tuple[Any, ...] = (Bot.id, Version.id, Bot.name, User.name, Bot.house)
    return (
        select(*columns)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.bot_id == Bot.id)
        .where(ready_for(MatchKind.LADDER), _plays_with_people())
    )


def _plays_with_people() -> ColumnElement[bool]:
    return and_(Bot.house, ~Version.address.startswith(HOSTED_PREFIX))
