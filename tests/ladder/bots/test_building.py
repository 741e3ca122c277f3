"""Which uploaded versions are built, by whom, and what comes of it."""

import asyncio
import errno
import os
from dataclasses import replace
from datetime import timedelta
from typing import IO

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import worker
from ladder.bots import (
    availability,
    bans,
    building,
    builds,
    checking,
    submitting,
    uploads,
    versions,
)
from ladder.bots.building import BUILDS, NO_HOST, NO_RUNTIME
from ladder.bots.builds import BuildClaim
from ladder.bots.hosts import Hosts
from ladder.bots.reports import Report
from ladder.bots.submitting import Submission
from ladder.bots.versions import BUILD, CHECK
from ladder.errors import Invalid, Refused, Stale
from ladder.jobs import attempts, workers
from ladder.model import Blob, BlobChunk, Bot, BuildLine, HostRow, Job, Seat, Version, now
from ladder.people.accounts import Account
from referee.hosting.client import HostLost, HostRefuses
from tests.ladder.bots.authors import (
    LEASE,
    active,
    author,
    checked,
    checks_due,
    claimed_check,
    house_bot,
    notices,
    state,
    submitted,
)
from tests.ladder.bots.uploads import (
    active_upload,
    builds_due,
    built,
    bundle_of,
    claimed_build,
    drain,
    host,
    registered,
    stored,
    tended,
    uploaded,
)
from tests.ladder.databases import on_sqlite

WHY = "make: nothing."


def row(session: Session, version_id: int) -> Version:
    found = session.get_one(Version, version_id, populate_existing=True)
    session.commit()
    return found


def drop_bundle(session: Session, version_id: int) -> None:
    sha256 = row(session, version_id).bundle
    session.execute(delete(BlobChunk).where(BlobChunk.sha256 == sha256))
    session.execute(update(Blob).where(Blob.sha256 == sha256).values(dropped_at=now(session)))
    session.commit()


@on_sqlite
def test_an_upload_is_built_before_its_check(session: Session) -> None:
    host(session)
    made = uploaded(session, author(session))
    version = row(session, made.version_id)
    assert (version.state, version.address) == ("submitted", f"hosted:{version.id}")
    assert checks_due(session) == []
    assert builds_due(session) == [version.id]
    claim = claimed_build(session, version.id)
    assert state(session, version.id) == "building"
    bundle = bundle_of(session, claim)
    building.finish(session, claim, bundle)
    session.commit()
    version = row(session, version.id)
    assert (version.state, version.bundle) == ("submitted", bundle.sha256)
    assert version.built_at is not None
    assert checks_due(session) == [version.id]


def test_without_a_host_an_upload_waits_and_says_so(session: Session) -> None:
    made = uploaded(session, author(session))
    tended(session)
    assert row(session, made.version_id).reason == NO_HOST
    assert builds_due(session) == []
    assert attempts.claim(session, BUILDS, made.version_id, "tester", lease=60.0) is None
    attempts.bring_forward(session, BUILD, made.version_id)
    host(session)
    tended(session)
    assert row(session, made.version_id).reason is None
    assert builds_due(session) == [made.version_id]


@pytest.mark.parametrize(
    "values",
    [{"draining": True}, {"trouble": "bubblewrap is missing."}, {"lanes": 0}, {"seen_at": None}],
)
def test_no_host_counts_that_takes_no_work(session: Session, values: dict[str, object]) -> None:
    host(session)
    if "seen_at" in values:
        values = {"seen_at": now(session) - timedelta(minutes=1)}
    session.execute(update(HostRow).values(**values))
    made = uploaded(session, author(session))
    assert builds_due(session) == []
    tended(session)
    assert row(session, made.version_id).reason == NO_HOST


