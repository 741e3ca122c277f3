from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.contests.tournaments import forfeits, lifecycle, lookup
from ladder.contests.tournaments.lookup import MatchCounts
from ladder.errors import Forbidden, NotFound, Refused, Stale
from ladder.jobs import attempts, dispatch
from ladder.matches import misses, reading, results
from ladder.matches.job import MATCHES
from ladder.matches.misses import MissedCall
from ladder.model import (
    MatchKind,
    Tournament,
    TournamentState,
    TournamentStep,
    Version,
    possible_steps,
)
from ladder.operating import match_control
from ladder.people.accounts import audit_records
from ladder.wiring import KINDS
from tests.ladder.contests.tournaments.cups import create, gone_on, play
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, finished, match_ids, ranked, start_tournament
from tests.ladder.people.people import sign_up

STEPS = {
    TournamentStep.START: lifecycle.start,
    TournamentStep.PAUSE: lifecycle.pause,
    TournamentStep.RESUME: lifecycle.resume,
    TournamentStep.CANCEL: lifecycle.cancel,
}


@on_sqlite
def test_nothing_is_played_before_the_start(session: Session) -> None:
    made = create(session)
    first = match_ids(session)[0]
    session.commit()
    assert dispatch.due(session, KINDS, MatchKind.TOURNAMENT, limit=99, message_age=60) == []
    session.commit()
    assert attempts.claim(session, MATCHES, first, "worker", lease=60) is None
    session.commit()
    lifecycle.start(session, made.id)
    session.commit()
    assert len(dispatch.due(session, KINDS, MatchKind.TOURNAMENT, limit=99, message_age=60)) == 24
    session.commit()
    assert lookup.tournament(session, made.id).started_at is not None


def test_a_tournament_starts_once(session: Session) -> None:
    tournament_id = start_tournament(session)
    with pytest.raises(Refused, match="is running: it can't be started now"):
        lifecycle.start(session, tournament_id)


@on_sqlite
def test_a_tournament_whose_matches_were_all_cancelled_before_ends_at_its_start(
    session: Session,
) -> None:
    made = create(session, deals=2)
    session.commit()
    admin = sign_up(session, "boss", "admin")
    for match_id in match_ids(session):
        match_control.cancel(session, admin, match_id, "a rehearsal")
        session.commit()
    lifecycle.start(session, made.id)
    session.commit()
    assert gone_on(session, made.id).state == "finished"


@on_sqlite
def test_cancelling_stops_what_is_not_over_and_keeps_results(session: Session) -> None:
    tournament_id = start_tournament(session, deals=2)
    first, second, *_ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    playing = claimed(session, second)
    lifecycle.cancel(session, tournament_id)
    session.commit()
    assert lookup.progress(session, tournament_id) == MatchCounts(4, 0, 0, 1, 0, 3)
    cancelled = lookup.tournament(session, tournament_id)
    assert (cancelled.state, cancelled.settled, cancelled.finished) == ("cancelled", 4, 1)
    assert cancelled.finished_at is not None
    session.commit()
    with pytest.raises(Stale):
        results.finish(session, playing, ranked(1, 2))
    session.rollback()
    assert reading.match(session, first).state == "finished"


def test_what_is_over_is_not_cancelled(session: Session) -> None:
    tournament_id = start_tournament(session)
    lifecycle.cancel(session, tournament_id)
    session.commit()
    with pytest.raises(Refused, match="is cancelled: it can't be cancelled now"):
        lifecycle.cancel(session, tournament_id)


@on_sqlite
def test_in_a_pause_no_match_begins_and_those_under_way_are_played(session: Session) -> None:
    tournament_id = start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    playing = claimed(session, first)
    lifecycle.pause(session, tournament_id)
    session.commit()
    assert attempts.claim(session, MATCHES, second, "tester", lease=60) is None
    session.commit()
    results.finish(session, playing, ranked(1, 2))
    session.commit()
    assert lookup.tournament(session, tournament_id).state == "paused"
    assert reading.match(session, first).state == "finished"
    lifecycle.resume(session, tournament_id)
    session.commit()
    play(session, second)
    assert gone_on(session, tournament_id).state == "finished"


def test_who_was_missed_before_the_end_of_a_pause_is_waited_for_anew(session: Session) -> None:
    tournament_id = start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    misses.not_accepted(session, claimed(session, first), 1, MissedCall("connection refused"))
    lifecycle.pause(session, tournament_id)
    miss_for_an_hour(session)
    lifecycle.resume(session, tournament_id)
    session.commit()
    assert forfeits.decide(session) == []
    assert reach.look(session) is not None
    session.commit()
    miss_for_an_hour(session)
    assert forfeits.decide(session) == [first, second]


def miss_for_an_hour(session: Session) -> None:
    """As if all had begun an hour ago, and been missed since, who are missed."""
    before = model.now(session) - timedelta(hours=1)
    session.execute(update(Tournament).values(waiting_since=before))
    missed = update(Version).where(Version.unreached_since.is_not(None))
    session.execute(missed.values(unreached_since=before))
    session.commit()


@on_sqlite
def test_it_finishes_after_the_pause_in_which_its_last_match_ends(session: Session) -> None:
    tournament_id = start_tournament(session)
    playing = [claimed(session, match_id) for match_id in match_ids(session)]
    lifecycle.pause(session, tournament_id)
    session.commit()
    for claim in playing:
        results.finish(session, claim, ranked(1, 2))
        session.commit()
    assert lookup.tournament(session, tournament_id).state == "paused"
    lifecycle.resume(session, tournament_id)
    session.commit()
    assert gone_on(session, tournament_id).state == "finished"


@on_sqlite
@pytest.mark.parametrize("way", [(), ("start",), ("start", "pause"), ("cancel",)])
def test_from_each_state_the_possible_steps_succeed_and_no_others(
    session: Session, way: tuple[str, ...]
) -> None:
    for step, take in STEPS.items():
        made = create(session)
        for before in way:
            getattr(lifecycle, before)(session, made.id)
        session.commit()
        state = lookup.tournament(session, made.id).state
        session.commit()
        if step in possible_steps(state):
            take(session, made.id)
            session.commit()
            assert lookup.tournament(session, made.id).state != state
        else:
            with pytest.raises(Refused, match=f"is {state}: it can't be {step} now"):
                take(session, made.id)
        session.rollback()


def test_what_is_over_stays_over() -> None:
    assert (
        possible_steps(TournamentState.FINISHED) == possible_steps(TournamentState.CANCELLED) == ()
    )


@on_sqlite
def test_only_organisers_lead_and_it_is_audited(session: Session) -> None:
    made = create(session)
    luz, ana = sign_up(session, "luz"), sign_up(session, "ana", role="organiser")
    for take in STEPS.values():
        with pytest.raises(Forbidden, match="only organisers"):
            take(session, made.id, by=luz)
        session.rollback()
    lifecycle.start(session, made.id, by=ana)
    session.commit()
    entry = audit_records(session)[0]
    assert (entry.actor, entry.action) == ("ana", "tournament started")


@pytest.mark.parametrize("step", STEPS)
def test_there_is_none_to_lead(session: Session, step: TournamentStep) -> None:
    with pytest.raises(NotFound, match="there is no tournament 5"):
        STEPS[step](session, 5)
