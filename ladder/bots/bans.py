"""Ban packages and bundles by their hashes: none of them starts anywhere from then on.

A claim does not begin with what is banned; workers have every host drop it within seconds, which
ends the sandboxes that run it. What is banned with a package are the bundles that were built of it.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, or_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.building import cannot_play
from ladder.bots.versions import drop_jobs
from ladder.errors import Invalid, NotFound, Phrase
from ladder.model import Blob, BlobKind, Upsert, Version, VersionState
from ladder.ratings import ledger

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_PUT: Final = Upsert(Blob, replace=("banned_at", "ban_reason"))


@dataclass(frozen=True, slots=True)
class Ban:
    """A banned hash: `kind` is that of a blob; `bots` name those with a version of it."""

    sha256: str
    kind: str
    reason: str
    banned_at: datetime
    bots: tuple[str, ...]


def ban(session: Session, sha256: str, reason: str) -> None:
    """Ban a package, with all that was built of it, or a bundle; also one that nobody has sent yet.

    Its versions rest until their authors submit others; those under validation are rejected. Raises
    Invalid (`sha256`). Needs a transaction of its own, which the caller commits.
    """
    _check(sha256)
    ledger.lock(session)
    at = model.now(session)
    fresh = {"size": 0, "kind": BlobKind.PACKAGE, "created_at": at, "dropped_at": at}
    for one in sorted(_with_bundles(session, sha256)):
        _PUT.put(session, fresh | {"sha256": one, "banned_at": at, "ban_reason": reason})
    why = Phrase("the operator has banned its files: %(reason)s", reason=reason)
    for version in session.scalars(_having(sha256)).all():
        drop_jobs(session, version)
        cannot_play(session, version, why)


def unban(session: Session, sha256: str) -> None:
    """Lift a ban, also from what was banned with it.

    Authors resume suspended bots themselves; an older version plays on in its tournaments. Raises
    Invalid (`sha256`), and NotFound if it is not banned. The caller commits.
    """
    _check(sha256)
    ledger.lock(session)
    banned = Blob.sha256 == sha256, Blob.banned_at.is_not(None)
    if session.scalar(select(Blob.sha256).where(*banned)) is None:
        raise NotFound("%(sha256)s is not banned", sha256=sha256)
    lifted = update(Blob).where(Blob.sha256.in_(_with_bundles(session, sha256)))
    model.execute(session, lifted.values(banned_at=None, ban_reason=None))
    model.change_rows(session, Version, _names(sha256), offline_since=None)


def bans(session: Session) -> tuple[Ban, ...]:
    """Return all bans, the newest first."""
    banned = select(Blob).where(Blob.banned_at.is_not(None)).order_by(Blob.banned_at.desc())
    bots = _bots(session)
    return tuple(
        Ban(row.sha256, row.kind, row.ban_reason or "", row.banned_at, tuple(bots[row.sha256]))
        for row in session.scalars(banned)
        if row.banned_at
    )


def banned(session: Session) -> frozenset[str]:
    """Return all hashes that are banned now."""
    return frozenset(session.scalars(select(Blob.sha256).where(Blob.banned_at.is_not(None))))


def _check(sha256: str) -> None:
    if not _SHA256.fullmatch(sha256):
        raise Invalid("sha256", "give the SHA-256 of a package or a bundle: 64 digits from 0 to f")


def _with_bundles(session: Session, sha256: str) -> list[str]:
    built = select(Version.bundle).where(Version.package == sha256, Version.bundle.is_not(None))
    return [sha256, *(one for one in session.scalars(built.distinct()) if one)]


def _having(sha256: str) -> Select[Version]:
    """Select the versions that could play with it, now or later."""
    having = select(Version).where(Version.state != VersionState.REJECTED, _names(sha256))
    return having.order_by(Version.id).execution_options(populate_existing=True)


def _names(sha256: SQLColumnExpression[str] | str) -> ColumnElement[bool]:
    return or_(Version.package == sha256, Version.bundle == sha256)


def _bots(session: Session) -> defaultdict[str, list[str]]:
    """Return the names of the bots with a version of a banned package or bundle, by its hash."""
    query = (
        select(Blob.sha256, model.Bot.name)
        .join(Version, _names(Blob.sha256))
        .join(Version.bot)
        .where(Blob.banned_at.is_not(None))
        .distinct()
        .order_by(model.Bot.name)
    )
    found = defaultdict[str, list[str]](list)
    for sha256, name in session.execute(query):
        found[sha256].append(name)
    return found