def test_without_its_runtime_an_upload_waits_and_says_so(session: Session) -> None:
    made = uploaded(session, author(session))
    host(session, runtimes='["lines", "pythonic"]')
    tended(session)
    assert row(session, made.version_id).reason == NO_RUNTIME
    assert builds_due(session) == []
    assert attempts.claim(session, BUILDS, made.version_id, "tester", lease=LEASE) is None
    session.commit()
    with pytest.raises(Invalid, match="no host has the runtime python: choose one of lines"):
        uploaded(session, author(session, "bela"), "gato")
    session.rollback()
    host(session, "there")
    tended(session)
    assert row(session, made.version_id).reason is None
    assert builds_due(session) == [made.version_id]


@on_sqlite
def test_what_waits_for_a_host_holds_up_no_check_of_its_author(session: Session) -> None:
    host(session)
    ana = author(session)
    hosted = uploaded(session, ana)
    built(session, hosted.version_id)
    drain(session)
    tended(session)
    dialled = submitted(session, ana, "gato")
    assert checks_due(session) == [dialled.version_id]


@on_sqlite
def test_one_build_of_an_author_at_a_time(session: Session) -> None:
    host(session, lanes=9)
    ana, bela = author(session), author(session, "bela")
    other = uploaded(session, bela, "perro")
    first, second = uploaded(session, ana), uploaded(session, ana, "gato")
    claim = claimed_build(session, first.version_id)
    assert attempts.claim(session, BUILDS, second.version_id, "tester", lease=60.0) is None
    session.commit()
    building.break_off(session, claim, WHY)
    session.commit()
    claimed_build(session, second.version_id)
    assert state(session, other.version_id) == "submitted"


def test_builds_and_checks_leave_the_matches_a_lane(session: Session) -> None:
    host(session, lanes=2)
    checks, builds = (
        uploaded(session, author(session, "bela"), "perro"),
        uploaded(session, author(session)),
    )
    built(session, checks.version_id)
    claim = claimed_build(session, builds.version_id)
    assert checks_due(session) == []
    assert (
        attempts.claim(session, checking.CHECKS, checks.version_id, "tester", lease=LEASE) is None
    )
    session.commit()
    building.break_off(session, claim, WHY)
    attempts.bring_forward(session, CHECK, checks.version_id)
    session.commit()
    claimed_check(session, checks.version_id)


def test_an_author_with_many_uploads_holds_up_nobody_who_has_few(session: Session) -> None:
    """Each build may take minutes: they would else go on for as long as there are any."""
    host(session)
    ana, bela = author(session), author(session, "bela")
    first, second = uploaded(session, ana), uploaded(session, ana, "gato")
    third = uploaded(session, bela, "perro")
    assert builds_due(session)[0] == first.version_id
    building.break_off(session, claimed_build(session, first.version_id), WHY)
    session.commit()
    assert builds_due(session)[0] == third.version_id
    building.break_off(session, claimed_build(session, third.version_id), WHY)
    session.commit()
    assert builds_due(session) == [second.version_id]


def test_an_author_with_many_checks_holds_up_nobody_who_has_few(session: Session) -> None:
    ana, bela = author(session), author(session, "bela")
    first, _ = submitted(session, ana), submitted(session, ana, "gato")
    third = submitted(session, bela, "perro")
    checked(session, first.version_id)
    assert checks_due(session)[0] == third.version_id


def test_accounts_in_series_hold_up_no_author_who_has_played(session: Session) -> None:
    """Each check may take minutes, and whoever makes many accounts has submitted little by each."""
    ana = author(session)
    first = active(session, ana)
    row(session, first.version_id).created_at -= timedelta(days=2)
    session.commit()
    for name in ("bela", "caro"):
        submitted(session, author(session, name), "perro")
    second = submitted(session, ana, version="2")
    assert checks_due(session)[0] == second.version_id


