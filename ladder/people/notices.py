"""Notices: messages to a user, such as that a bot was paused and why.

A notice is stored as its English sentence and as the template and fields that the sentence was made
of, so that the site can show it in another language: see `ladder.errors.Phrase`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from ladder.errors import Phrase
from ladder.model import Bot, Notice, NoticeTone, below, now, write
from ladder.people.accounts import Account


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice on its reader's list, with the bot that it is about, if any.

    Old notices have only their English sentence: `phrase` is None.
    """

    id: int
    tone: NoticeTone
    sentence: str
    phrase: Phrase | None
    bot_id: int | None
    bot: str | None
    own: bool
    """True if the bot is the reader's."""
    tournament_id: int | None
    created_at: datetime
    unread: bool


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """Notices about one bot, newest first; about the account itself if `bot_id` is None."""

    bot_id: int | None
    bot: str | None
    own: bool
    notices: tuple[ShownNotice, ...]


def notify(
    session: Session,
    user_id: int,
    tone: NoticeTone,
    template: str,
    /,
    bot_id: int | None = None,
    **fields: str | int,
) -> None:
    """Send a user a notice, in a whole sentence; the caller commits.

    `template` names its fields as `%(name)s`; fields that are a Phrase are translated, too. With a
    field `tournament_id` the notice leads there.
    """
    write(session)
    session.add(make_notice(now(session), user_id, tone, template, bot_id=bot_id, **fields))
    session.flush()


def make_notice(
    at: datetime,
    user_id: int,
    tone: NoticeTone,
    template: str,
    /,
    bot_id: int | None = None,
    **fields: str | int,
) -> Notice:
    """Return a notice, for who sends many and adds them to the session together."""
    phrase = Phrase(str(template), **fields)
    return Notice(
        user_id=user_id,
        bot_id=bot_id,
        tone=tone,
        sentence=str(phrase),
        template=phrase.template,
        fields=_as_json(phrase.fields),
        created_at=at,
    )


def count_unread(session: Session, account: Account) -> int:
    """Count the notices that the account has not marked as read."""
    new = Notice.user_id == account.id, Notice.read_at.is_(None)
    return session.scalar(select(func.count()).where(*new)) or 0


def list_notices(
    session: Session, account: Account, *, before: int | None = None, limit: int = 50
) -> list[ShownNotice]:
    """Return the account's notices with an id below `before`, newest first."""
    query = (
        select(Notice, Bot.name, Bot.user_id)
        .outerjoin(Bot, Bot.id == Notice.bot_id)
        .where(Notice.user_id == account.id, below(Notice.id, before))
        .order_by(Notice.id.desc())
        .limit(limit)
    )
    return [
        ShownNotice(
            id=row.id,
            tone=row.tone,
            sentence=row.sentence,
            phrase=None if row.template is None else _from_json(row.template, row.fields or {}),
            bot_id=row.bot_id,
            bot=bot,
            own=author_id == account.id,
            tournament_id=(row.fields or {}).get("tournament_id"),
            created_at=row.created_at,
            unread=row.read_at is None,
        )
        for row, bot, author_id in session.execute(query)
    ]


def by_subject(notices: Sequence[ShownNotice]) -> tuple[NoticeGroup, ...]:
    """Group notices by the bot that they are about; the group with the newest notice is first."""
    groups: dict[int | None, list[ShownNotice]] = {}
    for notice in notices:
        groups.setdefault(notice.bot_id, []).append(notice)
    return tuple(
        NoticeGroup(key, group[0].bot, group[0].own, tuple(group)) for key, group in groups.items()
    )


def mark_read(session: Session, account: Account, shown: Collection[ShownNotice]) -> None:
    """Mark these notices of the account as read; all others stay as they are."""
    new = [notice.id for notice in shown if notice.unread]
    if not new:
        return
    write(session)
    session.execute(
        update(Notice)
        .where(Notice.user_id == account.id, Notice.id.in_(new), Notice.read_at.is_(None))
        .values(read_at=now(session))
    )


def _as_json(fields: dict[str, object]) -> dict[str, Any]:
    """Return the fields as JSON: a phrase becomes {"template", "fields"}, others stay."""
    return {
        name: {"template": value.template, "fields": _as_json(value.fields)}
        if isinstance(value, Phrase)
        else value
        for name, value in fields.items()
    }


def _from_json(template: str, fields: dict[str, Any]) -> Phrase:
    """Return the phrase whose fields `_as_json` has stored."""
    values = {
        name: _from_json(**value) if isinstance(value, dict) else value
        for name, value in fields.items()
    }
    return Phrase(template, **values)
