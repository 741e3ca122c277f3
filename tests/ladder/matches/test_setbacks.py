from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach, versions
from ladder.contests.tournaments import forfeits, lifecycle, lookup
from ladder.errors import Stale
from ladder.jobs import attempts, dispatch
from ladder.jobs.kinds import ALONE_FROM, Attempt
from ladder.matches import job, misses, reading, results, tables
from ladder.matches.job import _LOST_HOSTS, INTERRUPTIONS, MATCHES, MatchClaim
from ladder.matches.misses import MissedCall
from ladder.model import (
    Entry,
    EntryState,
    Match,
    MatchKind,
    MatchState,
    Notice,
    RatingChange,
    Seat,
    Tournament,
    Version,
)
from ladder.wiring import KINDS
from tests.ladder.contests.tournaments.cups import gone_on
from tests.ladder.databases import on_sqlite
from tests.ladder.league import (
    as_kind,
    claimed,
    finished,
    first_match,
    force_lease_end,
    job_of,
    match_ids,
    ranked,
    set_job,
)


def interrupt(session: Session, claim: MatchClaim, *, lost_host: bool = False) -> MatchState:
    why = "the worker ran out of memory"
    state = job.interrupt(session, claim, why, lost_host=lost_host)
    session.commit()
    return state


def unreachable(session: Session, claim: MatchClaim) -> MatchState:
    state = misses.not_accepted(session, claim, 1, MissedCall("connection refused"))
    session.commit()
    return state


def give_up(session: Session, match_id: int) -> None:
    for _ in range(ALONE_FROM + INTERRUPTIONS):
        interrupt(session, claimed(session, match_id))


def forget_delays(session: Session) -> None:
    set_job(session, not_before=None)
    session.commit()


def come_back(session: Session) -> None:
    """All bots are online again, but no game was played yet."""
    session.execute(update(Version).values(offline_since=None))
    forget_delays(session)


def miss_for(session: Session, time: timedelta) -> None:
    """As if whoever is missed had been missed for so long, by tournaments as old as that."""
    session.execute(update(Tournament).values(waiting_since=model.now(session) - time))
    for version in session.scalars(select(Version).execution_options(populate_existing=True)):
        if version.unreached_since is not None:
            version.unreached_since -= time
    session.commit()


def test_what_is_given_back_is_played_at_once_and_without_a_mark(session: Session) -> None:
    claim = claimed(session, first_match(session))
    MATCHES.give_back(session, claim)
    session.commit()
    match = reading.match(session, claim.match_id)
    assert (match.state, match.interruptions) == ("queued", 0)
    session.commit()
    assert claim.match_id in dispatch.due(
        session, KINDS, MatchKind.TOURNAMENT, limit=9, message_age=60
    )


@on_sqlite
def test_an_interrupted_match_is_queued_again(session: Session) -> None:
    claim = claimed(session, first_match(session))
    assert interrupt(session, claim) is MatchState.QUEUED
    match = reading.match(session, claim.match_id)
    assert (match.state, match.interruptions) == ("queued", 1)
    session.commit()
    assert claimed(session, claim.match_id).attempt == 2


@on_sqlite
def test_only_interruptions_that_it_suffers_alone_give_a_match_up(session: Session) -> None:
    match_id = first_match(session)
    alone, states = [], []
    for _ in range(ALONE_FROM + INTERRUPTIONS):
        claim = claimed(session, match_id)
        alone.append(claim.held.alone)
        states.append(interrupt(session, claim))
    assert alone == [False] * ALONE_FROM + [True] * INTERRUPTIONS
    assert states == [MatchState.QUEUED] * (ALONE_FROM + INTERRUPTIONS - 1) + [MatchState.FAILED]


@on_sqlite
def test_who_loses_its_host_again_and_again_keeps_no_other_waiting(session: Session) -> None:
    """A worker that plays a match alone plays nothing else, such as a tournament."""
    match_id = first_match(session)
    alone, states = [], []
    for _ in range(_LOST_HOSTS + INTERRUPTIONS):
        claim = claimed(session, match_id)
        alone.append(claim.held.alone)
        states.append(interrupt(session, claim, lost_host=True))
    assert alone == [False] * _LOST_HOSTS + [True] * INTERRUPTIONS
    assert states[-2:] == [MatchState.QUEUED, MatchState.FAILED], "it may bring its hosts down"


