from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.tournaments import lifecycle, lookup
from ladder.contests.tournaments.correcting import withdraw
from ladder.errors import Forbidden, Invalid, NotFound, Refused, Stale
from ladder.jobs import attempts
from ladder.matches import job, reading, results
from ladder.matches.queue import queue_state
from ladder.model import Match, MatchKind, now
from ladder.operating import match_control
from ladder.people.accounts import Account, audit_records
from tests.ladder.contests.tournaments.cups import gone_on
from tests.ladder.databases import on_sqlite, plan
from tests.ladder.league import (
    as_kind,
    claimed,
    finished,
    match_ids,
    ranked,
    set_job,
    start_tournament,
)


def fail(session: Session, match_id: int) -> None:
    """As if the match had been given up."""
    job.interrupt(session, claimed(session, match_id), "it rained")
    session.commit()
    session.execute(
        update(Match).where(Match.id == match_id).values(interruptions=9, interruptions_alone=9)
    )
    session.commit()
    job.interrupt(session, claimed(session, match_id), "it rained")
    session.commit()
    assert reading.match(session, match_id).state == "failed"


@on_sqlite
def test_a_queued_match_is_cancelled_and_its_tournament_counts_it(
    session: Session, admin: Account
) -> None:
    start_tournament(session, count=2)
    first, second = match_ids(session)
    match_control.cancel(session, admin, first, " no more rum ")
    session.commit()
    match = reading.match(session, first)
    assert (match.state, match.reason) == ("cancelled", "An admin cancelled it: no more rum")
    assert lookup.tournament(session, 1).settled == 1
    session.commit()
    finished(session, second, ranked(1, 2))
    assert gone_on(session, 1).state == "finished"
    entry = audit_records(session)[0]
    assert (entry.actor, entry.action, entry.subject, entry.reason) == (
        "boss",
        "cancel",
        f"match {first}",
        "no more rum",
    )


@on_sqlite
def test_to_cancel_a_match_looks_at_no_job_of_another(session: Session, admin: Account) -> None:
    start_tournament(session, count=2)
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    match_control.cancel(session, admin, match_ids(session)[0], "stuck")
    (drop,) = (one for one in asked if one[0].startswith("DELETE FROM jobs"))
    first, *_ = plan(session, *drop)  # the others delete what refers to the job
    assert first.startswith("SEARCH jobs USING INDEX")
    assert first.endswith("(kind=? AND subject=?)")


def test_a_running_match_is_cancelled_and_its_worker_finds_out(
    session: Session, admin: Account
) -> None:
    start_tournament(session, count=2)
    claim = claimed(session, match_ids(session)[0])
    match_control.cancel(session, admin, claim.match_id, "stuck")
    session.commit()
    with pytest.raises(Stale):
        attempts.renew(session, claim.held, lease=60)


@on_sqlite
def test_a_running_match_is_queued_again_and_the_attempt_is_void(
    session: Session, admin: Account
) -> None:
    start_tournament(session, count=2)
    claim = claimed(session, match_ids(session)[0])
    match_control.requeue(session, admin, claim.match_id, "stuck")
    session.commit()
    with pytest.raises(Stale):
        results.finish(session, claim, ranked(1, 2))
    session.rollback()
    assert claimed(session, claim.match_id).attempt == 2


def test_a_failed_match_is_queued_again_and_counts_once(session: Session, admin: Account) -> None:
    start_tournament(session, count=2)
    first, second = match_ids(session)
    fail(session, first)
    match_control.requeue(session, admin, first, "the disk is mended")
    session.commit()
    row = reading.match(session, first)
    assert (row.state, row.reason, row.finished_at, row.interruptions) == ("queued", None, None, 0)
    assert lookup.tournament(session, 1).settled == 0
    session.commit()
    finished(session, first, ranked(1, 2))
    finished(session, second, ranked(1, 2))
    over = gone_on(session, 1)
    assert (over.state, over.settled, over.finished) == ("finished", 2, 2)


