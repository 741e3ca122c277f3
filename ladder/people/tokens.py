"""API tokens: programs act for a user, within scopes that the user chose."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid, NotFound, NotSignedIn, Phrase, Refused
from ladder.model import ApiToken, User, now, write
from ladder.people import tickets
from ladder.people.account import Account, NewToken, of
from ladder.people.signing import locked

SCOPES: Final = ("read", "bots", "tournaments", "admin")
"""One's own private things; submitting and pausing bots; organising; looking after people."""

MOST: Final = 20
"""Tokens that a user may have at a time."""

_PREFIX: Final = "santiago_"  # by which people, and scanners for lost secrets, know a token
_LONGEST_NAME: Final = 60
_NOTED_EVERY: Final = timedelta(minutes=1)  # so that not every call writes to the database


@dataclass(frozen=True, slots=True)
class Bearer:
    """Who calls by a token, and what the token allows: never more than the user's role does."""

    account: Account
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A token on its user's list."""

    id: int
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None


def allowed(account: Account) -> tuple[str, ...]:
    """The scopes that the account's role can have at all."""
    return SCOPES if account.is_admin else SCOPES[:3] if account.may_organise else SCOPES[:2]


def make(session: Session, account: Account, *, name: str, scopes: Collection[str]) -> NewToken:
    """A new token; only its hash is kept. Raises Invalid, Forbidden and Refused."""
    kept_name, kept_scopes = _name(name), _scopes(account, scopes)
    write(session)
    locked(session, account.id)
    living = ApiToken.user_id == account.id, ApiToken.revoked_at.is_(None)
    if (session.scalar(select(func.count()).where(*living)) or 0) >= MOST:
        raise Refused("you have %(most)s tokens: revoke one that is no longer used", most=MOST)
    token = tickets.draw(_PREFIX)
    row = ApiToken(
        user_id=account.id,
        name=kept_name,
        token_hash=tickets.digest(token),
        scopes=" ".join(kept_scopes),
        created_at=now(session),
    )
    session.add(row)
    session.flush()
    return NewToken(row.id, token)


def bearer(session: Session, token: str) -> Bearer:
    """Who calls by it; notes the time of use (the caller commits). Raises NotSignedIn."""
    row = session.scalars(
        select(ApiToken)
        .join(ApiToken.user)
        .where(
            ApiToken.token_hash == tickets.digest(token),
            ApiToken.revoked_at.is_(None),
            User.deleted_at.is_(None),
        )
    ).one_or_none()
    if row is None:
        raise NotSignedIn("this token is not good: it may have been revoked")
    _note_use(session, row)
    account = of(row.user)
    granted = row.scopes.split()
    return Bearer(account, tuple(scope for scope in allowed(account) if scope in granted))


def revoke(session: Session, account: Account, token_id: int) -> None:
    """End one of the account's tokens; raises NotFound where it has none such."""
    write(session)
    row = session.get(ApiToken, token_id)
    if row is None or row.user_id != account.id or row.revoked_at is not None:
        raise NotFound("you have no token %(token)s", token=token_id)
    row.revoked_at = now(session)
    session.flush()


def listing(session: Session, account: Account) -> list[Token]:
    """The account's tokens that are good, newest first."""
    living = (
        select(ApiToken)
        .where(ApiToken.user_id == account.id, ApiToken.revoked_at.is_(None))
        .order_by(ApiToken.id.desc())
    )
    return [
        Token(row.id, row.name, tuple(row.scopes.split()), row.created_at, row.last_used_at)
        for row in session.scalars(living)
    ]


def _note_use(session: Session, row: ApiToken) -> None:
    moment = now(session)
    if row.last_used_at is None or moment - row.last_used_at >= _NOTED_EVERY:
        write(session)
        row.last_used_at = moment
        session.flush()


def _name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        raise Invalid("name", "a token's name has 1 to %(most)s characters", most=_LONGEST_NAME)
    return name


def _scopes(account: Account, scopes: Collection[str]) -> tuple[str, ...]:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise Invalid("scopes", "choose one scope or more of %(scopes)s", scopes=", ".join(SCOPES))
    beyond = sorted(set(scopes) - set(allowed(account)))
    if beyond:
        raise Forbidden(
            "as %(role)s you can't have the scope %(scope)s",
            role=Phrase(account.role),
            scope=beyond[0],
        )
    return tuple(scope for scope in SCOPES if scope in scopes)
