"""Signing up, in and out. A signed-in browser has a ticket in a cookie."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ladder.errors import Invalid, NotSignedIn
from ladder.model import ResetLink, SignIn, User, now, write
from ladder.people import names, passwords, tickets
from ladder.people.account import Account, SignedIn, of

LASTS: Final = timedelta(days=30)
"""How long a browser stays signed in."""


def sign_up(session: Session, *, name: str, password: str) -> Account:
    """A new author's account. Raises Invalid."""
    name = names.new(name)
    passwords.check(password, name)
    kept = passwords.keep(password)
    write(session)
    user = User(name=name, role="author", password_hash=kept, created_at=now(session))
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:
        raise Invalid("name", "the name %(name)s is taken: choose another one", name=name) from None
    return of(user)


def sign_in(session: Session, *, name: str, password: str) -> SignedIn:
    """A new ticket for the user's browser. Raises NotSignedIn.

    Whether the name or the password was wrong shows neither in the sentence nor in the time.
    """
    user = names.find(session, name)
    known = user.password_hash if user else None
    if not passwords.right(known, password) or user is None or known is None:
        raise _not_right()
    write(session)
    if locked(session, user.id).password_hash != known:
        raise _not_right()  # changed a moment ago
    if passwords.outdated(known):
        user.password_hash = passwords.keep(password)
    return SignedIn(of(user), _ticket(session, user))


def who(session: Session, secret: str) -> Account | None:
    """Whose browser holds this ticket; None where it is unknown, ended or expired."""
    held = select(User).join(SignIn, SignIn.user_id == User.id)
    held = held.where(
        SignIn.secret_hash == tickets.digest(secret),
        SignIn.expires_at > now(session),
        User.deleted_at.is_(None),
    )
    user = session.scalars(held).one_or_none()
    return of(user) if user else None


def sign_out(session: Session, secret: str) -> None:
    """End this ticket; nothing happens where it is unknown."""
    write(session)
    session.execute(delete(SignIn).where(SignIn.secret_hash == tickets.digest(secret)))


def sign_out_elsewhere(session: Session, account: Account, secret: str) -> None:
    """End all of the account's tickets but this one."""
    write(session)
    others = delete(SignIn).where(
        SignIn.user_id == account.id, SignIn.secret_hash != tickets.digest(secret)
    )
    session.execute(others)


def browsers(session: Session, account: Account) -> list[tuple[datetime, datetime]]:
    """When each browser that is signed in did so, and until when it lasts; newest first."""
    living = (
        select(SignIn.created_at, SignIn.expires_at)
        .where(SignIn.user_id == account.id, SignIn.expires_at > now(session))
        .order_by(SignIn.created_at.desc())
    )
    return [(since, until) for since, until in session.execute(living)]


def change_password(session: Session, account: Account, *, old: str, new: str) -> SignedIn:
    """Set a new password; ends every ticket and unused reset link, and gives a new ticket.

    Raises Invalid, naming the field `old` or `password`.
    """
    passwords.check(new, account.name)
    user = confirmed(session, account, old, field="old")
    user.password_hash = passwords.keep(new)
    end_all(session, user.id)
    return SignedIn(of(user), _ticket(session, user))


def confirmed(
    session: Session,
    account: Account,
    password: str,
    *,
    field: str,
    lock: Callable[[Session], object] = write,
) -> User:
    """The account's row, locked, if this is the password; else raises Invalid for the field.

    `lock` is called before, once the slow work on the password has been done.
    """
    known = session.scalar(select(User.password_hash).where(User.id == account.id))
    good = passwords.right(known, password)
    lock(session)
    user = locked(session, account.id)
    if not good or user.password_hash != known:
        raise Invalid(field, "this is not your password")
    return user


def end_all(session: Session, user_id: int) -> None:
    """End the tickets of all of a user's browsers, and the unused reset links."""
    session.execute(delete(SignIn).where(SignIn.user_id == user_id))
    void_links(session, user_id)


def void_links(session: Session, user_id: int) -> None:
    """Let no unused reset link of the user's be good any more."""
    unused = ResetLink.user_id == user_id, ResetLink.used_at.is_(None)
    session.execute(delete(ResetLink).where(*unused))


def locked(session: Session, user_id: int) -> User:
    """The user's row as it is now; nobody else changes it before the transaction is over."""
    row = select(User).where(User.id == user_id).with_for_update(key_share=True)
    return session.scalars(row, execution_options={"populate_existing": True}).one()


def _ticket(session: Session, user: User) -> str:
    moment = now(session)
    session.execute(delete(SignIn).where(SignIn.expires_at <= moment))
    secret = tickets.draw()
    session.add(
        SignIn(
            secret_hash=tickets.digest(secret),
            user_id=user.id,
            created_at=moment,
            expires_at=moment + LASTS,
        )
    )
    session.flush()
    return secret


def _not_right() -> NotSignedIn:
    return NotSignedIn("the name or the password is not right")
