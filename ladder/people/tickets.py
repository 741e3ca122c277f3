"""Tickets: long random words that are shown once and stored as their SHA-256.

Cookies of browsers (see `ladder.people.signing`), API tokens and reset links are tickets. They have
256 random bits, so a fast hash protects them as well as a slow one protects passwords, and the
database can look them up by it.

With an API token a program acts for its user, within scopes and until a day that the user chose. A
reset link is made by an admin and handed over; its user sets a new password with it, once.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid, NotFound, NotSignedIn, Phrase, Refused
from ladder.model import ApiToken, NoticeTone, ResetLink, SignIn, User, execute, now, write
from ladder.people import passwords
from ladder.people.accounts import HOUSE, Account, account_of, lock_user, record_action
from ladder.people.notices import notify

SCOPES: Final = ("read", "bots", "tournaments", "admin")
"""Reading one's private data; submitting and pausing bots; organising; managing users."""

MAX_TOKENS: Final = 20
"""How many valid tokens a user may have."""

TOKEN_DAYS: Final = (30, 90, 365)
"""How long a token may be valid."""

LINK_LIFETIME: Final = timedelta(hours=24)

_BYTES: Final = 32
_PREFIX: Final = "santiago_"  # lets people, and scanners for leaked secrets, recognise a token
_MAX_NAME: Final = 60
_USE_PRECISION: Final = timedelta(minutes=1)  # so that not every call writes to the database


@dataclass(frozen=True, slots=True)
class Bearer:
    """The caller by a token, with the token's scopes that the user's role still allows."""

    account: Account
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewToken:
    """An API token that has just been made; `token` is shown only now."""

    id: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A token on its user's list."""

    id: int
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    """None for a token that was made when tokens had no end."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """A reset link that has just been made; its last part, `ticket`, is shown only now."""

    name: str
    ticket: str = field(repr=False)
    expires_at: datetime


def draw(prefix: str = "") -> str:
    """Return a new ticket: letters, digits, `-` and `_`."""
    return prefix + secrets.token_urlsafe(_BYTES)


def digest(ticket: str) -> str:
    """Return what is stored of a ticket, as hexadecimal digits. Accepts any text."""
    return sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()


def allowed_scopes(account: Account) -> tuple[str, ...]:
    """Return the scopes that the account's role can have."""
    return SCOPES if account.is_admin else SCOPES[:3] if account.may_organise else SCOPES[:2]


