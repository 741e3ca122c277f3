"""The audit: a record of each action that needs a role, with who did it, to what, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid
from ladder.model import AuditEntry, User, now, write
from ladder.people.accounts import Account

LONGEST_REASON: Final = 500
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One action. `actor` is None if the operator took it by command, on their machine."""

    id: int
    actor: str | None
    action: str
    subject: str
    reason: str | None
    created_at: datetime


def require_admin(account: Account) -> None:
    """Raise Forbidden unless the account is an admin's."""
    if not account.is_admin:
        raise Forbidden("only admins operate the service")


def checked_reason(reason: str, most: int = LONGEST_REASON) -> str:
    """Return the reason without blanks around it.

    Raises Invalid (`reason`) if it is empty or has more than `most` characters.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= most:
        raise Invalid("reason", "give a reason, of %(most)s characters at most", most=most)
    return reason


def record_action(
    session: Session, account: Account | None, action: str, subject: str, reason: str | None = None
) -> None:
    """Record an action in the audit; the caller commits it together with the action itself.

    `account` is None for the operator. `subject` gives ids ("user 7", "match 12"), so that no name
    outlives its account here.
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


def audit_records(
    session: Session, *, before: int | None = None, limit: int = 50
) -> list[AuditRecord]:
    """Return the newest records with an id below `before`, newest first."""
    query = (
        select(AuditEntry, User.name)
        .outerjoin(User, User.id == AuditEntry.user_id)
        .order_by(AuditEntry.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(AuditEntry.id < before)
    return [
        AuditRecord(row.id, actor, row.action, row.subject, row.reason, row.created_at)
        for row, actor in session.execute(query)
    ]