@on_sqlite
def test_a_failed_match_of_the_ladder_is_queued_again(session: Session, admin: Account) -> None:
    start_tournament(session, count=2)
    as_kind(session, "ladder")
    first, _ = match_ids(session)
    fail(session, first)
    tried = session.get_one(Match, first).attempt
    match_control.requeue(session, admin, first, "the disk is mended")
    session.commit()
    assert reading.match(session, first).state == "queued"
    session.commit()
    claim = claimed(session, first)
    assert claim.attempt == tried + 1
    assert results.finish(session, claim, ranked(1, 2)) == 1


@on_sqlite
def test_a_failed_match_of_a_tournament_that_is_over_stays_so(
    session: Session, admin: Account
) -> None:
    start_tournament(session, count=2)
    first, second = match_ids(session)
    fail(session, first)
    finished(session, second, ranked(1, 2))
    assert gone_on(session, 1).state == "finished"
    with pytest.raises(Refused, match="a round that is over"):
        match_control.requeue(session, admin, first, "again")


@on_sqlite
def test_a_match_of_a_bot_that_has_withdrawn_is_not_queued_again(
    session: Session, admin: Account
) -> None:
    cup = start_tournament(session, count=3)
    match_id = match_ids(session)[0]
    fail(session, match_id)
    gone = reading.match(session, match_id).seats[0].bot_id
    assert gone is not None
    withdraw(session, cup, gone)
    session.commit()
    with pytest.raises(Refused, match="has withdrawn"):
        match_control.requeue(session, admin, match_id, "again")


def test_a_failed_trial_is_not_queued_again(session: Session, admin: Account) -> None:
    start_tournament(session, count=2)
    first = match_ids(session)[0]
    fail(session, first)
    session.execute(update(Match).where(Match.id == first).values(kind=MatchKind.VALIDATION))
    session.commit()
    with pytest.raises(Refused, match="was a trial"):
        match_control.requeue(session, admin, first, "again")


@on_sqlite
def test_what_makes_no_sense_is_refused(session: Session, admin: Account) -> None:
    start_tournament(session, count=2)
    first, second = match_ids(session)
    finished(session, first, ranked(1, 2))
    with pytest.raises(Refused, match="finished: there is nothing to cancel"):
        match_control.cancel(session, admin, first, "late")
    session.rollback()
    with pytest.raises(Refused, match="is queued: only"):
        match_control.requeue(session, admin, second, "again")
    session.rollback()
    with pytest.raises(NotFound):
        match_control.cancel(session, admin, 77, "who knows")
    session.rollback()
    with pytest.raises(Invalid, match="give a reason"):
        match_control.cancel(session, admin, second, "  ")
    organiser = Account(admin.id, "boss", "organiser")
    for deed in (match_control.cancel, match_control.requeue):
        with pytest.raises(Forbidden):
            deed(session, organiser, second, "mine")


def test_what_is_played_and_what_waits(session: Session) -> None:
    start_tournament(session, count=2, deals=2)
    first, second, *_ = match_ids(session)
    claimed(session, second)
    (played,) = match_control.running(session)
    assert (played.id, played.attempt, played.late) == (second, 1, False)
    assert sorted(played.bots) == ["ada", "bela"]
    assert played.worker
    late = now(session) - timedelta(minutes=1)
    set_job(session, second, lease_until=late)
    assert match_control.running(session)[0].late
    waiting = match_control.waiting_longest(session)
    assert waiting[0].id == first
    assert waiting[0].worker is None


def test_matches_of_a_tournament_that_does_not_run_wait_for_nobody(session: Session) -> None:
    """Else those of a large one, planned for next week, would hide what is stuck."""
    cup = start_tournament(session, count=2, deals=2)
    session.commit()
    lifecycle.pause(session, cup)
    session.commit()
    assert match_control.waiting_longest(session) == ()
    assert queue_state(session).queued[model.MatchKind.TOURNAMENT] == 0
    lifecycle.resume(session, cup)
    session.commit()
    assert len(match_control.waiting_longest(session)) == 4
    assert queue_state(session).queued[model.MatchKind.TOURNAMENT] == 4
