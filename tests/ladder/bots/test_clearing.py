"""What is dropped of uploads and bundles, and when; removing them."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from io import BytesIO

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import availability, bans, clearing, packages, submitting
from ladder.bots.builds import add_lines
from ladder.errors import NotFound, Refused
from ladder.jobs import attempts
from ladder.matches import results
from ladder.matches.results import Written
from ladder.model import (
    Blob,
    BlobChunk,
    BuildLine,
    Job,
    Seat,
    SeatOutput,
    User,
    Version,
    VersionState,
    now,
)
from ladder.people.accounts import Account
from tests.ladder.bots.authors import author, house_bot, notices, start_cup
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, start_tournament

ACTIVE, OLD, REJECTED = VersionState.ACTIVE, VersionState.SUPERSEDED, VersionState.REJECTED


def version(session: Session, account: Account, name: str, state: VersionState) -> Version:
    """An uploaded version of the author's bot, with a bundle of its own; committed."""
    package = packages.store(session, BytesIO(f"package {name}".encode()), user_id=account.id)
    bundle = bundle_of(name)
    packages.store_bundle(session, BytesIO(f"bundle {name}".encode()), bundle, user_id=account.id)
    made = submitting.submit_package(
        session, account, submitting.Package(package, "zorro.zip", "zorro", name, "python")
    )
    row = session.get_one(Version, made.version_id)
    row.bundle, row.state = bundle, state
    attempts.drop(session, "build", row.id)
    session.commit()
    return row


def bundle_of(name: str) -> str:
    return hashlib.sha256(f"bundle {name}".encode()).hexdigest()


def clear(session: Session) -> list[str]:
    """What is dropped an hour later."""
    session.execute(update(Blob).values(created_at=now(session) - timedelta(hours=1)))
    session.commit()
    dropped = clearing.drop_unneeded(session)
    session.commit()
    return dropped


def kept(session: Session, rows: Sequence[Version]) -> tuple[str, str]:
    """Which versions have their package, and which their bundle, by name."""
    here = set(session.scalars(select(Blob.sha256).where(Blob.dropped_at.is_(None))))
    with_bytes = set(session.scalars(select(BlobChunk.sha256)))
    session.rollback()
    assert here == with_bytes
    return (
        "".join(row.name for row in rows if row.package in here),
        "".join(row.name for row in rows if row.bundle in here),
    )


