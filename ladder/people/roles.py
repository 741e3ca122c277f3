"""Managing users: their list, their roles, the first admin."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid, NotFound, Phrase, Refused
from ladder.model import Bot, NoticeTone, User, below, write
from ladder.people.accounts import (
    HOUSE,
    ROLES,
    Account,
    account_of,
    find_user,
    printable,
    record_action,
)
from ladder.people.notices import notify
from ladder.people.signing import sign_up


@dataclass(frozen=True, slots=True)
class Person:
    """A user on the admins' list."""

    id: int
    name: str
    role: str
    can_sign_in: bool
    bots: int
    created_at: datetime


def list_people(
    session: Session, *, part: str = "", before: int | None = None, limit: int = 50
) -> list[Person]:
    """Return users with an id below `before`, newest first, without deleted ones.

    With `part`, only those whose name contains it.
    """
    bots = select(func.count()).where(Bot.user_id == User.id).scalar_subquery()
    query = select(User, bots).where(User.deleted_at.is_(None), below(User.id, before))
    if part:
        query = query.where(User.name.icontains(printable(part), autoescape=True))
    return [
        Person(row.id, row.name, row.role, row.password_hash is not None, count, row.created_at)
        for row, count in session.execute(query.order_by(User.id.desc()).limit(limit))
    ]


def named(session: Session, name: str) -> Account:
    """Return the account of this name; raise NotFound if there is none."""
    user = find_user(session, name)
    if user is None or user.deleted_at is not None:
        raise NotFound("there is no user %(name)s", name=name)
    return account_of(user)


def give_role(session: Session, admin: Account | None, user_id: int, role: str) -> Account:
    """Give the user a role and return the changed account. `admin` is None for the operator.

    The last admin who can sign in keeps the role. Raises Forbidden, Invalid, NotFound and Refused.
    """
    if admin is not None and not admin.is_admin:
        raise Forbidden("only admins give roles")
    if role not in ROLES:
        raise Invalid("role", "choose one of these roles: %(roles)s", roles=", ".join(ROLES))
    write(session)
    keep_an_admin(session, user_id, stays=role == "admin")
    user = session.get(User, user_id, populate_existing=True)
    if user is None or user.deleted_at is not None:
        raise NotFound("there is no user %(user)s", user=user_id)
    if user.name == HOUSE:
        raise Refused("%(name)s owns the house bots: it can't have a role", name=HOUSE)
    if user.role != role:
        record_action(session, admin, "role", f"user {user.id}", f"{user.role} → {role}")
        notice = Phrase("Your role is now %(role)s; it was %(before)s.")
        tone, before = NoticeTone.NEUTRAL, Phrase(user.role)
        notify(session, user.id, tone, notice, role=Phrase(role), before=before)
        user.role = role
        session.flush()
    return account_of(user)


def create_admin(session: Session, *, name: str, password: str) -> Account:
    """Create an account with the role admin; only the operator can. Raises Invalid."""
    created = sign_up(session, name=name, password=password)
    return give_role(session, None, created.id, "admin")


def keep_an_admin(session: Session, user_id: int, *, stays: bool) -> None:
    """Raise Refused if this user is the last admin who can sign in, unless `stays` is true.

    Locks the rows of all admins, so that two cannot take the role from each other.
    """
    admins = session.scalars(
        select(User.id)
        .where(User.role == "admin", User.password_hash.is_not(None), User.deleted_at.is_(None))
        .order_by(User.id)
        .with_for_update(key_share=True)
    ).all()
    if not stays and list(admins) == [user_id]:
        raise Refused("this is the last admin: give the role to somebody else first")