@on_sqlite
def test_a_build_that_the_package_makes_fail_rejects_the_version(session: Session) -> None:
    host(session)
    ana = author(session)
    made = uploaded(session, ana)
    building.break_off(session, claimed_build(session, made.version_id), WHY)
    session.commit()
    version = row(session, made.version_id)
    assert (version.state, version.reason) == ("rejected", "The build failed: make: nothing.")
    assert len(notices(session, ana)) == 1
    again = submitting.submit_again(session, ana, made.bot_id, made.version_id)
    session.commit()
    assert row(session, again.version_id).package == version.package
    assert builds_due(session) == [again.version_id]


@on_sqlite
def test_a_build_whose_host_or_worker_dies_is_tried_again_but_not_for_ever(
    session: Session,
) -> None:
    host(session)
    made = uploaded(session, author(session))
    for _ in range(versions.ATTEMPTS):
        session.execute(update(Job).values(not_before=None))
        claim = claimed_build(session, made.version_id)
        BUILDS.fail(session, claim, "the host is gone")
        session.commit()
    version = row(session, made.version_id)
    assert version.state == "rejected"
    assert (version.reason or "").startswith("We could not build it in 5 tries; that is no fault")


@on_sqlite
def test_who_finds_no_host_has_not_tried(session: Session) -> None:
    host(session)
    made = uploaded(session, author(session))
    for _ in range(2 * versions.ATTEMPTS):
        session.execute(update(Job).values(not_before=None))
        claim = claimed_build(session, made.version_id)
        assert claim.held.number == 1
        versions.put_off(session, claim)
        session.commit()
    assert state(session, made.version_id) == "submitted"


def test_a_dead_workers_build_is_taken_back(session: Session) -> None:
    host(session)
    made = uploaded(session, author(session))
    claim = claimed_build(session, made.version_id)
    session.execute(update(Job).values(lease_until=now(session) - timedelta(seconds=1)))
    session.commit()
    assert attempts.reap(session, BUILDS) == [made.version_id]
    session.commit()
    assert state(session, made.version_id) == "submitted"
    with pytest.raises(Stale):
        building.finish(session, claim, bundle_of(session, claim))
    session.rollback()
    built(session, made.version_id)


def test_an_attempt_lasts_for_two_runs_of_the_step_and_the_time_around_them(
    session: Session,
) -> None:
    host(session)
    claim = claimed_build(session, uploaded(session, author(session)).version_id)
    around = claim.held.latest - now(session) - timedelta(seconds=2 * builds.WITHIN)
    assert around > timedelta(minutes=2)


@on_sqlite
def test_what_is_withdrawn_or_retired_is_not_built(session: Session) -> None:
    host(session)
    ana = author(session)
    made, other = uploaded(session, ana), uploaded(session, ana, "gato")
    claim = claimed_build(session, made.version_id)
    submitting.withdraw(session, ana, made.bot_id, made.version_id)
    availability.retire(session, ana, other.bot_id)
    session.commit()
    assert session.scalars(select(Job)).all() == []
    with pytest.raises(Stale):
        building.finish(session, claim, bundle_of(session, claim))


def test_an_upload_is_refused_as_an_address_is(session: Session) -> None:
    ana = author(session)
    uploaded(session, ana)
    with pytest.raises(Refused, match="zorro is still being checked: wait for it, or withdraw"):
        submitting.submit_package(session, ana, stored(session, ana))
    session.rollback()
    with pytest.raises(Invalid, match="a name has 1 to 40 characters"):
        submitting.submit_package(session, ana, stored(session, ana, name="?"))


@on_sqlite
def test_an_upload_of_a_known_version_is_told_what_to_change(session: Session) -> None:
    host(session)
    ana = author(session)
    active_upload(session, ana)
    with pytest.raises(Refused, match="zorro already has a version 1: change `version` in santiag"):
        uploaded(session, ana)


def logged(session: Session) -> tuple[Account, Submission, BuildClaim]:
    """Return an author, an upload, and its build, which has logged two lines."""
    host(session)
    ana = author(session)
    made = uploaded(session, ana)
    claim = claimed_build(session, made.version_id)
    builds.add_lines(session, made.version_id, ["one", "two"])
    return ana, made, claim


