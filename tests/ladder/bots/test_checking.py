"""Which versions are checked, by whom, and what comes of it."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session, sessionmaker

from ladder import worker
from ladder.bots import checking, submitting, trials, versions
from ladder.bots.checking import CHECKS
from ladder.bots.gateway import Guests
from ladder.bots.reports import CheckClaim, Report, ReportLine
from ladder.bots.versions import CHECK
from ladder.errors import NotFound, Refused, Stale
from ladder.jobs import attempts, workers
from ladder.model import Job, Version, now
from referee.conformance.check import Why
from referee.errors import Interrupted, InvalidSetting, NoGateway
from tests.ladder.bots.authors import (
    BAD,
    GOOD,
    LEASE,
    author,
    checked,
    checks_due,
    claimed_check,
    house_bot,
    notices,
    state,
    submitted,
)
from tests.ladder.databases import on_sqlite


def due(session: Session, message_age: float = 60.0) -> list[int]:
    return checks_due(session, message_age)


def force_lease_end(session: Session, version_id: int) -> None:
    """As if the lease had passed a moment ago."""
    row = session.get_one(Version, version_id, populate_existing=True)
    session.execute(
        update(Job)
        .where(Job.kind == CHECK, Job.subject == version_id)
        .values(lease_until=row.created_at - timedelta(seconds=1))
    )
    session.commit()


def test_a_submitted_version_is_due_until_a_message_is_under_way(session: Session) -> None:
    made = submitted(session, author(session))
    assert due(session) == [made.version_id]
    assert due(session) == []
    assert due(session, message_age=0.0) == [made.version_id]


def test_a_claim_holds_all_that_the_check_needs(session: Session) -> None:
    made = submitted(session, author(session))
    check = claimed_check(session, made.version_id)
    assert (check.version, check.address) == ("1", "bot.example:443")
    assert check.secret is not None
    assert check.held.token not in repr(check)
    assert str(check.secret) not in repr(check)
    assert state(session, made.version_id) == "checking"
    assert attempts.claim(session, CHECKS, made.version_id, "tester", lease=LEASE) is None


@on_sqlite
def test_a_good_report_leads_on(session: Session) -> None:
    made = submitted(session, author(session))
    checked(session, made.version_id)
    version = session.get_one(Version, made.version_id, populate_existing=True)
    assert version.state == "active"
    assert version.report is not None
    assert Report.of_json(version.report) == GOOD
    assert version.checked_at is not None


def test_a_bad_report_rejects_and_tells_the_author(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    checked(session, made.version_id, BAD)
    version = session.get_one(Version, made.version_id, populate_existing=True)
    assert (version.state, version.reason) == ("rejected", "The check accept failed: It hung up.")
    assert notices(session, ana) == [
        "Version 1 of zorro was rejected. The check accept failed: It hung up."
    ]


@on_sqlite
def test_a_dead_workers_check_is_made_again_and_its_late_report_refused(session: Session) -> None:
    made = submitted(session, author(session))
    zombie = claimed_check(session, made.version_id)
    force_lease_end(session, made.version_id)
    check = claimed_check(session, made.version_id)
    assert check.held.number == 2
    with pytest.raises(Stale):
        attempts.renew(session, zombie.held, lease=LEASE)
    with pytest.raises(Stale):
        checking.finish(session, zombie, GOOD)
    with pytest.raises(Stale):
        CHECKS.give_back(session, zombie)
    attempts.renew(session, check.held, lease=LEASE)
    checking.finish(session, check, GOOD)
    session.commit()
    assert state(session, made.version_id) == "active"
    with pytest.raises(Stale):
        checking.finish(session, check, GOOD)


def test_a_check_that_was_given_back_is_due_at_once(session: Session) -> None:
    made = submitted(session, author(session))
    for _ in range(versions.ATTEMPTS):
        CHECKS.give_back(session, claimed_check(session, made.version_id))
        session.commit()
    assert due(session) == [made.version_id]
    claimed_check(session, made.version_id)
    force_lease_end(session, made.version_id)
    assert due(session) == [made.version_id], "that was the first interruption"


@on_sqlite
def test_a_check_that_is_interrupted_again_and_again_is_given_up(session: Session) -> None:
    made = submitted(session, author(session))
    alone = []
    for _ in range(versions.ATTEMPTS):
        alone.append(claimed_check(session, made.version_id).held.alone)
        force_lease_end(session, made.version_id)
    assert alone == [False, False, True, True, True]
    assert due(session) == []
    version = session.get_one(Version, made.version_id, populate_existing=True)
    assert (version.state, version.reason) == ("rejected", "The check was interrupted 5 times.")


@on_sqlite
def test_workers_that_died_of_something_else_reject_no_version(session: Session) -> None:
    made = submitted(session, author(session))
    for _ in range(versions.ATTEMPTS):
        check = claimed_check(session, made.version_id)
        if check.held.number < versions.ATTEMPTS:
            CHECKS.fail(session, check, "of this test")
        session.execute(update(Job).values(not_before=None))
        session.commit()
    force_lease_end(session, made.version_id)
    assert due(session) == [made.version_id], "something else was done beside it"
    with pytest.raises(attempts.WantsToBeAlone):
        attempts.claim(session, CHECKS, made.version_id, "tester", lease=LEASE, alone=False)
    session.rollback()
    checking.finish(session, claimed_check(session, made.version_id), GOOD)
    session.commit()
    assert state(session, made.version_id) == "active"


@on_sqlite
def test_one_version_of_an_owner_at_a_time(session: Session) -> None:
    workers.beat(session, "many", places=100)
    ana, luz = author(session), author(session, "luz")
    first, second = submitted(session, ana, "one"), submitted(session, ana, "two")
    other = submitted(session, luz, "three")
    assert due(session) == [first.version_id, other.version_id]
    assert attempts.claim(session, CHECKS, second.version_id, "tester", lease=LEASE) is None
    assert attempts.claim(session, CHECKS, first.version_id, "tester", lease=LEASE) is not None
    session.commit()
    assert due(session, message_age=0.0) == [other.version_id]


@pytest.mark.parametrize(("places", "at_once"), [(0, 1), (4, 1), (19, 1), (20, 2), (35, 3)])
def test_a_tenth_of_the_places_at_most(session: Session, places: int, at_once: int) -> None:
    if places:
        workers.beat(session, "worker", places=places)
    made = [submitted(session, author(session, f"author-{n}")) for n in range(5)]
    assert len(due(session)) == at_once
    claims = [
        attempts.claim(session, CHECKS, one.version_id, "tester", lease=LEASE) for one in made
    ]
    assert sum(claim is not None for claim in claims) == at_once


def test_when_workers_leave_while_versions_are_checked_there_is_no_room_and_no_error(
    session: Session,
) -> None:
    workers.beat(session, "worker", places=35)
    made = [submitted(session, author(session, f"author-{n}")).version_id for n in range(4)]
    for version_id in made[:3]:
        claimed_check(session, version_id)
    workers.sign_off(session, "worker")
    session.commit()
    assert due(session, 0.0) == []
    assert attempts.claim(session, CHECKS, made[3], "tester", lease=LEASE) is None
    session.commit()
    for version_id in made[:3]:
        force_lease_end(session, version_id)
    assert due(session, 0.0) == made[:1]  # what the dead held is taken back, and one may begin


@on_sqlite
def test_when_workers_leave_while_versions_are_checked_trials_wait(session: Session) -> None:
    house_bot(session)
    workers.beat(session, "worker", places=35)
    made = [submitted(session, author(session, f"author-{n}")).version_id for n in range(3)]
    first, *_ = [claimed_check(session, version_id) for version_id in made]
    workers.sign_off(session, "worker")
    checking.finish(session, first, GOOD)
    session.commit()
    version = session.get_one(Version, made[0])
    assert (version.state, version.reason) == ("trial", trials.NO_PLACE)


def test_a_bot_behind_the_gateway_is_checked_when_this_version_is_in(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    ana = author(session)
    made = submitting.submit(session, ana, name="far", version="2", address=None)
    session.commit()
    submitted(session, ana, "near")
    assert due(session, 0.0) == [made.version_id + 1]  # who has not dialled in delays nobody
    submitting.withdraw(session, ana, made.bot_id + 1, made.version_id + 1)
    session.commit()
    guests = Guests(sessions)
    guests.watch(str(made.bot_id), 1, "1")
    assert due(session, 0.0) == []
    guests.watch(str(made.bot_id), 1, "2")
    assert due(session, 0.0) == [made.version_id], "whatever else is in"


@on_sqlite
@pytest.mark.parametrize("error", [NoGateway, InvalidSetting])
def test_a_version_waits_for_a_gateway_that_does_not_answer(
    session: Session, sessions: sessionmaker[Session], error: type[Exception]
) -> None:
    async def away(_: CheckClaim) -> Report:
        raise error("the gateway does not answer, or this worker knows none.")

    made = submitting.submit(session, author(session), name="far", version="1", address=None)
    session.commit()
    Guests(sessions).watch(str(made.bot_id), 1, "1")
    for _ in range(2 * versions.ATTEMPTS):
        check = claimed_check(session, made.version_id)
        asyncio.run(worker.check(check, by=away))(session, check)
        session.commit()
        assert due(session, 0.0) == [], "in a moment"
        attempts.bring_forward(session, CHECK, made.version_id)
        session.commit()
    version = session.get_one(Version, made.version_id, populate_existing=True)
    waiting = "Waiting for the gateway, which does not answer."
    assert (version.state, version.reason) == ("submitted", waiting)


@on_sqlite
def test_a_check_that_the_platform_interrupts_is_tried_more_often(session: Session) -> None:
    async def broken(_: CheckClaim) -> Report:
        raise Interrupted("the gateway ended")

    made = submitted(session, author(session))
    for _ in range(versions.INTERRUPTIONS):
        assert state(session, made.version_id) == "submitted"
        attempts.bring_forward(session, CHECK, made.version_id)
        check = claimed_check(session, made.version_id)
        asyncio.run(worker.check(check, by=broken))(session, check)
        session.commit()
    version = session.get_one(Version, made.version_id, populate_existing=True)
    assert (version.state, version.reason) == ("rejected", "The check was interrupted 15 times.")


def test_what_its_author_withdraws_is_checked_no_more(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    check = claimed_check(session, made.version_id)
    submitting.withdraw(session, ana, made.bot_id, made.version_id)
    session.commit()
    with pytest.raises(Stale):
        checking.finish(session, check, GOOD)
    session.rollback()
    assert state(session, made.version_id) == "rejected"


def nobody() -> Report:
    code = Why.NOBODY_LISTENS.value
    return Report(
        False, (ReportLine("first-call", "It accepts.", "failed", code, "Nobody listens.", 0.1),)
    )


def pass_time(session: Session, version_id: int) -> datetime:
    """As if the time had come at which a check that was put off may begin; when that will be."""
    row = session.get_one(Job, (CHECK, version_id), populate_existing=True)
    due = row.not_before
    assert due is not None
    row.not_before = None
    session.commit()
    return due


@on_sqlite
def test_a_bot_that_does_not_listen_yet_is_tried_again_for_a_minute(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    waited = timedelta()
    for _ in range(versions.ATTEMPTS - 1):
        before = now(session)
        checked(session, made.version_id, nobody())
        version = session.get_one(Version, made.version_id, populate_existing=True)
        assert (version.state, version.reason) == ("submitted", str(checking.NOBODY_YET))
        assert notices(session, ana) == []
        assert attempts.claim(session, CHECKS, made.version_id, "tester", lease=LEASE) is None
        session.rollback()
        waited += pass_time(session, made.version_id) - before
    assert waited > timedelta(seconds=55)
    checked(session, made.version_id, nobody())
    assert state(session, made.version_id) == "rejected"
    assert "Nobody listens." in notices(session, ana)[0]


@on_sqlite
def test_a_bot_that_listens_in_the_meantime_is_checked(session: Session) -> None:
    made = submitted(session, author(session))
    checked(session, made.version_id, nobody())
    pass_time(session, made.version_id)
    checked(session, made.version_id)
    version = session.get_one(Version, made.version_id, populate_existing=True)
    assert (version.state, version.reason) == ("active", None)


@on_sqlite
def test_a_rejected_version_is_submitted_again_as_it_was(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    checked(session, made.version_id, BAD)
    again = submitting.submit_again(session, ana, made.bot_id, made.version_id)
    session.commit()
    before, after = (session.get_one(Version, n) for n in (made.version_id, again.version_id))
    assert (after.name, after.submitted_name, before.submitted_name) == ("1", "1", "1")
    assert (after.address, after.secret, after.slots) == (
        before.address,
        before.secret,
        before.slots,
    )
    assert due(session) == [again.version_id]
    checked(session, again.version_id)
    assert state(session, again.version_id) == "active"


def test_what_is_not_submitted_again(session: Session) -> None:
    ana, luz = author(session), author(session, "luz")
    made = submitted(session, ana)
    with pytest.raises(Refused, match="was not rejected: it is submitted"):
        submitting.submit_again(session, ana, made.bot_id, made.version_id)
    session.rollback()
    checked(session, made.version_id, BAD)
    with pytest.raises(NotFound):
        submitting.submit_again(session, luz, made.bot_id, made.version_id)
    submitting.submit_again(session, ana, made.bot_id, made.version_id)
    with pytest.raises(Refused, match="is still being checked"):
        submitting.submit_again(session, ana, made.bot_id, made.version_id)