def make_token(
    session: Session,
    account: Account,
    *,
    name: str,
    scopes: Collection[str],
    days: int = TOKEN_DAYS[-1],
) -> NewToken:
    """Make an API token; only its digest is stored. Raises Invalid, Forbidden and Refused.

    Deletes those of the account that are no longer valid.
    """
    name, granted = _checked_name(name), _checked_scopes(account, scopes)
    if days not in TOKEN_DAYS:
        raise Invalid("days", "choose for how long the token is valid")
    write(session)
    lock_user(session, account.id)
    moment = now(session)
    own = ApiToken.user_id == account.id
    session.execute(delete(ApiToken).where(own, ~_valid(moment)))
    if (session.scalar(select(func.count()).where(own)) or 0) >= MAX_TOKENS:
        raise Refused(
            "you already have %(most)s tokens: revoke one that you no longer use", most=MAX_TOKENS
        )
    token = draw(_PREFIX)
    row = ApiToken(
        user_id=account.id,
        name=name,
        token_hash=digest(token),
        scopes=" ".join(granted),
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    session.add(row)
    session.flush()
    return NewToken(row.id, token)


def bearer(session: Session, token: str) -> Bearer:
    """Return the caller of a token; record the time of use (the caller commits).

    Raises NotSignedIn.
    """
    row = session.scalars(
        select(ApiToken)
        .join(ApiToken.user)
        .where(
            ApiToken.token_hash == digest(token), _valid(now(session)), User.deleted_at.is_(None)
        )
    ).one_or_none()
    if row is None:
        raise NotSignedIn("this token is not valid: it may have expired or been revoked")
    _record_use(session, row)
    account = account_of(row.user)
    granted = row.scopes.split()
    return Bearer(account, tuple(scope for scope in allowed_scopes(account) if scope in granted))


def revoke_token(session: Session, account: Account, token_id: int) -> None:
    """Revoke one of the account's tokens; raise NotFound if it has no such token."""
    write(session)
    held = ApiToken.user_id == account.id, ApiToken.revoked_at.is_(None)
    revoked = update(ApiToken).where(ApiToken.id == token_id, *held)
    if not execute(session, revoked.values(revoked_at=now(session))).rowcount:
        raise NotFound("you have no token %(token)s", token=token_id)


def revoke_tokens(session: Session, user_id: int) -> None:
    """Revoke all tokens of a user."""
    write(session)
    held = ApiToken.user_id == user_id, ApiToken.revoked_at.is_(None)
    session.execute(update(ApiToken).where(*held).values(revoked_at=now(session)))


def list_tokens(session: Session, account: Account) -> list[Token]:
    """Return the account's valid tokens, newest first."""
    valid = (
        select(ApiToken)
        .where(ApiToken.user_id == account.id, _valid(now(session)))
        .order_by(ApiToken.id.desc())
    )
    return [
        Token(
            id=row.id,
            name=row.name,
            scopes=tuple(row.scopes.split()),
            created_at=row.created_at,
            last_used_at=row.last_used_at,
            expires_at=row.expires_at,
        )
        for row in session.scalars(valid)
    ]


def make_reset_link(session: Session, admin: Account | None, user_id: int) -> NewLink:
    """Make a reset link for the user and void the earlier ones.

    `admin` is None if the operator makes it. Raises Forbidden, NotFound and Refused.
    """
    if admin is not None and not admin.is_admin:
        raise Forbidden("only admins make reset links")
    write(session)
    # Locked: of two links made at once only the later one is valid.
    user = session.get(User, user_id, with_for_update={"key_share": True}, populate_existing=True)
    if user is None or user.deleted_at is not None:
        raise NotFound("there is no user %(user)s", user=user_id)
    if user.name == HOUSE:
        raise Refused("%(name)s owns the house bots; nobody can sign in with that name", name=HOUSE)
    ticket, moment = draw(), now(session)
    _void_links(session, user.id)
    session.add(
        ResetLink(
            token_hash=digest(ticket),
            user_id=user.id,
            made_by=admin.id if admin else None,
            created_at=moment,
            expires_at=moment + LINK_LIFETIME,
        )
    )
    record_action(session, admin, "reset link", f"user {user.id}")
    return NewLink(user.name, ticket, moment + LINK_LIFETIME)


def link_owner(session: Session, ticket: str) -> str:
    """Return the name of the user of a reset link; raise NotFound if the link is not valid."""
    return _valid_link(session, ticket)[1].name


def use_reset_link(
    session: Session, ticket: str, password: str, *, end_tokens: bool = False
) -> None:
    """Set the user's password, use up the link and sign out every browser.

    API tokens stay valid, as they were not what was forgotten, unless `end_tokens` is true. Raises
    NotFound and Invalid.
    """
    row, user = _valid_link(session, ticket)
    passwords.check(password, user.name)
    session.commit()  # no connection to the database waits for the turn of the password
    password_hash = passwords.hash_password(password)
    write(session)
    lock_user(session, user.id)
    row, user = _valid_link(session, ticket)  # another request may have used it meanwhile
    row.used_at = now(session)
    user.password_hash = password_hash
    session.flush()
    end_sign_ins(session, user.id)
    if end_tokens:
        revoke_tokens(session, user.id)
    notify(session, user.id, NoticeTone.NEUTRAL, "Your password was changed with a reset link.")


def end_sign_ins(session: Session, user_id: int) -> None:
    """Sign out all of a user's browsers, and void the unused reset links."""
    session.execute(delete(SignIn).where(SignIn.user_id == user_id))
    _void_links(session, user_id)


def _valid(moment: datetime) -> ColumnElement[bool]:
    """Return the condition that a token is neither revoked nor expired."""
    lasts = or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > moment)
    return and_(ApiToken.revoked_at.is_(None), lasts)


def _void_links(session: Session, user_id: int) -> None:
    unused = ResetLink.user_id == user_id, ResetLink.used_at.is_(None)
    session.execute(delete(ResetLink).where(*unused))


def _valid_link(session: Session, ticket: str) -> tuple[ResetLink, User]:
    query = (
        select(ResetLink, User)
        .join(User, User.id == ResetLink.user_id)
        .where(
            ResetLink.token_hash == digest(ticket),
            ResetLink.used_at.is_(None),
            ResetLink.expires_at > now(session),
            User.deleted_at.is_(None),
        )
    )
    row = session.execute(query, execution_options={"populate_existing": True}).one_or_none()
    if row is None:
        raise NotFound("this link is invalid or has expired: ask an admin for a new one")
    return row[0], row[1]


def _record_use(session: Session, row: ApiToken) -> None:
    moment = now(session)
    if row.last_used_at is None or moment - row.last_used_at >= _USE_PRECISION:
        write(session)
        own = update(ApiToken).where(ApiToken.id == row.id)  # unless it was deleted meanwhile
        execute(session, own.values(last_used_at=moment))


def _checked_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= _MAX_NAME or not name.isprintable():
        raise Invalid("name", "a token's name has 1 to %(most)s characters", most=_MAX_NAME)
    return name


def _checked_scopes(account: Account, scopes: Collection[str]) -> tuple[str, ...]:
    if not scopes or set(scopes) - set(SCOPES):
        raise Invalid(
            "scopes", "choose at least one of these scopes: %(scopes)s", scopes=", ".join(SCOPES)
        )
    forbidden = sorted(set(scopes) - set(allowed_scopes(account)))
    if forbidden:
        raise Forbidden(
            "the role %(role)s can't have the scope %(scope)s",
            role=Phrase(account.role),
            scope=forbidden[0],
        )
    return tuple(scope for scope in SCOPES if scope in scopes)
