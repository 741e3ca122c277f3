"""Versions in reach and out of reach: missed at a match, looked for, or in at the gateway.

A version that could not be reached before it accepted a game is offline: nothing is dialled for its
sake but a look from time to time, and the first that finds it ends that. Since a bot may say who it
is and yet accept no game, what counts for the pause between looks, and for the grace of a
tournament, is the time since it was first missed; only a game that was played to its end clears it.
What happens to one version says nothing of another.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, case, func, null, or_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import Phrase
from ladder.model import Bot, BotState, Entry, NoticeTone, Tournament, Version, VersionState
from ladder.people.notices import notify

_SHORTEST_PAUSE: Final = timedelta(seconds=5)
_LONGEST_PAUSE: Final = timedelta(minutes=5)
_PAUSE_PART: Final = 4  # a pause is one part in four of the time that the bot has been missed
_UNREACHED: Final = {
    VersionState.ACTIVE: Phrase("%(bot)s could not be reached: %(why)s"),
    VersionState.SUPERSEDED: Phrase(
        "%(bot)s %(version)s, which still plays in a tournament, could not be reached: %(why)s"
    ),
}


@dataclass(frozen=True, slots=True)
class Look:
    """A version that may be back, and the address at which it answered. `secret`: encrypted.

    `stated` is the version that has to answer there; None if any version counts.
    """

    version_id: int
    name: str
    address: str
    secret: bytes | None = field(default=None, repr=False)
    house: bool = False
    stated: str | None = None


def missed(session: Session, version_id: int, why: str) -> None:
    """Note that a version could not be reached before it accepted a game.

    Its author is told the first time, and not again before it has played a game to its end. One
    that is being validated, or is hosted, is tried again without a look. The caller commits, here
    and below.
    """
    model.write(session)
    version = session.get_one(Version, version_id, populate_existing=True)
    at = model.now(session)
    if version.unreached_since is None:
        _tell(session, version, why)
    version.unreached_since = version.unreached_since or at
    version.looked_at = at
    if version.state not in model.UNDER_VALIDATION and version.package is None:
        version.offline_since = version.offline_since or at
        version.probe_at = at + pause_between_looks(at - version.unreached_since)
    session.flush()


def lost(session: Session, version_id: int) -> None:
    """Note that the platform can't reach a version now, and have it looked for; not missed."""
    model.write(session)
    at = model.now(session)
    there = update(Version).where(
        Version.id == version_id, Version.offline_since.is_(None), Version.package.is_(None)
    )
    session.execute(there.values(offline_since=at, probe_at=at + _SHORTEST_PAUSE))


def awaited(session: Session, version_ids: Collection[int]) -> None:
    """Note that a tournament waits for these versions, which nobody has called in vain before.

    Their authors are told, except of bots that they have paused themselves.
    """
    model.write(session)
    # Locked, so that of two schedulers only one tells it.
    fresh = Version.id.in_(version_ids), Version.unreached_since.is_(None)
    query = select(Version).where(*fresh).order_by(Version.id)
    query = query.with_for_update(key_share=True, of=Version)
    for version in session.scalars(query, execution_options={"populate_existing": True}).all():
        version.unreached_since = model.now(session)
        _tell(session, version, Phrase("A tournament waits for it."))
    session.flush()


def online(session: Session, version_id: int) -> None:
    """Note that a version was reached; the next game shows whether it plays."""
    model.write(session)
    away = update(Version).where(Version.id == version_id, Version.offline_since.is_not(None))
    session.execute(away.values(offline_since=None, probe_at=None))


def still_away(session: Session, version_id: int) -> None:
    """Note that a version was looked for in vain."""
    model.write(session)
    own = update(Version).where(Version.id == version_id)
    session.execute(own.values(looked_at=model.now(session)))


def excused(session: Session, version_id: int) -> None:
    """Note that the platform could not look for a version: until now it was not missed."""
    away = and_(Version.id == version_id, Version.unreached_since.is_not(None))
    model.change_rows(session, Version, away, unreached_since=model.now(session))


def reached(session: Session, version_ids: Collection[int]) -> None:
    """Note that these versions have played a game to its end."""
    model.change_rows(session, Version, Version.id.in_(version_ids), unreached_since=None)


def look_now(session: Session, version_ids: Collection[int]) -> None:
    """Have those of the versions that are offline looked for at once."""
    away = and_(Version.id.in_(version_ids), Version.offline_since.is_not(None))
    model.change_rows(session, Version, away, probe_at=model.now(session))


def look(session: Session) -> Look | None:
    """Return a version that should be looked for now, if any; the caller commits and looks.

    Nobody else gets the same one before its next time has come.
    """
    next_look = func.coalesce(Version.probe_at, Version.offline_since)
    at = model.now(session)
    query = (
        select(
            Version.id,
            Bot.name,
            Version.address,
            Version.secret,
            Bot.house,
            # If another version answers in place of the active one, the next match says so.
            case((Version.active, null()), else_=Version.name),
        )
        .join(Version.bot)
        .where(Version.offline_since.is_not(None), next_look <= at)
        .where(Bot.state == BotState.ACTIVE, Version.package.is_(None), has_matches())
        .order_by(next_look)
        .limit(1)
    )
    if session.execute(query).one_or_none() is None:  # mostly so: then nobody waits for a lock
        return None
    model.write(session)
    row = session.execute(query.with_for_update(skip_locked=True, of=Version)).one_or_none()
    if row is None:
        return None
    due = Look(*row)
    since = session.scalar(select(Version.unreached_since).where(Version.id == due.version_id))
    next_at = at + pause_between_looks(at - (since or at))
    own = update(Version).where(Version.id == due.version_id)
    session.execute(own.values(probe_at=next_at))
    return due


def has_matches() -> ColumnElement[bool]:
    """Return the condition that a version is active, or plays in a tournament under way."""
    entered = (
        select(Entry.version_id)
        .join(Tournament, Tournament.id == Entry.tournament_id)
        .where(
            Entry.state == model.EntryState.ENTERED,
            Tournament.state.in_(model.TOURNAMENT_UNDER_WAY),
        )
    )
    return or_(Version.active, Version.id.in_(entered))


def pause_between_looks(missed_for: timedelta) -> timedelta:
    """Return the time until the next look for a version that has been missed for this time."""
    return min(max(_SHORTEST_PAUSE, missed_for / _PAUSE_PART), _LONGEST_PAUSE)


def _tell(session: Session, version: Version, why: str) -> None:
    """Notify the author that a version is missed, unless it is only on trial or the bot paused."""
    bot, template = version.bot, _UNREACHED.get(version.state)
    if bot.state is BotState.ACTIVE and template is not None:
        names = {"bot": bot.name, "version": version.name}
        notify(session, bot.user_id, NoticeTone.BAD, template, bot_id=bot.id, why=why, **names)
