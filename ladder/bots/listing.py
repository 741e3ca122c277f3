"""Bots and versions as everybody may see them: no addresses, nothing that is being checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import NotFound
from ladder.model import BotState, User, Version, VersionState
from ladder.ratings.boards import name_contains


@dataclass(frozen=True, slots=True)
class ListedBot:
    """A bot with a version that plays. `state`: active, paused or retired; `house`: the operator's
    own; `offline`: it could not be reached and is looked for."""

    id: int
    name: str
    author: str
    version: str
    language: str | None
    state: BotState
    offline: bool
    house: bool


@dataclass(frozen=True, slots=True)
class PlayedVersion:
    """A version that plays (`active`) or has played (`superseded`) for its bot."""

    id: int
    name: str
    language: str | None
    state: VersionState
    activated_at: datetime | None


def page(session: Session, *, before: int | None = None, limit: int = 50) -> list[ListedBot]:
    """The newest bots, of those with a lower id than `before`."""
    query = (
        select(model.Bot, User.name, Version.name, Version.language)
        .join(model.Bot.user)
        .join(Version, (Version.bot_id == model.Bot.id) & Version.active)
        .order_by(model.Bot.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(model.Bot.id < before)
    return [
        ListedBot(
            id=bot.id,
            name=bot.name,
            author=author,
            version=version,
            language=language,
            state=bot.state,
            offline=bot.offline_since is not None,
            house=bot.house,
        )
        for bot, author, version, language in session.execute(query)
    ]


@dataclass(frozen=True, slots=True)
class Called:
    """A bot that fits what somebody calls it."""

    id: int
    name: str
    author: str


_CALLED: Final = (
    select(model.Bot.id, model.Bot.name, User.name)
    .join(model.Bot.user)
    .join(Version, (Version.bot_id == model.Bot.id) & Version.active)
    .limit(bindparam("most"))
)


def called(session: Session, name: str, *, most: int) -> tuple[Called, ...]:
    """Bots whose name or author contains this, so many at most: those of just this name first.

    Where one alone has just this name, it is meant.
    """
    folded = func.lower(model.Bot.name)
    query = _CALLED.where(name_contains(name))
    query = query.order_by((folded == func.lower(name)).desc(), folded, model.Bot.id)
    found = tuple(Called(*row) for row in session.execute(query, {"most": most}))
    same = [bot for bot in found if bot.name.casefold() == name.casefold()]
    return tuple(same) if len(same) == 1 else found


def name_of(session: Session, bot_id: int) -> str | None:
    """The name of a bot; None where there is no such bot."""
    return session.scalar(select(model.Bot.name).where(model.Bot.id == bot_id))


_VERSIONS: Final = (
    select(Version.id, Version.name, Version.language, Version.state, Version.activated_at)
    .where(
        Version.bot_id == bindparam("bot"),
        Version.activated_at.is_not(None),
        Version.id < bindparam("before"),
    )
    .order_by(Version.id.desc())
    .limit(bindparam("most"))
)
"""Built once: asked for each bot's page."""
_ALL: Final = 2**31 - 1


def versions(
    session: Session, bot_id: int, *, before: int | None = None, limit: int = _ALL
) -> tuple[PlayedVersion, ...]:
    """A bot's versions that have been active, newest first, those with an id below `before`.

    Raises NotFound.
    """
    wanted = {"bot": bot_id, "before": before or _ALL, "most": limit}
    found = session.execute(_VERSIONS, wanted).all()
    if not found and session.get(model.Bot, bot_id) is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    return tuple(PlayedVersion(*row) for row in found)
