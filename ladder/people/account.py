"""An account as all parts know it, and what its role allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ladder.model import User

ROLES: Final = ("author", "organiser", "admin")
"""Each may what those before it may: own bots, organise tournaments, look after people."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user who is there (not deleted)."""

    id: int
    name: str
    role: str

    @property
    def may_organise(self) -> bool:
        """Whether it may make and lead tournaments, and annul matches."""
        return self.role in ("organiser", "admin")

    @property
    def is_admin(self) -> bool:
        """Whether it may give roles, make reset links and read the audit."""
        return self.role == "admin"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser that has just signed in; `secret` is for its cookie."""

    account: Account
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewToken:
    """An API token that has just been made; `token` is shown this once."""

    id: int
    token: str = field(repr=False)


def of(user: User) -> Account:
    """The account of a row."""
    return Account(user.id, user.name, user.role)
