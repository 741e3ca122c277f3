"""Accounts: their names and those that nobody may take, what their roles allow, and the audit.

Names of users and bots are plain ASCII, so the look-alikes that are left are separators, digits and
pairs of letters: `adm1n`, `a.d.m.i.n`, `Planner-2`, `adrnin`, `arena_support`.

The audit records who did it, to what, and why.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid
from ladder.model import AuditEntry, User, below, now, write

HOUSE: Final = "arena"
"""The user that owns the house bots. It has no password and can never get one."""
HOUSE_BOTS: Final = frozenset({"greedy", "planner", "random", "turquino"})
_ROLES: Final = frozenset(
    {"admin", "administrator", "author", "operator", "organiser", "organizer"}
)
_SERVICE: Final = frozenset(
    {
        *(HOUSE, "santiago", "ladder", "site", "api", "gateway", "referee", "caretaker", "house"),
        *("moderator", "official", "root", "security", "staff", "support", "system", "team"),
        *("help", "anonymous", "deleted", "nobody", "unknown"),
    }
)
RESERVED: Final = HOUSE_BOTS | _ROLES | _SERVICE
_DIGITS: Final = str.maketrans("0123456789", "olzeasgtbg")
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_BETWEEN: Final = re.compile(r"[^a-z0-9]+")

ROLES: Final = ("author", "organiser", "admin")
"""Each role may do all that the roles before it may: own bots, run tournaments, manage users."""

LONGEST_REASON: Final = 500
"""Characters of a reason."""
LONGEST_SEARCH: Final = 100
"""Further characters of a search are ignored."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,31}", re.ASCII)
_DELETED: Final = "deleted-"
_CONTROLS: Final = re.compile(r"[^\n\t -~\xa0-\U0010ffff]")


def _shape(word: str) -> str:
    """Return the word with one letter in place of all that look like it."""
    word = word.translate(_DIGITS)
    for pair, letter in _PAIRS:
        word = word.replace(pair, letter)
    return word.replace("i", "l")


_SHAPES: Final = frozenset(map(_shape, RESERVED))


def refuse_reserved(name: str) -> None:
    """Raise Invalid (`name`) if a new user or bot may not have this name."""
    if is_reserved(name):
        raise Invalid(
            "name", "the name %(name)s is reserved for the service: choose another one", name=name
        )


def is_reserved(name: str) -> bool:
    """Return True for a reserved name, one that looks like it, or one made of them alone."""
    parts = [part for part in _BETWEEN.split(name.casefold()) if part]
    words = [part for part in parts if not part.isdigit()]
    return _looks_reserved("".join(parts)) or (bool(words) and all(map(_looks_reserved, words)))


@dataclass(frozen=True, slots=True)
class Account:
    """A user whose account has not been deleted."""

    id: int
    name: str
    role: str

    @property
    def may_organise(self) -> bool:
        """True if the role may create and run tournaments, and annul matches."""
        return self.role in ("organiser", "admin")

    @property
    def is_admin(self) -> bool:
        """True if the role may give roles, make reset links and read the audit."""
        return self.role == "admin"


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One action. `actor` is None if the operator took it by command, on their machine."""

    id: int
    actor: str | None
    action: str
    subject: str
    reason: str | None
    created_at: datetime


def account_of(user: User) -> Account:
    """Return the account of a row."""
    return Account(user.id, user.name, user.role)


def checked_name(name: str) -> str:
    """Return a new account's name as it is stored: in lower case, so that no two differ by case.

    Names are plain ASCII, so that few names look like another one. Raises Invalid.
    """
    folded = _folded(name)
    if not _NAME.fullmatch(folded):
        raise Invalid(
            "name",
            "a name has 2 to 32 characters: letters a to z, digits, dots, hyphens and underscores, "
            "with a letter or digit first",
        )
    refuse_reserved(folded)
    return folded


def deleted_name(user_id: int) -> str:
    """Return the name that replaces the name of a deleted account."""
    return f"{_DELETED}{user_id}"


def find_user(session: Session, name: str) -> User | None:
    """Find a user by name as typed; if there is none, by the name in lower case.

    Users that the operator registered with their bots may have names of any form.
    """
    typed = name.strip()
    if not typed.isprintable():
        typed = ""  # no name has such characters, and PostgreSQL refuses some of them
    exact = (User.name == typed).desc()
    alike = select(User).where(User.name.in_({typed, _folded(typed)}))
    return session.scalars(alike.order_by(exact).limit(1)).one_or_none()


def printable(search: str) -> str:
    """Return what is searched for, cut, without the letters that PostgreSQL refuses."""
    part = "".join(letter if letter.isprintable() else "?" for letter in search.strip())
    return part[:LONGEST_SEARCH]


def lock_user(session: Session, user_id: int) -> User:
    """Read the user's row again and lock it until the end of the transaction."""
    row = select(User).where(User.id == user_id).with_for_update(key_share=True)
    return session.scalars(row, execution_options={"populate_existing": True}).one()


def require_admin(account: Account | None) -> None:
    """Raise Forbidden unless the account is an admin's; None, the operator, may all."""
    if account is not None and not account.is_admin:
        raise Forbidden("only admins operate the service")


def checked_reason(reason: str, most: int = LONGEST_REASON) -> str:
    """Return the reason without blanks around it, and without controls but line ends and tabs.

    PostgreSQL can't store NUL, and a terminal would obey others. Raises Invalid (`reason`) if it is
    empty or has more than `most` characters.
    """
    reason = _CONTROLS.sub("", reason).strip()
    if not 0 < len(reason) <= most:
        raise Invalid("reason", "give a reason of at most %(most)s characters", most=most)
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
        .where(below(AuditEntry.id, before))
        .order_by(AuditEntry.id.desc())
        .limit(limit)
    )
    return [
        AuditRecord(row.id, actor, row.action, row.subject, row.reason, row.created_at)
        for row, actor in session.execute(query)
    ]


def _looks_reserved(word: str) -> bool:
    return not {_shape(word), _shape(word.rstrip("0123456789"))}.isdisjoint(_SHAPES)


def _folded(name: str) -> str:
    return name.strip().lower()
