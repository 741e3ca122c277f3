"""Notices: what a user is told, such as that a bot was paused and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from ladder.accounts.account import Account
from ladder.database import now, write
from ladder.database.models import Bot, Notice


@dataclass(frozen=True, slots=True)
class Told:
    """A notice on its reader's list, with the bot that it is about, if any."""

    id: int
    sentence: str
    bot_id: int | None
    bot: str | None
    created_at: datetime
    unread: bool


def notify(session: Session, user_id: int, sentence: str, bot_id: int | None = None) -> None:
    """Tell a user something, in a whole sentence; the caller commits."""
    write(session)
    session.add(Notice(user_id=user_id, bot_id=bot_id, sentence=sentence, created_at=now(session)))
    session.flush()


def unread(session: Session, account: Account) -> int:
    """How many notices the account has not marked as read."""
    new = Notice.user_id == account.id, Notice.read_at.is_(None)
    return session.scalar(select(func.count()).select_from(Notice).where(*new)) or 0


def listing(
    session: Session, account: Account, *, before: int | None = None, limit: int = 50
) -> list[Told]:
    """The account's notices, newest first, those with an id below `before`."""
    query = (
        select(Notice, Bot.name)
        .outerjoin(Bot, Bot.id == Notice.bot_id)
        .where(Notice.user_id == account.id)
        .order_by(Notice.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(Notice.id < before)
    return [
        Told(row.id, row.sentence, row.bot_id, bot, row.created_at, row.read_at is None)
        for row, bot in session.execute(query)
    ]


def mark_read(session: Session, account: Account, up_to: int) -> None:
    """Mark the account's notices up to this id as read: what came in since is still new."""
    write(session)
    session.execute(
        update(Notice)
        .where(Notice.user_id == account.id, Notice.id <= up_to, Notice.read_at.is_(None))
        .values(read_at=now(session))
    )
