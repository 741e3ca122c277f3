"""Reset links: an admin makes one and hands it over, its user sets a new password by it, once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, NotFound, Refused
from ladder.model import ResetLink, User, now, write
from ladder.people import names, passwords, tickets
from ladder.people.account import Account
from ladder.people.auditing import audit
from ladder.people.noticing import notify
from ladder.people.signing import end_all, locked, void_links

LASTS: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that has just been made: `ticket` is its last part, and is shown this once."""

    name: str
    ticket: str = field(repr=False)
    expires_at: datetime


def make(session: Session, admin: Account | None, user_id: int) -> Link:
    """A new link for the user; those made before are void. Without an admin, by the operator.

    Raises Forbidden, NotFound and Refused.
    """
    if admin is not None and not admin.is_admin:
        raise Forbidden("only admins make reset links")
    write(session)
    user = session.get(User, user_id)
    if user is None or user.deleted_at is not None:
        raise NotFound("there is no user %(user)s", user=user_id)
    if user.name == names.HOUSE:
        raise Refused(
            "%(name)s owns the house bots, and nobody signs in by that name", name=names.HOUSE
        )
    ticket, moment = tickets.draw(), now(session)
    void_links(session, user.id)
    session.add(
        ResetLink(
            token_hash=tickets.digest(ticket),
            user_id=user.id,
            made_by=admin.id if admin else None,
            created_at=moment,
            expires_at=moment + LASTS,
        )
    )
    audit(session, admin, "reset link", f"user {user.id}")
    return Link(user.name, ticket, moment + LASTS)


def owner(session: Session, ticket: str) -> str:
    """The name of the user whose link this is; raises NotFound where it is not good any more."""
    return _good(session, ticket)[1].name


def use(session: Session, ticket: str, password: str) -> None:
    """Set the user's password; the link is used up, and every browser is signed out.

    API tokens stay: they were not what was forgotten. Raises NotFound and Invalid.
    """
    row, user = _good(session, ticket)
    passwords.check(password, user.name)
    kept = passwords.keep(password)
    write(session)
    locked(session, user.id)
    row, user = _good(session, ticket)  # nobody else used it meanwhile
    row.used_at = now(session)
    user.password_hash = kept
    session.flush()
    end_all(session, user.id)
    notify(session, user.id, "Your password was set anew by a reset link.")


def _good(session: Session, ticket: str) -> tuple[ResetLink, User]:
    query = (
        select(ResetLink, User)
        .join(User, User.id == ResetLink.user_id)
        .where(
            ResetLink.token_hash == tickets.digest(ticket),
            ResetLink.used_at.is_(None),
            ResetLink.expires_at > now(session),
            User.deleted_at.is_(None),
        )
    )
    found = session.execute(query, execution_options={"populate_existing": True}).one_or_none()
    if found is None:
        raise NotFound("this link is not good, or not any more: ask an admin for another one")
    return found[0], found[1]
