"""Packages and bundles in the database: by their hash, in chunks, within each author's quota.

A package is what an author uploaded, a bundle what a build made of it; both are blobs, stored once
however many versions name them. All of a blob is written in one transaction, or nothing.
"""

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Final

from sqlalchemy import and_, bindparam, exists, func, insert, select, union, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from ladder import model
from ladder.config import HostingSettings
from ladder.errors import NoRoom, NotFound, Refused
from ladder.model import CHUNK, Blob, BlobChunk, BlobKind, Bot, Upsert, User, Version
from referee.hosting.archives import Limits
from referee.hosting.settings import MB

_log = logging.getLogger(__name__)

_KEPT_PART: Final = 4
"""One part in so many of the room for uploads is for authors who have had a bot on the ladder."""
_STORED: Final = Upsert(Blob, replace=("created_at",))


@dataclass(frozen=True, slots=True)
class Quota:
    """The bytes that an author's packages and bundles take in the database, and may take."""

    used: int
    most: int

    @property
    def left(self) -> int:
        """How much is free."""
        return max(0, self.most - self.used)


def limits() -> Limits:
    """Return the operator's limits of a package. Raises SettingsError."""
    settings = HostingSettings.from_environment()
    return Limits(settings.package_mb * MB, settings.unpacked_mb * MB, settings.package_files)


def largest_bundle() -> int:
    """Return the bytes that no bundle exceeds which can be stored. Raises SettingsError."""
    return max(limits().packed, HostingSettings.from_environment().quota)


def store(session: Session, stream: IO[bytes], *, user_id: int) -> str:
    """Store a package that `referee.hosting.packages.read` has checked; return its SHA-256.

    Call it before the transaction locks anything but its author's row, and name the hash in
    `Version.package` in the same transaction. Raises Refused: over the quota, banned, no room. The
    caller commits, or nothing is stored.
    """
    stream.seek(0)
    sha256 = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
    _store(session, stream, sha256, BlobKind.PACKAGE, user_id)
    return sha256


def store_bundle(session: Session, stream: IO[bytes], sha256: str, *, user_id: int) -> None:
    """Store what a build made for this author; the caller commits, or nothing is stored.

    Call it before the transaction locks anything else; the version may get its `bundle` in this
    transaction, or within minutes: see `charge`. Raises Refused, NoRoom, and ValueError if the
    bytes have another hash.
    """
    _store(session, stream, sha256, BlobKind.BUNDLE, user_id)


def charge(session: Session, sha256: str, *, user_id: int) -> None:
    """Let a version of this author name a stored bundle, in this transaction.

    Raises Refused if something else has taken the room since the bundle was stored.
    """
    _lock_author(session, user_id)
    size = session.get_one(Blob, sha256, populate_existing=True).size
    _refuse_over_quota(session, user_id, sha256, size)


def has(session: Session, sha256: str) -> bool:
    """Return True if the bytes of a package or bundle are here, and not banned.

    Until the end of the transaction nobody drops them.
    """
    here = Blob.sha256 == sha256, Blob.dropped_at.is_(None), Blob.banned_at.is_(None)
    return session.scalar(select(Blob.sha256).where(*here).with_for_update(read=True)) is not None


def refuse_banned(session: Session, sha256: str) -> None:
    """Raise Refused if a package or bundle is banned."""
    if (blob := session.get(Blob, sha256, populate_existing=True)) is not None:
        _refuse_banned(blob)


