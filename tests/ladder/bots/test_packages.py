"""Packages and bundles in the database: chunks, quotas, bans, and nothing half-written."""

import errno
import hashlib
import os
import sqlite3
from io import BytesIO
from itertools import pairwise

import pytest
from sqlalchemy import delete, event, func, select, text, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from ladder.bots import packages
from ladder.errors import NoRoom, NotFound, Refused
from ladder.model import CHUNK, Blob, BlobChunk, Version, now
from ladder.people.accounts import Account
from tests.ladder.bots.authors import active, author, submitted
from tests.ladder.databases import on_postgresql, on_sqlite

MB = 1 << 20


def upload(session: Session, account: Account, data: bytes, name: str = "zorro") -> str:
    """A package that a version of the author's bot names; committed."""
    sha256 = packages.store(session, BytesIO(data), user_id=account.id)
    session.commit()
    made = submitted(session, account, name)
    session.execute(update(Version).where(Version.id == made.version_id).values(package=sha256))
    session.commit()
    return sha256


def rows(session: Session) -> tuple[int, int]:
    """The number of blobs and of chunks."""
    found = [session.scalar(select(func.count()).select_from(t)) for t in (Blob, BlobChunk)]
    session.rollback()
    return found[0] or 0, found[1] or 0


def test_bytes_come_back_in_chunks_of_a_mebibyte(session: Session) -> None:
    data = os.urandom(2 * CHUNK + 5)
    sha256 = upload(session, author(session), data)
    assert sha256 == hashlib.sha256(data).hexdigest()
    found = list(packages.chunks(session, sha256))
    assert [len(chunk) for chunk in found] == [CHUNK, CHUNK, 5]
    assert b"".join(found) == data


def test_the_same_bytes_are_stored_once(session: Session) -> None:
    data = os.urandom(100)
    ana, bela = author(session), author(session, "bela")
    assert upload(session, ana, data) == upload(session, bela, data)
    assert rows(session) == (1, 1)
    assert packages.quota(session, ana.id).used == packages.quota(session, bela.id).used == 100


