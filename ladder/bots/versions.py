"""Versions: which one of a bot's plays, and how a new one takes over from it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from ladder.errors import NotFound, Phrase
from ladder.model import (
    Bot,
    BotState,
    Match,
    MatchState,
    Seat,
    Version,
    VersionState,
    move_bot,
    move_version,
    now,
)
from ladder.people.notices import notify
from ladder.ratings import ledger

CHECK: Final = "check"
"""The kind of job that checks a version."""


def take_over(session: Session, version_id: int) -> None:
    """Make a version the active one of its bot. The caller commits.

    It inherits its predecessor's ratings, and sits down in its place where a ladder match is still
    queued. What the predecessor is playing counts for the predecessor; in tournaments it stays on
    the entry list. From now on the bot has the slots of the new version. A pause by the referee
    ends; one by the author, a bar by an admin, and a retirement, do not.
    """
    ledger.lock(session)
    version = session.get(Version, version_id)
    if version is None:
        raise NotFound("there is no version %(version)s", version=version_id)
    make_active(session, version)
    bot = version.bot
    if bot.state is BotState.PAUSED and bot.pause_reason is not None and not bot.barred:
        move_bot(bot, BotState.ACTIVE)
    notify(session, bot.user_id, _news(bot), bot_id=bot.id, version=version.name, bot=bot.name)
    bot.slots = version.slots or bot.joined_slots or bot.slots
    bot.faulted_in_a_row = 0
    bot.offline_since = bot.unreached_since = bot.probe_at = None


def make_active(session: Session, new: Version) -> None:
    """Let a version play from now on, unless it does. The ledger must be locked."""
    session.flush()
    before = select(Version).where(Version.bot_id == new.bot_id, Version.active)
    old = session.scalars(before).one_or_none()
    if old is new:
        return
    if old is not None:
        move_version(old, VersionState.SUPERSEDED)
        session.flush()
    move_version(new, VersionState.ACTIVE)
    new.activated_at = now(session)
    session.flush()
    if old is not None:
        ledger.inherit(session, old=old.id, new=new.id)
        _reseat(session, old=old.id, new=new.id)


def reject(session: Session, version: Version, reason: str) -> None:
    """A version is not to play; its author is told why (a sentence; best a Phrase)."""
    move_version(version, VersionState.REJECTED, str(reason))
    notify(
        session,
        version.bot.user_id,
        "Version %(version)s of %(bot)s was rejected. %(reason)s",
        bot_id=version.bot_id,
        version=version.name,
        bot=version.bot.name,
        reason=reason,
    )


def _news(bot: Bot) -> Phrase:
    """What its author is told of a version that was made active."""
    if bot.barred:
        return Phrase(
            "Version %(version)s of %(bot)s is accepted; it plays when an admin resumes the bot."
        )
    if bot.state is BotState.PAUSED:
        return Phrase(
            "Version %(version)s of %(bot)s is accepted; resume the bot, which is paused, to play."
        )
    return Phrase("Version %(version)s of %(bot)s plays.")


def _reseat(session: Session, *, old: int, new: int) -> None:
    """Seat the new version where a ladder match is still queued.

    Who claims one at this moment plays and counts the old version: what is locked stays as it is.
    If the claim comes to nothing, the match is withdrawn, as those of all versions that play no
    more.
    """
    seated = exists().where(Seat.match_id == Match.id, Seat.version_id == old)
    queued = select(Match.id).where(
        Match.state == MatchState.QUEUED, Match.kind == "ladder", seated
    )
    ids = session.scalars(queued.with_for_update(skip_locked=True)).all()
    session.execute(
        update(Seat).where(Seat.version_id == old, Seat.match_id.in_(ids)).values(version_id=new),
        execution_options={"synchronize_session": False},
    )
