"""Bots that the operator puts on the ladder himself: they are checked by nobody."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.versions import make_active
from ladder.model import User, Version, VersionState, now
from ladder.ratings import ledger


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with its active version and the address where that answers."""

    id: int
    name: str
    author: str
    version: str
    address: str


def register(session: Session, *, name: str, author: str, address: str, version: str) -> Bot:
    """Make this version the active one of the author's bot; makes author and bot where needed.

    Registering a version again only changes its address, also for matches that are queued. The
    caller commits.
    """
    ledger.lock(session)
    bot = _bot(session, name, _user(session, author))
    row = _version(session, bot, version)
    row.address = address
    make_active(session, row)
    return Bot(bot.id, name, author, version, address)


def every(session: Session) -> list[Bot]:
    """All bots by name, each with its active version."""
    query = (
        select(model.Bot.id, model.Bot.name, User.name, Version.name, Version.address)
        .join(model.Bot.user)
        .join(Version, (Version.bot_id == model.Bot.id) & Version.active)
        .order_by(model.Bot.name, model.Bot.id)
    )
    return [Bot(*row) for row in session.execute(query)]


def _user(session: Session, name: str) -> User:
    found = session.scalars(select(User).where(User.name == name)).one_or_none()
    if found is None:
        found = User(name=name, created_at=now(session))
        session.add(found)
        session.flush()
    return found


def _bot(session: Session, name: str, user: User) -> model.Bot:
    own = select(model.Bot).where(model.Bot.name == name, model.Bot.user_id == user.id)
    found = session.scalars(own).one_or_none()
    if found is None:
        found = model.Bot(name=name, user_id=user.id, created_at=now(session))
        session.add(found)
        session.flush()
    return found


def _version(session: Session, bot: model.Bot, name: str) -> Version:
    known = select(Version).where(Version.bot_id == bot.id, Version.name == name)
    row = session.scalars(known).one_or_none()
    if row is None:
        row = Version(
            bot_id=bot.id,
            name=name,
            address="",
            state=VersionState.SUBMITTED,
            created_at=now(session),
        )
        session.add(row)
    return row