@on_sqlite
def test_an_author_has_a_hard_quota(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANTIAGO_QUOTA_MB", "2")
    ana = author(session)
    first = os.urandom(MB)
    sha256 = upload(session, ana, first)
    with pytest.raises(Refused, match=r"take 1\.0 of 2\.0 MB, and this one needs 1\.0 MB"):
        packages.store(session, BytesIO(os.urandom(MB + 1)), user_id=ana.id)
    session.rollback()
    big = os.urandom(MB + 1)
    with pytest.raises(Refused, match=r"take 1\.0 of 2\.0 MB"):
        packages.store_bundle(
            session, BytesIO(big), hashlib.sha256(big).hexdigest(), user_id=ana.id
        )
    session.rollback()
    assert rows(session) == (1, 1)
    assert packages.store(session, BytesIO(first), user_id=ana.id) == sha256
    packages.store(session, BytesIO(os.urandom(MB)), user_id=ana.id)


def test_bytes_of_another_hash_are_not_stored(session: Session) -> None:
    with pytest.raises(ValueError, match="the bytes have the hash"):
        packages.store_bundle(session, BytesIO(b"x"), "0" * 64, user_id=author(session).id)
    session.rollback()
    assert rows(session) == (0, 0)


def test_an_upload_that_breaks_off_leaves_nothing(session: Session) -> None:
    class Breaks(BytesIO):
        reads = 0

        def read(self, size: int | None = -1) -> bytes:
            self.reads += 1
            if self.reads == 2:
                raise OSError("the connection was lost")
            return super().read(size)

    data = os.urandom(3 * CHUNK)
    with pytest.raises(OSError, match="lost"):
        packages.store_bundle(
            session, Breaks(data), hashlib.sha256(data).hexdigest(), user_id=author(session).id
        )
    session.rollback()
    assert rows(session) == (0, 0)


@on_sqlite
def test_a_full_disk_leaves_nothing(session: Session) -> None:
    ana = author(session)
    pages = session.scalar(text("PRAGMA page_count"))
    assert isinstance(pages, int)
    session.execute(text(f"PRAGMA max_page_count = {pages + 300}"))
    session.rollback()
    with pytest.raises(Refused, match="no room for uploads"):
        packages.store(session, BytesIO(os.urandom(3 * CHUNK)), user_id=ana.id)
    session.rollback()
    assert rows(session) == (0, 0)
    small = packages.store(session, BytesIO(b"small"), user_id=ana.id)
    session.commit()
    assert b"".join(packages.chunks(session, small)) == b"small"


@on_sqlite
def test_all_authors_together_have_so_much_room(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_UPLOADS_MB", "3")
    ana, luz = author(session), author(session, "luz")
    first, second = bytes(2 * MB), bytes(2 * MB - 1)
    sha256 = upload(session, ana, first)
    with pytest.raises(NoRoom, match="no room for uploads"):
        packages.store(session, BytesIO(second), user_id=luz.id)
    session.rollback()
    assert upload(session, luz, first) == sha256, "its bytes are here already"
    session.execute(update(Blob).values(dropped_at=now(session)))
    assert upload(session, luz, second, name="mojito") != sha256


@on_sqlite
def test_accounts_in_series_leave_room_for_authors_who_have_played(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_UPLOADS_MB", "4")
    ana, luz = author(session), author(session, "luz")
    active(session, ana)
    upload(session, author(session, "bela"), bytes(2 * MB))
    with pytest.raises(NoRoom, match="no room for uploads"):
        packages.store(session, BytesIO(bytes(2 * MB - 1)), user_id=luz.id)
    session.rollback()
    upload(session, luz, bytes(MB))
    assert upload(session, ana, bytes(MB - 1), name="gato")


def test_a_full_disk_may_only_show_at_the_commit() -> None:
    error = sqlite3.OperationalError("database or disk is full")
    with pytest.raises(NoRoom, match="no room for uploads"), packages.room_on_disk():
        raise OperationalError("COMMIT", None, error)
    with pytest.raises(OperationalError), packages.room_on_disk():
        raise OperationalError("COMMIT", None, sqlite3.OperationalError("disk I/O error"))


def test_a_temporary_file_may_find_no_room_either() -> None:
    with pytest.raises(NoRoom, match="no room for uploads"), packages.room_on_disk():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match="Input/output"), packages.room_on_disk():
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@on_postgresql
def test_a_full_disk_of_postgresql_is_told(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's error alone: its disk can't be filled here."""
    full = text("DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$")
    ana = author(session)
    monkeypatch.setattr(packages, "_write", lambda session, *_: session.execute(full))
    with pytest.raises(Refused, match="no room for uploads"):
        packages.store(session, BytesIO(b"x"), user_id=ana.id)
    session.rollback()
    assert rows(session) == (0, 0)


def test_what_is_banned_or_gone_is_not_handed_out(session: Session) -> None:
    ana = author(session)
    sha256 = upload(session, ana, b"evil")
    assert packages.has(session, sha256)
    blob = session.get_one(Blob, sha256, populate_existing=True)
    blob.dropped_at = now(session)
    session.commit()
    assert not packages.has(session, sha256)
    with pytest.raises(NotFound, match="no longer kept"):
        next(packages.chunks(session, sha256))
    blob.banned_at, blob.ban_reason = now(session), "it mines"
    session.commit()
    with pytest.raises(Refused, match="banned these files: it mines"):
        next(packages.chunks(session, sha256))
    with pytest.raises(Refused, match="it mines"):
        packages.store(session, BytesIO(b"evil"), user_id=ana.id)


def test_what_is_dropped_while_it_is_read_is_gone(session: Session) -> None:
    sha256 = upload(session, author(session), os.urandom(2 * CHUNK))
    chunks = packages.chunks(session, sha256)
    assert len(next(chunks)) == CHUNK
    session.execute(delete(BlobChunk))
    session.commit()
    with pytest.raises(NotFound, match="no longer kept"):
        next(chunks)


def test_chunks_are_read_one_by_one(session: Session) -> None:
    sha256 = upload(session, author(session), os.urandom(3 * CHUNK))
    queries: list[str] = []
    connection = session.connection()
    event.listen(connection, "before_cursor_execute", lambda *a: queries.append(a[2]))
    for before, after in pairwise(len(queries) for _ in packages.chunks(session, sha256)):
        assert after == before + 1
