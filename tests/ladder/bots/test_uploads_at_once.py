"""Uploads, builds and clearing at the same instant, and how much memory one takes."""

import hashlib
import os
import tracemalloc
from io import BytesIO
from tempfile import TemporaryFile

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import building, clearing, packages, submitting, uploads
from ladder.errors import Refused
from ladder.model import CHUNK, Blob, BlobChunk, Version, VersionState
from ladder.people.accounts import Account
from tests.ladder.bots.authors import author
from tests.ladder.bots.test_at_once import is_made_to_wait
from tests.ladder.bots.uploads import bundle_of, claimed_build, host, uploaded
from tests.ladder.databases import meanwhile, on_sqlite
from tests.ladder.test_concurrency import THREADS, at_once

Sessions = sessionmaker[Session]


def upload(session: Session, account: Account, data: bytes, name: str, version: str = "1") -> int:
    """The id of a version that was uploaded; the caller commits."""
    sha256 = packages.store(session, BytesIO(data), user_id=account.id)
    package = submitting.Package(sha256, "p.zip", name, version, "python")
    return submitting.submit_package(session, account, package).version_id


def test_a_quota_is_hard_when_all_upload_at_once(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_QUOTA_MB", "2")
    with sessions() as session:
        ana = author(session)

    def attempt(number: int) -> bool:
        data = bytes([number]) * CHUNK
        try:
            with sessions.begin() as session:
                upload(session, ana, data, f"bot {number}")
        except Refused:
            return False
        return True

    assert sorted(at_once(attempt)) == [False] * (THREADS - 2) + [True] * 2
    with sessions() as session:
        assert packages.quota(session, ana.id).left == 0
        assert len(session.scalars(select(BlobChunk.number)).all()) == 2


def test_a_quota_is_hard_when_builds_and_uploads_end_at_once(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_QUOTA_MB", "2")
    with sessions() as session:
        host(session)
        ana = author(session)
        claim = claimed_build(session, uploaded(session, ana).version_id)
        bundle = bundle_of(session, claim, os.urandom(CHUNK))
        upload(session, ana, os.urandom(CHUNK), "gato")
        session.commit()
        building.finish(session, claim, bundle)
        session.commit()
        version = session.get_one(Version, claim.version_id)
        assert (version.state, version.bundle) == (VersionState.REJECTED, None)
        assert version.reason == (
            "The build failed: your uploads and what was built from them take 1.0 of 2.0 MB, and "
            "this one needs 1.0 MB: remove uploads of old versions"
        )
        assert packages.quota(session, ana.id).left > 0


def test_the_same_bytes_from_many_are_stored_once(sessions: Sessions) -> None:
    with sessions() as session:
        everybody = [author(session, f"author {number}") for number in range(THREADS)]
    data = os.urandom(2 * CHUNK)

    def attempt(number: int) -> None:
        with sessions.begin() as session:
            upload(session, everybody[number], data, "zorro")

    at_once(attempt)
    with sessions() as session:
        sha256 = session.scalars(select(Blob.sha256)).one()
        assert b"".join(packages.chunks(session, sha256)) == data


def test_what_is_uploaded_again_is_not_dropped(sessions: Sessions) -> None:
    def drop(session: Session) -> None:
        clearing.drop_unneeded(session)

    with sessions() as session:
        ana = author(session)
        first = upload(session, ana, b"first", "zorro", "1")
        session.execute(
            update(Version).where(Version.id == first).values(state=VersionState.REJECTED)
        )
        second = upload(session, ana, b"second", "zorro", "2")
        session.execute(
            update(Version).where(Version.id == second).values(state=VersionState.REJECTED)
        )
        session.commit()
        upload(session, ana, b"first", "zorro", "3")
        if session.get_bind().dialect.name == "postgresql":
            assert is_made_to_wait(sessions, drop)
        session.commit()
    with sessions.begin() as session:
        assert clearing.drop_unneeded(session) == [hashlib.sha256(b"second").hexdigest()]
        assert packages.has(session, hashlib.sha256(b"first").hexdigest())


def first_of_two_rejected(session: Session, ana: Account) -> Version:
    """A version whose package is needed by none, and neither is that of the next one."""
    for number in "12":
        version_id = upload(session, ana, number.encode(), "zorro", number)
        own = update(Version).where(Version.id == version_id)
        session.execute(own.values(state=VersionState.REJECTED))
    session.commit()
    first = session.scalars(select(Version).order_by(Version.id)).first()
    assert first is not None
    return first


def test_what_is_submitted_again_is_not_dropped(sessions: Sessions) -> None:
    def drop(session: Session) -> None:
        clearing.drop_unneeded(session)

    with sessions() as session:
        ana = author(session)
        first = first_of_two_rejected(session, ana)
        submitting.submit_again(session, ana, first.bot_id, first.id)
        if session.get_bind().dialect.name == "postgresql":
            assert is_made_to_wait(sessions, drop)
        session.commit()
    with sessions.begin() as session:
        assert packages.has(session, hashlib.sha256(b"1").hexdigest())


def test_what_is_being_published_is_not_dropped(sessions: Sessions) -> None:
    with sessions() as session:
        ana = author(session)
        first = first_of_two_rejected(session, ana)
        uploads.publish(session, ana, first.bot_id, first.id, "MIT")
        session.flush()
        meanwhile(sessions, session, clearing.drop_unneeded)
        assert uploads.published(session, first.bot_id, first.id).sha256 == first.package


@on_sqlite
def test_neither_storing_nor_reading_holds_a_package_in_memory(session: Session) -> None:
    ana = author(session)
    with TemporaryFile() as file:
        for number in range(16):
            file.write(bytes([number]) * CHUNK)
        tracemalloc.start()
        try:
            sha256 = packages.store(session, file, user_id=ana.id)
            session.commit()
            for chunk in packages.chunks(session, sha256):
                assert len(chunk) == CHUNK
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < 8 * CHUNK
