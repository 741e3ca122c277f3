"""The audit: what was done by virtue of a role, by whom, to what, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import AuditEntry, User, now, write
from ladder.people.account import Account


@dataclass(frozen=True, slots=True)
class Entry:
    """One deed. `actor` is None where it was done by command, on the operator's machine."""

    id: int
    actor: str | None
    action: str
    subject: str
    reason: str | None
    created_at: datetime


def audit(
    session: Session, account: Account | None, action: str, subject: str, reason: str | None = None
) -> None:
    """Write down a deed; the caller commits it together with the deed itself.

    `subject` names things by their ids ("user 7", "match 12"), so that no name outlives its account
    here.
    """
    write(session)
    session.add(
        AuditEntry(
            user_id=account.id if account else None,
            action=action,
            subject=subject,
            reason=reason,
            created_at=now(session),
        )
    )
    session.flush()


def entries(session: Session, *, before: int | None = None, limit: int = 50) -> list[Entry]:
    """The newest entries, those with an id below `before`."""
    query = (
        select(AuditEntry, User.name)
        .outerjoin(User, User.id == AuditEntry.user_id)
        .order_by(AuditEntry.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(AuditEntry.id < before)
    return [
        Entry(row.id, actor, row.action, row.subject, row.reason, row.created_at)
        for row, actor in session.execute(query)
    ]
