"""Show operators hosts, builds and quotas of hosted bots; drain hosts, ban files.

Each action is recorded in the audit; the caller commits. `account` is None for the operator.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import bans
from ladder.bots.versions import BUILD, SHELVED, WITHDRAWN
from ladder.config import HostingSettings
from ladder.errors import NotFound, Refused
from ladder.matches.lanes import is_there
from ladder.model import Blob, Bot, HostRow, Job, User, Version, VersionState
from ladder.people.accounts import Account, checked_reason, record_action, require_admin

_FORGOTTEN: Final = timedelta(days=7)
_MOST: Final = 20  # rows of a list
_FAILED: Final = and_(
    Version.state == VersionState.REJECTED,
    Version.package.is_not(None),
    Version.bundle.is_(None),
    Version.reason.not_in((SHELVED, WITHDRAWN)),
    Version.package.not_in(select(Blob.sha256).where(Blob.banned_at.is_not(None))),
)
"""The condition that a version was rejected since its build failed: not by author or operator."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host as it last told a worker. `there`: it takes work now; `silent`: it has told none for a
    while; `lanes`: bots that it lets think at once, for claims; `trouble` is why it starts no
    sandbox; `guards` are sentences."""

    name: str
    address: str
    there: bool
    silent: bool
    draining: bool
    trouble: str | None
    processors: int
    lanes: int
    sandboxes: int
    builds: int
    guards: tuple[str, ...]
    runtimes: tuple[str, ...]
    cache_bytes: int
    release: str | None
    seen_at: datetime

    @property
    def answers(self) -> bool:
        """Return False if its trouble is that it has not answered since `seen_at`."""
        return self.trouble != HostRow.NO_ANSWER


@dataclass(frozen=True, slots=True)
class Build:
    """A build under way (`reason` is None), or the last one of a version, which failed."""

    bot_id: int
    bot: str
    author: str
    version_id: int
    version: str
    worker: str | None
    reason: str | None
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class Use:
    """How many bytes an author's packages and bundles take in the database, and may take."""

    author: str
    packages: int
    used: int
    most: int


@dataclass(frozen=True, slots=True)
class Files:
    """The hashes of an uploaded version, by which they are banned; `bundle` is None until built."""

    version: str
    state: VersionState
    package: str
    bundle: str | None


def hosts(session: Session) -> tuple[Host, ...]:
    """Return the hosts that a worker has seen within a week, by name."""
    at = model.now(session)
    query = select(HostRow, is_there(at)).where(HostRow.seen_at > at - _FORGOTTEN)
    return tuple(
        Host(
            name=row.name,
            address=row.address,
            there=bool(there),
            silent=row.seen_at <= at - model.SILENT,
            draining=row.draining,
            trouble=row.trouble,
            processors=row.processors,
            lanes=row.lanes,
            sandboxes=row.sandboxes,
            builds=row.builds,
            guards=tuple(json.loads(row.guards)),
            runtimes=tuple(json.loads(row.runtimes)),
            cache_bytes=row.cache_bytes,
            release=row.release,
            seen_at=row.seen_at,
        )
        for row, there in session.execute(query.order_by(HostRow.name))
    )


def builds(session: Session) -> tuple[Build, ...]:
    """Return the builds under way, the longest waiting first."""
    return _builds(session, Version.state == VersionState.BUILDING, Version.id)


def failed_builds(session: Session) -> tuple[Build, ...]:
    """Return the last versions whose builds failed, the newest first."""
    return _builds(session, _FAILED, Version.id.desc())


def files(session: Session, bot_id: int) -> tuple[Files, ...]:
    """Return the hashes of a bot's newest uploaded versions, newest first."""
    uploaded = (
        select(Version.name, Version.state, Version.package, Version.bundle)
        .where(Version.bot_id == bot_id, Version.package.is_not(None))
        .order_by(Version.id.desc())
        .limit(_MOST)
    )
    return tuple(
        Files(name, state, package, bundle)
        for name, state, package, bundle in session.execute(uploaded)
        if package
    )


def uses(session: Session) -> tuple[Use, ...]:
    """Return which authors' packages and bundles take most, the most first."""
    most = HostingSettings.from_environment().quota
    named = [
        select(Bot.user_id.label("user"), column.label("sha256"))
        .join(Version, Version.bot_id == Bot.id)
        .where(column.is_not(None))
        for column in (Version.package, Version.bundle)
    ]
    own = named[0].union(named[1]).subquery()
    packages = func.count().filter(Blob.kind == model.BlobKind.PACKAGE)
    query = (
        select(User.name, packages, func.sum(Blob.size))
        .join(own, own.c.user == User.id)
        .join(Blob, and_(Blob.sha256 == own.c.sha256, Blob.dropped_at.is_(None)))
        .group_by(User.id, User.name)
        .order_by(func.sum(Blob.size).desc(), User.id)
        .limit(_MOST)
    )
    return tuple(Use(name, count, int(used), most) for name, count, used in session.execute(query))


def drain(session: Session, account: Account | None, name: str, reason: str = "") -> None:
    """Give a host no more work; what it plays and builds goes on. An admin gives a reason.

    Raises Forbidden, Invalid (`reason`), NotFound, and Refused if it drains already.
    """
    _set_draining(session, account, name, reason, draining=True)


def undrain(session: Session, account: Account | None, name: str, reason: str = "") -> None:
    """Give a host work again. Raises as `drain`."""
    _set_draining(session, account, name, reason, draining=False)


def ban(session: Session, account: Account | None, sha256: str, reason: str) -> None:
    """Ban a package or bundle everywhere; see `bans.ban`. Raises Forbidden and Invalid."""
    reason = _allowed(account, reason) or checked_reason(reason)
    bans.ban(session, sha256, reason)
    record_action(session, account, "ban", f"blob {sha256}", reason)


def unban(session: Session, account: Account | None, sha256: str, reason: str = "") -> None:
    """Lift a ban. Raises Forbidden, Invalid and NotFound."""
    reason = _allowed(account, reason)
    bans.unban(session, sha256)
    record_action(session, account, "unban", f"blob {sha256}", reason or None)


def _allowed(account: Account | None, reason: str) -> str:
    """Return the reason, which admins have to give."""
    if account is None:
        return reason.strip()
    require_admin(account)
    return checked_reason(reason)


def _set_draining(
    session: Session, account: Account | None, name: str, reason: str, *, draining: bool
) -> None:
    reason = _allowed(account, reason)
    model.write(session)
    row = None
    if name.isprintable():  # PostgreSQL refuses some of the other texts
        row = session.get(HostRow, name, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFound("there is no host %(name)s", name=name)
    if row.draining and draining:
        raise Refused("host %(name)s is already draining", name=name)
    if not row.draining and not draining:
        raise Refused("host %(name)s already accepts work", name=name)
    row.draining = draining
    action = "drain" if draining else "undrain"
    record_action(session, account, action, f"host {name}", reason or None)


def _builds(session: Session, which: ColumnElement[bool], order: Any) -> tuple[Build, ...]:
    query = (
        select(Bot.id, Bot.name, User.name, Version.id, Version.name, Job.worker)
        .add_columns(Version.reason, Version.created_at)
        .join(Version.bot)
        .join(Bot.user)
        .outerjoin(Job, and_(Job.kind == BUILD, Job.subject == Version.id))
        .where(which)
        .order_by(order)
        .limit(_MOST)
    )
    return tuple(Build(*row) for row in session.execute(query))
