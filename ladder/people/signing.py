"""Signing up, in and out. A browser that is signed in holds a ticket in a cookie.

Passwords wait for their turns (`ladder.people.passwords`), and there are fewer connections to the
database than people who may wait. So functions that need one end the transaction, which has only
read so far, before they verify or hash it; nothing may be written before they are called.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ladder.errors import Invalid, NotSignedIn, WrongPassword
from ladder.model import CLOCK, NoticeTone, SignIn, User, now, write
from ladder.people import passwords, tickets
from ladder.people.accounts import Account, account_of, checked_name, find_user, lock_user
from ladder.people.notices import notify
from ladder.people.tickets import NewToken

SIGN_IN_LIFETIME: Final = timedelta(days=30)
"""How long a browser stays signed in."""
MOST_BROWSERS: Final = 50
"""How many browsers of a user are signed in; one more signs out the one signed in longest."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser that has just signed in; `secret` goes into its cookie."""

    account: Account
    secret: str = field(repr=False)


def sign_up(session: Session, *, name: str, password: str) -> Account:
    """Create an author's account. Raises Invalid."""
    name = checked_name(name)
    passwords.check(password, name)
    password_hash = passwords.hash_password(password)
    write(session)
    user = User(name=name, role="author", password_hash=password_hash, created_at=now(session))
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:
        raise Invalid("name", "the name %(name)s is taken: choose another one", name=name) from None
    return account_of(user)


def sign_in(session: Session, *, name: str, password: str) -> SignedIn:
    """Sign a browser in. Raises NotSignedIn.

    Neither the message nor the time shows whether the name or the password was wrong.
    """
    user = find_user(session, name)
    stored = user.password_hash if user else None
    if not _is_right(session, stored, password) or user is None or stored is None:
        raise _wrong()
    renewed = passwords.hash_password(password) if passwords.needs_rehash(stored) else stored
    write(session)
    if lock_user(session, user.id).password_hash != stored:
        raise _wrong()  # changed a moment ago
    user.password_hash = renewed
    return SignedIn(account_of(user), _add_sign_in(session, user))


def find_signed_in(session: Session, secret: str) -> Account | None:
    """Return the account whose browser holds this ticket; None if the ticket is not valid."""
    held = select(User).join(SignIn, SignIn.user_id == User.id)
    held = held.where(
        SignIn.secret_hash == tickets.digest(secret),
        SignIn.expires_at > CLOCK,
        User.deleted_at.is_(None),
    )
    user = session.scalars(held).one_or_none()
    return account_of(user) if user else None


def sign_out(session: Session, secret: str) -> None:
    """End this ticket; do nothing if it is unknown."""
    write(session)
    session.execute(delete(SignIn).where(SignIn.secret_hash == tickets.digest(secret)))


def sign_out_elsewhere(session: Session, account: Account, secret: str) -> None:
    """End all of the account's tickets except this one."""
    write(session)
    lock_user(session, account.id)  # as all who delete several of them do
    others = SignIn.user_id == account.id, SignIn.secret_hash != tickets.digest(secret)
    session.execute(delete(SignIn).where(*others))


def browsers(session: Session, account: Account) -> list[tuple[datetime, datetime]]:
    """Return when each browser signed in and when that expires; newest first."""
    valid = (
        select(SignIn.created_at, SignIn.expires_at)
        .where(SignIn.user_id == account.id, SignIn.expires_at > now(session))
        .order_by(SignIn.created_at.desc())
    )
    return [(since, until) for since, until in session.execute(valid)]


def change_password(
    session: Session, account: Account, *, old: str, new: str, end_tokens: bool = False
) -> SignedIn:
    """Set a new password, end every ticket and unused reset link, and sign in anew.

    With `end_tokens` the API tokens end, too. Raises Invalid, naming the field `old` or `password`.
    """
    passwords.check(new, account.name)
    session.commit()
    password_hash = passwords.hash_password(new)
    user = confirm_password(session, account, old, field="old")
    user.password_hash = password_hash
    tickets.end_sign_ins(session, user.id)
    if end_tokens:
        tickets.revoke_tokens(session, user.id)
    return SignedIn(account_of(user), _add_sign_in(session, user))


def make_token(
    session: Session,
    account: Account,
    *,
    password: str,
    name: str,
    scopes: Collection[str],
    days: int,
) -> NewToken:
    """Make an API token for who knows the password, and send its user a notice.

    Raises Invalid, Forbidden and Refused.
    """
    confirm_password(session, account, password, field="password")
    made = tickets.make_token(session, account, name=name, scopes=scopes, days=days)
    notify(
        session,
        account.id,
        NoticeTone.NEUTRAL,
        "A new API token was created: %(name)s. If it was not you, revoke it and change your "
        "password.",
        name=name.strip(),
    )
    return made


def confirm_password(
    session: Session,
    account: Account,
    password: str,
    *,
    field: str,
    lock: Callable[[Session], object] = write,
) -> User:
    """Return the account's row, locked, if the password is right; raise WrongPassword for `field`.

    `lock` is called first, after the slow work on the password.
    """
    stored = session.scalar(select(User.password_hash).where(User.id == account.id))
    right = _is_right(session, stored, password)
    lock(session)
    user = lock_user(session, account.id)
    if not right or user.password_hash != stored:
        raise WrongPassword(field, "wrong password")
    return user


def _is_right(session: Session, stored: str | None, password: str) -> bool:
    """Verify the password; no connection to the database waits for its turn meanwhile."""
    session.commit()
    return passwords.verify(stored, password)


def _add_sign_in(session: Session, user: User) -> str:
    """Return the new ticket; delete those that have expired, but for what others hold just now.

    Those of the user that are too many are deleted, too. The user's row must be locked.
    """
    moment = now(session)
    expired = select(SignIn.secret_hash).where(SignIn.expires_at <= moment)
    free = expired.with_for_update(skip_locked=True)
    session.execute(delete(SignIn).where(SignIn.secret_hash.in_(free)))
    newest = select(SignIn.secret_hash).where(SignIn.user_id == user.id)
    newest = newest.order_by(SignIn.created_at.desc()).limit(MOST_BROWSERS - 1)
    too_many = SignIn.user_id == user.id, SignIn.secret_hash.not_in(newest)
    session.execute(delete(SignIn).where(*too_many))
    secret = tickets.draw()
    session.add(
        SignIn(
            secret_hash=tickets.digest(secret),
            user_id=user.id,
            created_at=moment,
            expires_at=moment + SIGN_IN_LIFETIME,
        )
    )
    session.flush()
    return secret


def _wrong() -> NotSignedIn:
    return NotSignedIn("wrong name or password")
