"""The ladder of one table size: its bots by rating."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.database.models import Bot, LadderPlace, User, Version


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place on the ladder of one table size. `wins` counts first ranks, shared or not.

    `rank` is shared by equal ratings; `rating_milli` is in thousandths of an Elo point.
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


def standings(session: Session, seats: int) -> list[Standing]:
    """The ladder of tables with that many seats, best first; only bots with a rated game."""
    query = (
        select(
            func.rank().over(order_by=LadderPlace.rating_milli.desc()),
            Bot.id,
            Bot.name,
            User.name,
            Version.name,
            LadderPlace.rating_milli,
            LadderPlace.games,
            LadderPlace.wins,
            LadderPlace.faults,
        )
        .join(Bot, Bot.id == LadderPlace.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == LadderPlace.version_id)
        .where(LadderPlace.seats == seats, Version.active)
        .order_by(LadderPlace.rating_milli.desc(), Bot.id)
    )
    return [Standing(*row) for row in session.execute(query)]
