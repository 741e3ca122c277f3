"""Bots out of reach: since when, and when somebody looks whether they are back.

A bot that could not be reached before it accepted a game is offline: nothing is dialled for its
sake but a look from time to time, and the first that finds it ends that. Since a bot may say who it
is and yet accept no game, what counts for the pause between looks, and for the grace of a
tournament, is the time since it was first missed; only a game that was played to its end clears it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import BindParameter, and_, bindparam, func, select, update
from sqlalchemy.orm import Session

from ladder import bots
from ladder.matches.tables import Player
from ladder.model import Bot, BotState, Version, change_bots, now, write

_FIRST: Final = timedelta(seconds=5)
_LAST: Final = timedelta(minutes=5)
_PART: Final = 4  # the pause grows to such a part of the time that the bot has been missed

_PLAYED: Final[BindParameter[Any]] = bindparam("version_ids", expanding=True)
_REACHED: Final = (
    update(Version.__table__)  # type: ignore[arg-type]
    .where(Version.id.in_(_PLAYED), Version.unreached_since.is_not(None))
    .values(unreached_since=None),
    update(Bot.__table__)  # type: ignore[arg-type]
    .where(
        Bot.id.in_(select(Version.bot_id).where(Version.id.in_(_PLAYED), Version.active)),
        Bot.unreached_since.is_not(None),
    )
    .values(unreached_since=None),
)


@dataclass(frozen=True, slots=True)
class Look:
    """A bot that may be back, and where it answered. `secret`: encrypted."""

    bot_id: int
    name: str
    address: str
    secret: bytes | None = field(default=None, repr=False)
    house: bool = False


def missed(session: Session, player: Player, why: str) -> datetime:
    """The bot could not be reached before it accepted; since when it is missed. The caller commits.

    It is offline where it is the bot's active version that was called. Another version is missed by
    itself: what the active one plays meanwhile says nothing of it.
    """
    write(session)
    at = now(session)
    version = session.get_one(Version, player.version_id, populate_existing=True)
    if not version.active:
        since = version.unreached_since = version.unreached_since or at
    else:
        bots.offline(session, player.bot_id, why)
        bot = session.get_one(Bot, player.bot_id)
        since = bot.unreached_since or at
        bot.probe_at = at + pause(at - since)
    session.flush()
    return since


def reached(session: Session, version_ids: Sequence[int]) -> None:
    """These versions have played a game to its end. The caller commits."""
    session.flush()
    for statement in _REACHED:
        session.connection().execute(statement, {"version_ids": version_ids})


def look_now(session: Session, bot_ids: Sequence[int]) -> None:
    """Let somebody look at once for those of the bots that are offline. The caller commits."""
    away = and_(Bot.id.in_(bot_ids), Bot.offline_since.is_not(None))
    change_bots(session, away, probe_at=now(session))


def look(session: Session) -> Look | None:
    """A bot that somebody should look for now, if there is one; the caller commits and looks.

    Nobody else gets the same one before its next time has come.
    """
    next_look = func.coalesce(Bot.probe_at, Bot.offline_since)
    at = now(session)
    query = (
        select(Bot.id, Bot.name, Version.address, Version.secret, Bot.house)
        .join(Version, Version.bot_id == Bot.id)
        .where(Bot.offline_since.is_not(None), next_look <= at)
        .where(Bot.state == BotState.ACTIVE, Version.active)
        .order_by(next_look)
        .limit(1)
    )
    if session.execute(query).one_or_none() is None:  # mostly so: then nobody waits for a lock
        return None
    write(session)
    row = session.execute(query.with_for_update(skip_locked=True, of=Bot)).one_or_none()
    if row is None:
        return None
    since = session.scalar(select(Bot.unreached_since).where(Bot.id == row.id)) or at
    session.execute(
        update(Bot).where(Bot.id == row.id).values(probe_at=at + pause(at - since)),
        execution_options={"synchronize_session": False},
    )
    return Look(*row)


def pause(missed_for: timedelta) -> timedelta:
    """The time until the next look for a bot that has been missed for so long."""
    return min(max(_FIRST, missed_for / _PART), _LAST)
