"""Hosts, builds, quotas and bans, as an operator sees and changes them."""

import json

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from ladder.bots import availability, bans, packages, submitting
from ladder.errors import Forbidden, Invalid, NotFound, Refused
from ladder.matches import lanes
from ladder.model import Blob, Conduct, HostRow, Version, VersionState, now
from ladder.operating import hosting
from ladder.people.accounts import Account, audit_records
from tests.ladder.databases import on_postgresql
from tests.ladder.league import BUNDLE, PACKAGE, host, register_bots

ANA = Account(2, "ana", "author")


@pytest.fixture
def iron(session: Session) -> str:
    session.add(
        HostRow(
            name="iron",
            address="unix:/iron",
            processors=2,
            lanes=4,
            guards=json.dumps(["seccomp"]),
            runtimes=json.dumps(["python"]),
            seen_at=now(session),
        )
    )
    session.commit()
    return "iron"


def test_a_host_is_drained_and_takes_work_again(
    session: Session, admin: Account, iron: str
) -> None:
    (found,) = hosting.hosts(session)
    assert (found.there, found.guards, found.runtimes) == (True, ("seccomp",), ("python",))
    assert lanes.lanes(session) == 4
    hosting.drain(session, admin, iron, "new kernel")
    session.commit()
    assert hosting.hosts(session)[0].draining
    assert lanes.lanes(session) == 0
    with pytest.raises(Refused, match="already draining"):
        hosting.drain(session, None, iron)
    hosting.undrain(session, None, iron)
    session.commit()
    assert hosting.hosts(session)[0].there
    told = [(row.actor, row.action, row.subject, row.reason) for row in audit_records(session)]
    assert told == [
        (None, "undrain", "host iron", None),
        ("boss", "drain", "host iron", "new kernel"),
    ]


def test_a_package_is_banned_with_its_bundles(session: Session, admin: Account) -> None:
    (bot,) = register_bots(session, 1)
    host(session, [bot])
    hosting.ban(session, admin, PACKAGE, "it mines coins")
    session.commit()
    assert bans.banned(session) == {PACKAGE, BUNDLE}
    assert {(one.reason, one.bots) for one in bans.bans(session)} == {("it mines coins", ("ada",))}
    version = session.query(Version).filter_by(bot_id=bot).one()
    assert version.conduct is Conduct.SUSPENDED
    assert version.suspension == "the operator has banned its files: it mines coins"
    assert not packages.has(session, BUNDLE)
    hosting.unban(session, None, PACKAGE)
    session.commit()
    assert bans.bans(session) == ()
    assert [row.action for row in audit_records(session)] == ["unban", "ban"]


def test_bans_take_as_many_statements_however_many_there_are(
    session: Session, admin: Account
) -> None:
    host(session, register_bots(session, 3))
    asked: list[str] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2]))
    taken = []
    for sha256 in ("c" * 64, PACKAGE):
        hosting.ban(session, admin, sha256, "it mines coins")
        session.commit()
        asked.clear()
        found = bans.bans(session)
        taken.append(len(asked))
    assert taken[0] == taken[1]
    assert {one.sha256: len(one.bots) for one in found} == {"c" * 64: 0, PACKAGE: 3, BUNDLE: 3}


def test_what_nobody_has_sent_yet_is_banned(session: Session, admin: Account) -> None:
    hosting.ban(session, admin, "c" * 64, "known from elsewhere")
    session.commit()
    blob = session.get_one(Blob, "c" * 64)
    assert blob.size == 0
    assert blob.dropped_at is not None


def test_what_cannot_be(session: Session, admin: Account, iron: str) -> None:
    for deed, what in ((hosting.drain, iron), (hosting.ban, PACKAGE), (hosting.unban, PACKAGE)):
        with pytest.raises(Forbidden):
            deed(session, ANA, what, "why not")
        with pytest.raises(Invalid, match="reason"):
            deed(session, admin, what, " ")
    with pytest.raises(Invalid, match="64 digits"):
        hosting.ban(session, admin, "c0ffee", "coffee")
    with pytest.raises(NotFound):
        hosting.unban(session, admin, PACKAGE, "never banned")
    with pytest.raises(NotFound):
        hosting.drain(session, admin, "steel", "no such host")


def test_builds_and_quotas_are_listed(session: Session) -> None:
    first, second = register_bots(session, 2)
    host(session, [first, second])
    building, failed = session.query(Version).order_by(Version.id)
    building.state, building.bundle = VersionState.BUILDING, None
    failed.state, failed.bundle, failed.reason = VersionState.REJECTED, None, "gcc: error"
    session.commit()
    assert [one.bot for one in hosting.builds(session)] == ["ada"]
    assert [(one.bot, one.reason) for one in hosting.failed_builds(session)] == [
        ("bela", "gcc: error")
    ]
    (use,) = hosting.uses(session)
    assert (use.author, use.packages, use.used) == ("compay", 1, 1)
    assert use.most == 300 << 20
    assert [one.state for one in hosting.files(session, first)] == [VersionState.BUILDING]


def test_what_is_taken_back_or_banned_before_it_is_built_is_no_failed_build(
    session: Session, admin: Account
) -> None:
    host(session, register_bots(session, 3))
    withdrawn, retired, banned = session.query(Version).order_by(Version.id)
    session.add(Blob(sha256="e" * 64, size=1, kind="package", created_at=now(session)))
    session.flush()
    for version in (withdrawn, retired, banned):
        version.state, version.bundle = VersionState.BUILDING, None
    banned.package = "e" * 64
    session.commit()
    hosting.ban(session, admin, "e" * 64, "mines coins")
    session.commit()
    assert banned.state == VersionState.REJECTED
    compay = Account(withdrawn.bot.user_id, "compay", "author")
    submitting.withdraw(session, compay, withdrawn.bot_id, withdrawn.id)
    availability.retire(session, compay, retired.bot_id)
    assert withdrawn.state == retired.state == VersionState.REJECTED
    assert hosting.failed_builds(session) == ()


@on_postgresql
def test_what_no_database_can_store_is_no_error_of_ours(
    session: Session, admin: Account, iron: str
) -> None:
    with pytest.raises(NotFound):
        hosting.drain(session, admin, f"{iron}\0", "new kernel")
    with pytest.raises(Invalid, match="give a reason"):
        hosting.drain(session, admin, iron, "\0")
    hosting.drain(session, admin, iron, "new\0 kernel")
    session.commit()
    assert audit_records(session)[0].reason == "new kernel"
