"""List bots that don't play and versions under validation; pause and resume any bot.

Each action needs an admin and a reason; the caller commits.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from ladder.bots import availability
from ladder.errors import NotFound, Phrase, Refused
from ladder.model import UNDER_VALIDATION, Bot, BotState, NoticeTone, User, Version, shown_state
from ladder.people.accounts import Account, checked_reason, record_action, require_admin
from ladder.people.notices import notify
from ladder.ratings import ledger

_MOST: Final = 50  # rows of a list


@dataclass(frozen=True, slots=True)
class BotAway:
    """The state of a bot that is paused, or out of reach since `offline_since`.

    `barred` is True if only an admin may resume it.
    """

    id: int
    name: str
    author: str
    state: str
    reason: str | None
    offline_since: datetime | None
    barred: bool


@dataclass(frozen=True, slots=True)
class InValidation:
    """A version that is submitted, being checked, or on trial."""

    bot_id: int
    bot: str
    author: str
    version: str
    state: str
    trial_match_id: int | None
    created_at: datetime


def bot(session: Session, bot_id: int) -> BotAway:
    """Read the state of any bot. Raises NotFound."""
    row = session.execute(_WITH_VERSION.where(Bot.id == bot_id)).one_or_none()
    if row is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    return BotAway(*row)


def away(session: Session) -> tuple[BotAway, ...]:
    """List paused and unreachable bots, newest first, except those without an active version."""
    query = (
        _WITH_VERSION.where(
            or_(shown_state() == BotState.PAUSED, Version.offline_since.is_not(None)),
            Bot.state != BotState.RETIRED,
        )
        .order_by(Bot.id.desc())
        .limit(_MOST)
    )
    return tuple(BotAway(*row) for row in session.execute(query))


def validation(session: Session) -> tuple[InValidation, ...]:
    """List the versions under validation, oldest first."""
    query = (
        select(Bot.id, Bot.name, User.name, Version.name, Version.state)
        .add_columns(Version.trial_match_id, Version.created_at)
        .join(Version.bot)
        .join(Bot.user)
        .where(Version.state.in_(UNDER_VALIDATION))
        .order_by(Version.id)
        .limit(_MOST)
    )
    return tuple(InValidation(*row) for row in session.execute(query))


def pause(session: Session, admin: Account, bot_id: int, reason: str) -> None:
    """Pause any bot until an admin or its author resumes it; notify the author of the reason.

    Running games are played to their end. Raises Forbidden, Invalid (`reason`), NotFound and
    Refused.
    """
    bot, reason = _checked(session, admin, bot_id, reason)
    if bot.state != BotState.ACTIVE:
        raise Refused("%(bot)s is already %(state)s", bot=bot.name, state=Phrase(bot.state))
    availability.pause_for(session, bot_id, Phrase("An admin paused it: %(reason)s", reason=reason))
    record_action(session, admin, "pause", f"bot {bot_id}", reason)


def bar(session: Session, admin: Account, bot_id: int, reason: str) -> None:
    """Pause any bot, even a paused one, until an admin resumes it. Raises as `pause`."""
    bot, reason = _checked(session, admin, bot_id, reason)
    if bot.barred:
        raise Refused("%(bot)s is already paused until an admin resumes it", bot=bot.name)
    why = Phrase("An admin paused it, and only an admin can resume it: %(reason)s", reason=reason)
    availability.pause_for(session, bot_id, why, bar=True)
    record_action(session, admin, "bar", f"bot {bot_id}", reason)


def resume(session: Session, admin: Account, bot_id: int, reason: str) -> None:
    """Let any paused or unreachable bot play again; notify its author. Raises as `pause`."""
    row, reason = _checked(session, admin, bot_id, reason)
    seen = bot(session, bot_id)
    if seen.state == BotState.ACTIVE and seen.offline_since is None:
        raise Refused("%(bot)s is already active", bot=seen.name)
    availability.resume_for(session, bot_id)
    template = Phrase("An admin resumed %(bot)s: %(reason)s")
    tone = NoticeTone.GOOD
    notify(session, row.user_id, tone, template, bot_id=bot_id, bot=row.name, reason=reason)
    record_action(session, admin, "resume", f"bot {bot_id}", reason)


def _checked(session: Session, admin: Account, bot_id: int, reason: str) -> tuple[Bot, str]:
    """Return a bot, with the ledger locked, and the reason. Raises as `pause`."""
    require_admin(admin)
    reason = checked_reason(reason)
    ledger.lock(session)
    bot = session.get(Bot, bot_id, populate_existing=True)
    if bot is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    if bot.state == BotState.RETIRED:
        raise Refused("%(bot)s is retired and can't come back", bot=bot.name)
    return bot, reason


_WITH_VERSION: Final = (
    select(
        Bot.id,
        Bot.name,
        User.name,
        shown_state(),
        func.coalesce(Bot.pause_reason, Version.suspension),
        Version.offline_since,
        Bot.barred,
    )
    .join(Bot.user)
    .outerjoin(Version, (Version.bot_id == Bot.id) & Version.active)
)
"""The columns of `BotAway`, by the active version if there is one."""