@on_sqlite
def test_old_bundles_go_and_packages_stay(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_KEPT_BUNDLES", "2")
    ana = author(session)
    rows = [
        version(session, ana, name, state)
        for name, state in zip("123456", (OLD, OLD, REJECTED, OLD, ACTIVE, REJECTED), strict=True)
    ]
    assert kept(session, rows) == ("123456", "123456")
    used = packages.quota(session, ana.id).used
    gone = {rows[2].package, *(bundle_of(name) for name in "1236")}
    assert set(clear(session)) == gone
    assert kept(session, rows) == ("12456", "45")
    assert packages.quota(session, ana.id).used == used - 4 * len("bundle 1") - len("package 1")
    assert clear(session) == []


@on_sqlite
def test_a_version_that_has_to_play_keeps_its_bundle(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_KEPT_BUNDLES", "1")
    ana = author(session)
    old = version(session, ana, "1", ACTIVE)
    start_cup(session, old.bot_id, house_bot(session))
    old.state = VersionState.SUPERSEDED
    session.commit()
    rows = [
        old,
        version(session, ana, "2", ACTIVE),
        version(session, ana, "3", VersionState.BUILDING),
    ]
    assert clear(session) == []
    availability.retire(session, ana, old.bot_id)
    session.commit()
    clear(session)
    assert kept(session, rows) == ("123", "1")  # the tournament goes on


def test_a_deleted_account_leaves_what_it_published(session: Session) -> None:
    ana = author(session)
    rows = [version(session, ana, name, state) for name, state in (("1", OLD), ("2", ACTIVE))]
    rows[0].licence = "MIT"
    session.commit()
    availability.retire(session, ana, rows[0].bot_id)
    session.get_one(User, ana.id).deleted_at = now(session)
    session.commit()
    clear(session)
    assert kept(session, rows) == ("1", "")


def test_a_bundle_waits_for_its_version(session: Session) -> None:
    ana = author(session)
    packages.store_bundle(session, BytesIO(b"bundle 1"), bundle_of("1"), user_id=ana.id)
    session.commit()
    assert clearing.drop_unneeded(session) == []
    session.rollback()
    assert clear(session) == [bundle_of("1")]


def test_the_same_bytes_uploaded_meanwhile_stay(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    ana = author(session)
    rejected = version(session, ana, "1", REJECTED)
    assert rejected.package is not None
    newer = version(session, ana, "2", ACTIVE)
    clear(session)
    again = version(session, ana, "1", REJECTED)
    assert again.package == rejected.package
    assert kept(session, [newer, again])[0] == "21"


def test_an_author_removes_uploads_of_versions_that_no_longer_play(session: Session) -> None:
    ana, bela = author(session), author(session, "bela")
    old, playing = version(session, ana, "1", OLD), version(session, ana, "2", ACTIVE)
    with pytest.raises(Refused, match="may still play"):
        clearing.remove(session, ana, playing.bot_id, playing.id)
    session.rollback()
    with pytest.raises(NotFound):
        clearing.remove(session, bela, old.bot_id, old.id)
    session.rollback()
    clearing.remove(session, ana, old.bot_id, old.id)
    session.commit()
    assert len(clear(session)) == 2
    with pytest.raises(NotFound, match="there is no package"):
        clearing.remove(session, ana, old.bot_id, old.id)


def test_a_rejected_version_whose_upload_is_gone_is_not_tried_again(session: Session) -> None:
    ana = author(session)
    row = version(session, ana, "1", REJECTED)
    clearing.remove(session, ana, row.bot_id, row.id)
    session.commit()
    with pytest.raises(Refused, match="upload them again"):
        submitting.submit_again(session, ana, row.bot_id, row.id)


def test_a_ban_holds_for_versions_in_any_state(session: Session) -> None:
    ana = author(session)
    waiting = version(session, ana, "2", VersionState.SUBMITTED)
    waiting.bundle = None
    attempts.enqueue(session, "build", "build", [waiting.id])
    session.commit()
    assert waiting.package is not None
    bans.ban(session, waiting.package, "it mines")
    session.commit()
    assert session.get_one(Version, waiting.id, populate_existing=True).state == REJECTED
    assert session.scalars(select(Job)).all() == []
    assert len(notices(session, ana)) == 1
    with pytest.raises(Refused, match="it mines"):
        packages.store(session, BytesIO(b"package 2"), user_id=ana.id)
    session.rollback()
    with pytest.raises(Refused, match="has banned these files: it mines"):
        submitting.submit_again(session, ana, waiting.bot_id, waiting.id)


def test_logs_of_builds_go_with_the_builds(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_KEPT_BUNDLES", "2")
    ana = author(session)
    states = (OLD, REJECTED, OLD, ACTIVE, REJECTED, REJECTED)
    rows = [
        version(session, ana, name, state) for name, state in zip("123456", states, strict=True)
    ]
    for row in rows:
        add_lines(session, row.id, ["Compiling", "Done"])
    session.commit()
    clearing.forget_logs(session)
    session.commit()
    logged = set(session.scalars(select(BuildLine.version_id)))
    assert "".join(row.name for row in rows if row.id in logged) == "346"


def test_what_a_bot_wrote_is_kept_of_the_matches_that_it_played_last(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clearing, "OUTPUTS", 2)
    start_tournament(session, deals=2)
    first, second, third, queued = match_ids(session)
    for match_id in (third, first, second):
        finished(session, match_id, ranked(1, 2))
    seats = select(Seat.match_id, Seat.seat).order_by(Seat.match_id, Seat.seat)
    for match_id, seat in session.execute(seats.where(Seat.bot_id == 1)):
        results.keep_written(session, match_id, [Written(seat, b"so", b"it")])
    results.keep_written(session, third, [Written(seat=0, output=b"the other bot's")])
    session.commit()
    assert clearing.forget_outputs(session) == 2
    session.commit()
    left = session.scalars(select(SeatOutput.match_id).order_by(SeatOutput.match_id)).all()
    assert left == [second, third, queued], "an attempt at the last one was interrupted"
    assert clearing.forget_outputs(session) == 0
