"""The names of accounts: which are allowed, and how they are found."""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import Invalid
from ladder.model import User

HOUSE: Final = "arena"
"""The user that owns the house bots. It has no password, and nobody gets one for it."""

_FORM: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,31}", re.ASCII)
_GONE: Final = "deleted-"
_RESERVED: Final = frozenset(
    {
        HOUSE,
        "admin",
        "administrator",
        "anonymous",
        "caretaker",
        "moderator",
        "operator",
        "organiser",
        "referee",
        "root",
        "santiago",
        "support",
        "system",
        "unknown",
    }
)


def new(name: str) -> str:
    """The name as it is going to be kept: in lower case, so that no two differ in case alone.

    Raises Invalid. Plain ASCII, so that no name looks like another one.
    """
    folded = _folded(name)
    if not _FORM.fullmatch(folded):
        raise Invalid(
            "name",
            "a name has 2 to 32 characters: letters a to z, digits, dots, hyphens and underscores, "
            "with a letter or digit first",
        )
    if folded in _RESERVED or folded.startswith(_GONE):
        raise Invalid(
            "name", "the name %(name)s is kept for the service: choose another one", name=folded
        )
    return folded


def gone(user_id: int) -> str:
    """The name that stands for a deleted account."""
    return f"{_GONE}{user_id}"


def find(session: Session, name: str) -> User | None:
    """The user of a name as typed: written just so, else in lower case.

    Users that the operator registered with their bots may have names of any kind.
    """
    typed = name.strip()
    if not typed.isprintable():
        typed = ""  # no name has such characters, and PostgreSQL refuses some of them
    exact = (User.name == typed).desc()
    alike = select(User).where(User.name.in_({typed, _folded(typed)}))
    return session.scalars(alike.order_by(exact).limit(1)).one_or_none()


def _folded(name: str) -> str:
    return name.strip().lower()