@on_sqlite
def test_who_is_given_back_is_played_alone_again(session: Session) -> None:
    match_id = first_match(session)
    for _ in range(ALONE_FROM):
        interrupt(session, claimed(session, match_id))
    MATCHES.give_back(session, claimed(session, match_id))
    session.commit()
    assert claimed(session, match_id).held.alone


@on_sqlite
def test_what_is_given_up_has_failed_with_a_reason_and_is_logged(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    match_id = first_match(session)
    give_up(session, match_id)
    match = reading.match(session, match_id)
    assert match.state == "failed"
    assert match.reason == (
        "interrupted 7 times, 5 times alone; the last time because the worker ran out of memory"
    )
    assert match.finished_at is not None
    assert f"match {match_id} is given up: {match.reason}" in caplog.text
    assert match.tournament_id is not None
    assert lookup.progress(session, match.tournament_id).failed == 1
    cup = lookup.tournament(session, match.tournament_id)
    assert (cup.settled, cup.finished) == (1, 0)


def test_a_bot_out_of_reach_is_offline_and_its_author_is_told(session: Session) -> None:
    claim = claimed(session, first_match(session))
    assert unreachable(session, claim) is MatchState.QUEUED
    here, away = (
        session.get_one(Version, player.version_id, populate_existing=True)
        for player in claim.players
    )
    assert away.offline_since is not None
    assert here.offline_since is None
    told = session.scalars(select(Notice).where(Notice.sentence.contains("connection refused")))
    assert [notice.user_id for notice in told] == [away.bot.user_id]


@on_sqlite
def test_while_it_is_offline_its_tournament_waits_and_then_goes_on(session: Session) -> None:
    match_id = first_match(session)
    claim = claimed(session, match_id)
    unreachable(session, claim)
    forget_delays(session)
    assert dispatch.due(session, KINDS, MatchKind.TOURNAMENT, limit=9, message_age=60) == []
    session.commit()
    assert forfeits.decide(session) == []
    session.commit()
    reach.online(session, claim.players[1].version_id)
    session.commit()
    assert match_id in dispatch.due(session, KINDS, MatchKind.TOURNAMENT, limit=9, message_age=60)


def test_who_stays_away_for_the_grace_time_forfeits(session: Session) -> None:
    first, second = two_matches(session)
    unreachable(session, claimed(session, first))
    miss_for(session, timedelta(minutes=6))
    assert forfeits.decide(session) == [first, second]
    session.commit()
    ended = gone_on(session, 1)
    assert (ended.state, ended.finished) == ("finished", 2)
    away = session.scalars(select(Seat).where(Seat.match_id == first, Seat.fault.is_not(None)))
    assert [(seat.seat, seat.rank) for seat in away] == [(1, 2)]
    assert session.scalars(select(RatingChange)).all() == []


def test_the_grace_time_begins_with_the_tournament(session: Session) -> None:
    """Who was missed long before is waited for all the same, and looked for at once."""
    match_id = first_match(session)
    unreachable(session, claimed(session, match_id))
    miss_for(session, timedelta(minutes=6))
    session.execute(update(Tournament).values(state="created"))
    lifecycle.start(session, 1)
    session.commit()
    assert reach.look(session) is not None
    session.commit()
    assert forfeits.decide(session) == []
    session.commit()
    come_back(session)
    assert unreachable(session, claimed(session, match_id)) is MatchState.QUEUED


@on_sqlite
def test_the_delay_grows(session: Session) -> None:
    match_id = first_match(session)
    for seconds in (5, 10, 20, 40, 60, 60, 60):
        delay = timedelta(seconds=seconds)
        before = model.now(session)
        session.commit()
        unreachable(session, claimed(session, match_id))
        later = job_of(session, match_id).not_before
        assert later is not None
        assert before + delay <= later <= model.now(session) + delay
        come_back(session)


@on_sqlite
def test_who_is_found_again_and_again_but_never_accepts_forfeits_too(session: Session) -> None:
    match_id = first_match(session)
    unreachable(session, claimed(session, match_id))
    miss_for(session, timedelta(minutes=6))
    come_back(session)
    assert unreachable(session, claimed(session, match_id)) is MatchState.QUEUED
    assert forfeits.decide(session) == match_ids(session)
    assert reading.match(session, match_id).state is MatchState.FINISHED


@on_sqlite
def test_while_its_tournament_is_paused_nobody_forfeits(session: Session) -> None:
    match_id = first_match(session)
    unreachable(session, claimed(session, match_id))
    miss_for(session, timedelta(minutes=6))
    come_back(session)
    claim = claimed(session, match_id)
    lifecycle.pause(session, 1)
    session.commit()
    session.expire_all()
    assert unreachable(session, claim) is MatchState.QUEUED
    assert forfeits.decide(session) == []


def test_an_old_version_forfeits_whatever_the_new_one_plays_meanwhile(session: Session) -> None:
    first, second = two_matches(session)
    away = reading.match(session, first).seats[1]
    assert away.name is not None
    versions.register(session, name=away.name, author="compay", version="2", address="127.0.0.1:1")
    new = session.scalars(select(Version.id).where(Version.bot_id == away.bot_id, Version.active))
    seats = update(Seat).where(Seat.match_id == second, Seat.bot_id == away.bot_id)
    session.execute(seats.values(version_id=new.one()))
    session.commit()
    assert unreachable(session, claimed(session, first)) is MatchState.QUEUED
    miss_for(session, timedelta(minutes=6))
    finished(session, second, ranked(1, 2))
    assert forfeits.decide(session) == []
    session.commit()
    look = reach.look(session)
    assert look is not None, "it is looked for before it forfeits"
    reach.still_away(session, look.version_id)
    session.commit()
    assert forfeits.decide(session) == [first]


def test_a_challenge_is_cancelled_and_not_played_while_a_bot_is_away(session: Session) -> None:
    first, second = two_matches(session)
    session.execute(update(Match).values(kind="challenge", tournament_id=None))
    session.commit()
    assert unreachable(session, claimed(session, first)) is MatchState.CANCELLED
    match = reading.match(session, first)
    assert match.reason is not None
    assert match.reason == "ada 1 could not be reached"  # everybody reads it
    told = session.scalars(select(Seat.fault_sentence).where(Seat.match_id == match.id)).all()
    assert "connection refused" in told  # in the log of the bot
    assert misses.withdraw(session) == 1
    session.commit()
    assert reading.match(session, second).state is MatchState.CANCELLED
    assert session.scalars(select(RatingChange)).all() == []


def test_a_challenge_waits_a_moment_for_bots_that_the_gateway_has_lost(session: Session) -> None:
    first, second = two_matches(session)
    session.execute(update(Match).values(kind="challenge", tournament_id=None))
    session.commit()
    ours = MissedCall("the gateway does not answer.", ours=True)
    claim = claimed(session, first)
    assert misses.not_accepted(session, claim, 1, ours) is MatchState.QUEUED
    session.commit()
    assert misses.withdraw(session) == 0
    away = Version.offline_since.is_not(None)
    long_ago = model.now(session) - tables.BACK_WITHIN
    session.execute(update(Version).where(away).values(offline_since=long_ago))
    session.commit()
    assert misses.withdraw(session) == 2
    session.commit()
    assert reading.match(session, second).state is MatchState.CANCELLED


def test_a_new_version_that_is_out_of_reach_says_nothing_of_the_bot(session: Session) -> None:
    match_id = first_match(session)
    session.execute(update(Match).values(kind="validation", tournament_id=None))
    session.execute(update(Version).values(state="trial"))
    session.commit()
    claim = claimed(session, match_id)
    assert unreachable(session, claim) is MatchState.CANCELLED
    version = session.get_one(Version, claim.players[1].version_id, populate_existing=True)
    assert version.offline_since is None


@on_sqlite
def test_the_reaper_takes_only_what_the_lease_has_left(session: Session) -> None:
    dead, alive = (claimed(session, match_id) for match_id in two_matches(session))
    force_lease_end(session, dead.match_id)
    assert attempts.reap(session, MATCHES) == [dead.match_id]
    session.commit()
    assert reading.match(session, dead.match_id).interruptions == 1
    assert reading.match(session, alive.held.subject).state == "running"


@on_sqlite
def test_a_match_that_cannot_be_taken_back_holds_up_no_other(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, dead = (claimed(session, match_id).match_id for match_id in two_matches(session))
    whole = MATCHES.lapse

    def lapse(session: Session, attempt: Attempt) -> None:
        whole(session, attempt)
        if attempt.subject == broken:
            raise LookupError

    monkeypatch.setattr(type(MATCHES), "lapse", staticmethod(lapse))
    for match_id in (broken, dead):
        force_lease_end(session, match_id)
    assert attempts.reap(session, MATCHES) == [dead]
    session.commit()
    assert reading.match(session, broken).interruptions == 0, "nothing is half-written"
    assert reading.match(session, dead).interruptions == 1


@on_sqlite
def test_the_reaper_reads_the_clock_once_for_all_jobs(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    dead = [claimed(session, match_id).match_id for match_id in two_matches(session)]
    for match_id in dead:
        force_lease_end(session, match_id)

    def now(session: Session) -> datetime:
        reads.append(session)
        return model.now(session)

    monkeypatch.setattr(attempts, "now", now)
    assert attempts.reap(session, MATCHES) == dead
    assert reads == [session]


@on_sqlite
def test_the_reaper_gives_up_in_the_end(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    match_id = first_match(session)
    for _ in range(ALONE_FROM + INTERRUPTIONS):
        claimed(session, match_id)
        force_lease_end(session, match_id)
        attempts.reap(session, MATCHES)
        session.commit()
    match = reading.match(session, match_id)
    assert match.reason == (
        "interrupted 7 times, 5 times alone; the last time because "
        "its worker sent no more heartbeats"
    )
    assert f"match {match_id}: worker tester sent no more heartbeats" in caplog.text


def replaced(session: Session) -> tuple[MatchClaim, MatchClaim]:
    """A claim of a match whose lease is over, and the claim that has replaced it."""
    match_id = first_match(session)
    zombie = claimed(session, match_id)
    force_lease_end(session, match_id)
    attempts.reap(session, MATCHES)
    session.commit()
    return zombie, claimed(session, match_id)


@on_sqlite
@pytest.mark.parametrize("setback", [interrupt, unreachable, MATCHES.give_back])
def test_a_zombie_sets_nothing_back(
    session: Session, setback: Callable[[Session, MatchClaim], object]
) -> None:
    zombie, alive = replaced(session)
    with pytest.raises(Stale):
        setback(session, zombie)
    session.rollback()
    assert reading.match(session, alive.held.subject).state == "running"
    session.commit()
    assert results.finish(session, alive, ranked(1, 2)) == 1


@on_sqlite
@pytest.mark.parametrize("setback", [interrupt, unreachable])
def test_a_zombie_ends_no_match_for_good(
    session: Session, setback: Callable[[Session, MatchClaim], object]
) -> None:
    """Interrupted as often as this, or without one of its bots, a challenge is over."""
    as_kind(session, MatchKind.CHALLENGE)
    zombie, alive = replaced(session)
    session.execute(update(Match).values(interruptions_alone=INTERRUPTIONS))
    session.commit()
    with pytest.raises(Stale):
        setback(session, zombie)
    session.rollback()
    assert results.finish(session, alive, ranked(1, 2)) == 1


@on_sqlite
def test_a_zombie_cancels_no_match_that_has_become_void(session: Session) -> None:
    zombie, alive = replaced(session)
    session.execute(update(Entry).values(state=EntryState.WITHDRAWN))
    session.commit()
    with pytest.raises(Stale):
        MATCHES.give_back(session, zombie)
    session.rollback()
    assert results.finish(session, alive, ranked(1, 2)) == 1


def two_matches(session: Session) -> tuple[int, int]:
    first = first_match(session)
    return first, first + 1