def chunks(session: Session, sha256: str) -> Iterator[bytes]:
    """Yield the bytes of a package or bundle, at most 1 MiB at a time.

    Raises NotFound if they are not here (any more), and Refused if they are banned: before the
    first chunk, or later if they went meanwhile. The session may end its transaction in between.
    """
    blob = session.get(Blob, sha256, populate_existing=True)
    if blob is None or (blob.dropped_at is not None and blob.banned_at is None):
        raise _gone()
    _refuse_banned(blob)
    size = blob.size
    for number in range(-(-size // CHUNK)):
        part = BlobChunk.sha256 == sha256, BlobChunk.number == number
        data = session.connection().execute(select(BlobChunk.data).where(*part)).scalar()
        if data is None:
            raise _gone()
        yield data


def quota(session: Session, user_id: int) -> Quota:
    """Return what the packages and bundles of an author take; each blob counts once."""
    used = session.scalar(_USED, {"user": user_id}) or 0
    return Quota(int(used), HostingSettings.from_environment().quota)


@contextmanager
def room_on_disk() -> Iterator[None]:
    """Raise NoRoom if the database, or a temporary file, has none for a blob; log what is full.

    The caller rolls back. SQLite may only notice at the commit.
    """
    try:
        yield
    except (DBAPIError, OSError) as error:
        if not model.lacks_room(error):
            raise
        raise _no_room(model.own_words(error)) from None


def _store(session: Session, stream: IO[bytes], sha256: str, kind: BlobKind, user_id: int) -> None:
    size = stream.seek(0, os.SEEK_END)
    model.write(session)
    _lock_author(session, user_id)
    with room_on_disk():
        row = {"sha256": sha256, "size": size, "kind": kind, "created_at": model.now(session)}
        _STORED.put(session, row)
        blob = session.get_one(Blob, sha256, populate_existing=True)
        _refuse_banned(blob)
        _refuse_over_quota(session, user_id, sha256, size)
        if blob.dropped_at is not None or not _has_chunks(session, sha256):
            _refuse_beyond_all(session, sha256, size, user_id)
            _write(session, stream, sha256)
            here = update(Blob).where(Blob.sha256 == sha256)
            model.execute(session, here.values(size=size, dropped_at=None))


def _lock_author(session: Session, user_id: int) -> None:
    """Let two uploads or builds at once not both see the same room."""
    session.execute(select(User.id).where(User.id == user_id).with_for_update(key_share=True))


def _write(session: Session, stream: IO[bytes], sha256: str) -> None:
    """Write the chunks one by one; raises ValueError if the bytes have another hash."""
    stream.seek(0)
    digest, number = hashlib.sha256(), 0
    while data := stream.read(CHUNK):
        digest.update(data)
        row = {"sha256": sha256, "number": number, "data": data}
        model.execute(session, insert(BlobChunk), row)
        number += 1
    if digest.hexdigest() != sha256:
        raise ValueError(f"the bytes have the hash {digest.hexdigest()}, not {sha256}")


def _has_chunks(session: Session, sha256: str) -> bool:
    query = select(BlobChunk.number).where(BlobChunk.sha256 == sha256).limit(1)
    return session.scalar(query) is not None


def _refuse_banned(blob: Blob) -> None:
    if blob.banned_at is not None:
        raise Refused("the operator has banned these files: %(reason)s", reason=blob.ban_reason)


def _refuse_over_quota(session: Session, user_id: int, sha256: str, size: int) -> None:
    """Raise Refused if an author has no room for `size` more bytes; what is there costs nothing."""
    if session.scalar(_CHARGED, {"user": user_id, "sha256": sha256}) is not None:
        return
    current = quota(session, user_id)
    if size > current.left:
        raise Refused(
            "your uploads and what was built from them take %(used)s of %(most)s MB, and this one "
            "needs %(size)s MB: remove uploads of old versions",
            used=_mb(current.used),
            most=_mb(current.most),
            size=_mb(size),
        )


def _refuse_beyond_all(session: Session, sha256: str, size: int, user_id: int) -> None:
    """Raise NoRoom if all authors together would take more than the operator allows.

    Else new accounts could fill the disk, and then not even results would be written. A part is
    kept from authors of whom no version has played: else they could keep all others from uploading.
    """
    most = HostingSettings.from_environment().uploads
    kept = 0 if session.scalar(_HAS_PLAYED, {"user": user_id}) else most // _KEPT_PART
    others = select(func.sum(Blob.size)).where(Blob.dropped_at.is_(None), Blob.sha256 != sha256)
    if (session.scalar(others) or 0) + size > most - kept:
        raise _no_room(
            f"all of them may take {_mb(most)} MB together (SANTIAGO_UPLOADS_MB), "
            f"{_mb(most - most // _KEPT_PART)} MB before their author has had a bot on the ladder"
        )


def _no_room(why: str) -> NoRoom:
    _log.error("there is no room for an upload or a bundle: %s", why)
    return NoRoom(
        "there is no room for uploads at the moment, so nothing was stored: please tell the "
        "operator"
    )


def _gone() -> NotFound:
    return NotFound("the files of this version are no longer kept")


def _mb(size: int) -> str:
    return f"{size / MB:.1f}"


_OWN: Final = select(Bot.id).where(Bot.user_id == bindparam("user"))
_HAS_PLAYED: Final = select(
    exists().where(Version.bot_id.in_(_OWN), Version.activated_at.is_not(None))
)
_NAMED: Final = union(
    select(Version.package).where(Version.bot_id.in_(_OWN), Version.package.is_not(None)),
    select(Version.bundle).where(Version.bot_id.in_(_OWN), Version.bundle.is_not(None)),
)
"""The hashes that an author's versions name."""
_HERE: Final = and_(Blob.dropped_at.is_(None), Blob.sha256.in_(_NAMED))
_USED: Final = select(func.sum(Blob.size)).where(_HERE)
_CHARGED: Final = select(Blob.sha256).where(_HERE, Blob.sha256 == bindparam("sha256"))
