"""Authors as everybody may see them: their bots with ranks, and what these played last."""

from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Final

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import NotFound
from ladder.matches.listing import newest_results
from ladder.matches.reading import MatchRow, by_ids
from ladder.model import Bot, BotState, User, Version
from ladder.people.accounts import printable
from ladder.ratings.ranks import Place, Ranks, ranks

MOST_BOTS: Final = 100
"""How many of an author's bots the page lists: the newest."""
_OF_BOTS: Final = 10
"""The newest matches are those of so many bots, the newest ones."""


@dataclass(frozen=True, slots=True)
class AuthoredBot:
    """A bot of the author; `version` is None if none is active, `places` are by table size."""

    id: int
    name: str
    state: BotState
    version: str | None
    language: str | None
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Author:
    """A user who owns `count` bots; `bots` are the newest. The account was made at `since`."""

    id: int
    name: str
    since: datetime
    count: int
    bots: tuple[AuthoredBot, ...]


@dataclass(frozen=True, slots=True)
class FoundAuthor:
    """An author whose name was searched for, with the number of bots."""

    id: int
    name: str
    bots: int


def author(session: Session, user_id: int) -> Author:
    """Return an author with the newest bots. Raises NotFound, also for who has no bot."""
    user = session.get(User, user_id)
    bots = session.execute(_BOTS, {"user": user_id}).all()
    if user is None or not bots:
        raise NotFound("there is no author %(author)s", author=user_id)
    found = ranks(session)
    listed = (
        AuthoredBot(bot_id, name, state, version, language, _places(found, active))
        for bot_id, name, state, version, language, active, _in_all in bots
    )
    return Author(user_id, user.name, user.created_at, bots[0].in_all, tuple(listed))


def newest_matches(session: Session, author: Author, *, limit: int) -> tuple[MatchRow, ...]:
    """Return the newest finished matches of the author's newest bots."""
    bots = [bot.id for bot in author.bots[:_OF_BOTS]]
    ids = set(chain(*newest_results(session, bots, limit=limit).values()))
    return by_ids(session, sorted(ids, reverse=True)[:limit])


def find_by_name(session: Session, name: str, *, most: int) -> tuple[FoundAuthor, ...]:
    """Find up to `most` authors with bots whose name contains `name`, those of this name first."""
    search = printable(name)
    folded = func.lower(User.name)
    query = (
        select(User.id, User.name, func.count(Bot.id))
        .join(Bot, Bot.user_id == User.id)
        .where(User.name.icontains(search, autoescape=True))
        .group_by(User.id, User.name)
        .order_by((folded == search.lower()).desc(), folded, User.id)
        .limit(most)
    )
    return tuple(FoundAuthor(*row) for row in session.execute(query))


def _places(all_ranks: Ranks, version_id: int | None) -> tuple[Place, ...]:
    if version_id is None:
        return ()
    return tuple(place for place in all_ranks.places_of(version_id) if place)


_BOTS: Final = (
    select(
        Bot.id,
        Bot.name,
        model.shown_state(),
        Version.name,
        Version.language,
        Version.id,
        func.count().over().label("in_all"),
    )
    .outerjoin(Version, and_(Version.bot_id == Bot.id, Version.active))
    .where(Bot.user_id == bindparam("user"))
    .order_by(Bot.id.desc())
    .limit(MOST_BOTS)
)