def test_the_log_is_of_the_newest_build_and_has_a_bound(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, made, claim = logged(session)
    builds.add_lines(session, made.version_id, ["three"])
    session.commit()
    lines = select(BuildLine.text).order_by(BuildLine.number)
    assert session.scalars(lines).all() == ["one", "two", "three"]
    BUILDS.give_back(session, claim)
    session.commit()
    claimed_build(session, made.version_id)
    assert session.scalars(lines).all() == ["[the build begins anew]"]
    builds.add_lines(session, made.version_id, ["one"])
    seen = uploads.of_build(session, ana, made.bot_id, made.version_id, after=2).lines
    assert [line.text for line in seen] == ["[the build begins anew]", "one"], "for who follows it"


def test_a_log_that_is_longer_than_a_page_goes_on(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, made, claim = logged(session)
    building.break_off(session, claim, "bot.cpp is empty")
    monkeypatch.setattr(uploads, "MOST_LINES", 1)
    pages = [
        uploads.of_build(session, ana, made.bot_id, made.version_id, after=after)
        for after in (None, 0, 1)
    ]
    assert [[line.text for line in page.lines] for page in pages] == [["one"], ["two"], []]
    assert [page.over for page in pages] == [False, False, True]


def test_a_dropped_bundle_is_built_again_while_its_version_plays(session: Session) -> None:
    host(session)
    made = active_upload(session, author(session))
    tended(session)
    assert builds_due(session) == []
    before = row(session, made.version_id).bundle
    drop_bundle(session, made.version_id)
    tended(session)
    tended(session)
    assert builds_due(session) == [made.version_id]
    assert built(session, made.version_id) == before
    version = row(session, made.version_id)
    assert (version.state, version.difference) == ("active", None)


def test_an_older_version_plays_on_once_its_ban_is_lifted(session: Session) -> None:
    host(session)
    ana = author(session)
    old = active_upload(session, ana)
    active_upload(session, ana, version="2")
    package = row(session, old.version_id).package
    assert package is not None
    bans.ban(session, package, "it mines coins")
    session.commit()
    assert row(session, old.version_id).state == "superseded"
    assert row(session, old.version_id).offline_since is not None
    bans.unban(session, package)
    session.commit()
    assert row(session, old.version_id).offline_since is None


def test_an_operators_full_disk_rejects_no_version(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> IO[bytes]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(builds, "TemporaryFile", full)
    host(session)
    made = uploaded(session, author(session))
    claim = claimed_build(session, made.version_id)
    settle = asyncio.run(worker.build(claim, hosts=Hosts(sessions, ()), sessions=sessions))
    settle(session, claim)
    session.commit()
    version = row(session, made.version_id)
    waiting = "Waiting for room for what was built. The operator’s log says why."
    assert (version.state, version.reason) == ("submitted", waiting)
    assert builds_due(session) == []
    attempts.bring_forward(session, BUILD, made.version_id)
    session.commit()
    assert builds_due(session) == [made.version_id]


def test_the_author_reads_that_no_host_takes_a_version(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def refused(*_: object, **__: object) -> Report:
        raise HostRefuses("All 4 sandboxes of this host are in use.")

    waiting = "Waiting for a host: none took it so far. The operator’s log says why."
    monkeypatch.setattr(builds, "run_build", refused)
    host(session)
    hosts, made = Hosts(sessions, ()), uploaded(session, author(session))
    claim = claimed_build(session, made.version_id)
    asyncio.run(worker.build(claim, hosts=hosts, sessions=sessions))(session, claim)
    session.commit()
    version = row(session, made.version_id)
    assert (version.state, version.reason) == ("submitted", waiting)
    attempts.bring_forward(session, BUILD, made.version_id)
    session.commit()
    built(session, made.version_id)
    check = claimed_check(session, made.version_id)
    asyncio.run(worker.check(check, by=refused))(session, check)
    session.commit()
    version = row(session, made.version_id)
    assert (version.state, version.reason) == ("submitted", waiting)
    assert caplog.text.count("All 4 sandboxes") == 2
    attempts.bring_forward(session, CHECK, made.version_id)
    session.commit()
    assert claimed_check(session, made.version_id).held.number == 1


def test_an_interrupted_build_or_check_is_made_again(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def lost(*_: object, **__: object) -> Report:
        raise HostLost("The host iron:7070 broke off.")

    monkeypatch.setattr(builds, "run_build", lost)
    host(session)
    hosts, made = Hosts(sessions, ()), uploaded(session, author(session))
    claim = claimed_build(session, made.version_id)
    asyncio.run(worker.build(claim, hosts=hosts, sessions=sessions))(session, claim)
    attempts.bring_forward(session, BUILD, made.version_id)
    session.commit()
    assert built(session, made.version_id)
    check = claimed_check(session, made.version_id)
    asyncio.run(worker.check(check, by=lost))(session, check)
    attempts.bring_forward(session, CHECK, made.version_id)
    session.commit()
    assert claimed_check(session, made.version_id).held.number == 2
    said = [record.getMessage() for record in caplog.records if record.name == "ladder.worker"]
    assert said == [
        f"the {kind} of version {made.version_id} was interrupted: The host iron:7070 broke off."
        for kind in (BUILD, CHECK)
    ]


def test_a_version_that_cannot_be_built_again_rests(session: Session) -> None:
    host(session)
    ana = author(session)
    made = active_upload(session, ana)
    drop_bundle(session, made.version_id)
    tended(session)
    building.break_off(session, claimed_build(session, made.version_id), WHY)
    session.commit()
    version = row(session, made.version_id)
    assert (version.conduct, version.suspension) == ("suspended", f"The build failed: {WHY}")
    tended(session)
    assert builds_due(session) == []
    availability.resume(session, ana, made.bot_id)
    session.commit()
    tended(session)
    assert builds_due(session) == [made.version_id]


def test_what_the_operator_registers_is_built_and_checked(session: Session) -> None:
    host(session)
    package = stored(session, author(session, "arena"), "greedy")
    bot_id = submitting.register_package(session, package)
    session.commit()
    version = session.scalars(select(Version).where(Version.bot_id == bot_id)).one()
    assert version.state == "submitted"
    built(session, version.id)
    assert checks_due(session) == [version.id]
    assert submitting.register_package(session, package) == bot_id
    assert session.scalars(select(Version.id)).all() == [version.id]
    other = replace(package, sha256=stored(session, author(session), "gato").sha256)
    with pytest.raises(Refused, match="greedy already has a version 1"):
        submitting.register_package(session, other)


def test_a_trial_needs_no_hosted_opponent_while_there_is_no_host(session: Session) -> None:
    host(session)
    package = stored(session, author(session, "arena"), "greedy")
    greedy = registered(session, package)
    session.execute(update(Bot).where(Bot.id == greedy).values(house=True))
    session.commit()
    random = house_bot(session)
    first, second = (submitted(session, author(session, name), name) for name in ("ana", "bela"))

    def opponents(version_id: int) -> set[int]:
        match_id = row(session, version_id).trial_match_id
        found = select(Seat.bot_id).where(Seat.match_id == match_id)
        return set(session.scalars(found)) & {greedy, random}

    checked(session, first.version_id)
    assert opponents(first.version_id) == {random}, "greedy is not built yet"
    tended(session)
    built(session, session.scalars(select(Version.id).where(Version.bot_id == greedy)).one())
    workers.beat(session, "tester", places=40)
    session.commit()
    checked(session, second.version_id)
    assert opponents(second.version_id) == {greedy, random}
    drain(session)
    checking.tend(session)
    session.commit()
    assert opponents(second.version_id) == {random}
