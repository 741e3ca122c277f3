"""Trial matches, and how a version takes over."""

from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from ladder.bots import availability, profiles, reach, trials, versions
from ladder.contests import choosing
from ladder.errors import Refused
from ladder.jobs import attempts
from ladder.matches import misses, reading, results
from ladder.matches.job import MATCHES
from ladder.matches.misses import MissedCall
from ladder.matches.results import Result, SeatResult
from ladder.matches.states import JOB
from ladder.model import LadderPlace, Match, MatchKind, Notice, RatingChange, Version, now
from tests.ladder.bots.authors import (
    active,
    author,
    bot_row,
    checked,
    checks_due,
    house_bot,
    newest_claim,
    notices,
    played,
    playing,
    start_cup,
    state,
    submitted,
    tended,
)
from tests.ladder.databases import on_sqlite, plan
from tests.ladder.league import as_kind, claimed, match_ids, set_job


def in_trial(session: Session) -> tuple[int, int]:
    """The ids of bot and version."""
    made = submitted(session, author(session))
    checked(session, made.version_id)
    assert state(session, made.version_id) == "trial"
    return made.bot_id, made.version_id


def reason(session: Session, version_id: int) -> str | None:
    return session.get_one(Version, version_id, populate_existing=True).reason


def reword(session: Session, version_id: int) -> None:
    """Another release of the ladder has said it otherwise."""
    session.get_one(Version, version_id).reason = "Waiting for the version before it."
    session.commit()


def back(session: Session, house: int) -> None:
    """A house bot is in reach again."""
    reach.online(session, playing(session, house).id)
    session.commit()
    tended(session)


def test_an_unrated_match_against_house_bots(session: Session) -> None:
    house = {house_bot(session, name) for name in ("random", "greedy", "planner")}
    bot_id, version_id = in_trial(session)
    match = session.get_one(Match, match_ids(session)[-1])
    assert (match.kind, match.rated, match.state, match.seats) == ("validation", False, "queued", 3)
    seats = {seat.bot_id: seat.version_id for seat in match.table}
    assert seats[bot_id] == version_id
    assert seats.keys() - {bot_id} < house
    session.commit()
    tended(session)
    assert len(match_ids(session)) == 1


@on_sqlite
def test_who_plays_it_without_a_fault_is_on_the_ladder(session: Session) -> None:
    house_bot(session)
    bot_id, version_id = in_trial(session)
    played(session, newest_claim(session))
    tended(session)
    assert state(session, version_id) == "active"
    assert profiles.profile(session, bot_id).version == "1"
    assert session.scalars(select(RatingChange)).all() == []


def test_another_bots_fault_is_not_counted(session: Session) -> None:
    house = house_bot(session)
    _, version_id = in_trial(session)
    played(session, newest_claim(session), faulty=house)
    tended(session)
    assert state(session, version_id) == "active"


def test_who_faults_is_rejected(session: Session) -> None:
    house_bot(session)
    bot_id, version_id = in_trial(session)
    claim = newest_claim(session)
    played(session, claim, faulty=bot_id)
    tended(session)
    version = session.get_one(Version, version_id, populate_existing=True)
    assert version.state == "rejected"
    assert version.reason == f"It faulted in its trial, match {claim.match_id}: It took too long."


def test_a_trial_that_comes_to_nothing_is_made_again_but_not_for_ever(session: Session) -> None:
    house_bot(session)
    bot_id, version_id = in_trial(session)
    for number in range(1, trials.TRIALS + 1):
        assert len(match_ids(session)) == number
        session.commit()
        claim = newest_claim(session)
        seat = [player.bot_id for player in claim.players].index(bot_id)
        misses.not_accepted(session, claim, seat, MissedCall("nobody is there."))
        session.commit()
        tended(session)
    version = session.get_one(Version, version_id, populate_existing=True)
    assert version.state == "rejected"
    assert version.reason == "Its trial match could not be played: nobody is there."


@on_sqlite
def test_a_trial_waits_for_a_gateway_that_does_not_answer(session: Session) -> None:
    house_bot(session)
    bot_id, version_id = in_trial(session)
    for _ in range(2 * trials.TRIALS):
        claim = newest_claim(session)
        seat = [player.bot_id for player in claim.players].index(bot_id)
        ours = MissedCall("the gateway does not answer.", ours=True)
        misses.not_accepted(session, claim, seat, ours)
        set_job(session, not_before=None)
        session.commit()
        tended(session)
    played(session, newest_claim(session))
    tended(session)
    assert state(session, version_id) == "active"
    assert len(match_ids(session)) == 1


def test_no_house_bot_is_there_just_now(session: Session) -> None:
    house = house_bot(session)
    reach.missed(session, playing(session, house).id, "it is asleep.")
    session.commit()
    ana = author(session)
    version_id = submitted(session, ana).version_id
    checked(session, version_id)
    assert match_ids(session) == []
    assert state(session, version_id) == "trial"
    assert reason(session, version_id) == trials.NO_OPPONENT
    tended(session)
    assert notices(session, ana) == [f"Version 1 of zorro passed its check. {trials.NO_OPPONENT}"]
    back(session, house)
    assert len(match_ids(session)) == 1
    assert reason(session, version_id) is None


@on_sqlite
def test_a_trial_that_waits_for_its_opponent_holds_no_place(session: Session) -> None:
    house = house_bot(session)
    _, first = in_trial(session)
    reach.missed(session, playing(session, house).id, "it is asleep.")
    session.commit()
    tended(session)
    match = session.get_one(Match, match_ids(session)[-1], populate_existing=True)
    assert match.state == "cancelled"
    assert reason(session, first) == trials.NO_OPPONENT
    other = submitted(session, author(session, "luz"), name="lince")
    assert checks_due(session, 0) == [other.version_id]
    session.commit()
    checked(session, other.version_id)
    assert reason(session, other.version_id) == trials.NO_OPPONENT
    back(session, house)
    assert len(match_ids(session)) == 2, "one place, one trial"
    assert reason(session, first) is None
    assert reason(session, other.version_id) == trials.NO_PLACE
    played(session, newest_claim(session))
    tended(session)
    assert state(session, first) == "active"
    assert len(match_ids(session)) == 3


def test_a_house_bot_that_is_out_of_reach_costs_no_try(session: Session) -> None:
    house = house_bot(session)
    _, version_id = in_trial(session)
    for _ in range(trials.TRIALS + 1):
        claim = newest_claim(session)
        seat = [player.bot_id for player in claim.players].index(house)
        misses.not_accepted(session, claim, seat, MissedCall("nobody is there."))
        session.commit()
        tended(session)
        assert reason(session, version_id) == trials.NO_OPPONENT
        back(session, house)
    assert state(session, version_id) == "trial"


@on_sqlite
def test_a_house_bot_that_is_suspended_is_nobodys_opponent(session: Session) -> None:
    suspended, other = (house_bot(session, name) for name in ("random", "greedy"))
    availability.suspend(session, playing(session, suspended), "It faulted.")
    session.commit()
    bot_id, _ = in_trial(session)
    match = session.get_one(Match, match_ids(session)[-1])
    assert {seat.bot_id for seat in match.table} == {other, bot_id}


@on_sqlite
def test_a_trial_that_was_interrupted_is_not_played_again_where_its_bot_has_retired(
    session: Session,
) -> None:
    """Its secret is forgotten: whoever answers there would play."""
    house_bot(session)
    ana = author(session)
    made = submitted(session, ana)
    checked(session, made.version_id)
    claim = newest_claim(session)
    availability.retire(session, ana, made.bot_id)
    session.commit()
    MATCHES.give_back(session, claim)
    session.commit()
    assert attempts.claim(session, MATCHES, claim.match_id, "worker", lease=60.0) is None
    session.commit()
    tended(session)
    match = reading.match(session, claim.match_id)
    assert (match.state, match.reason) == (
        *("cancelled", "the version was withdrawn, or its bot retired"),
    )


def test_a_new_version_starts_from_its_predecessors_ratings(session: Session) -> None:
    ana = author(session)
    first = active(session, ana)
    session.add(
        LadderPlace(
            seats=2,
            version_id=first.version_id,
            bot_id=first.bot_id,
            rating_milli=1_600_000,
            games=50,
            wins=30,
            faults=0,
        )
    )
    session.commit()
    second = active(session, ana, version="2")
    place = session.get_one(LadderPlace, (2, second.version_id))
    assert (place.rating_milli, place.games) == (1_600_000, 0)
    assert state(session, first.version_id) == "superseded"
    assert profiles.profile(session, first.bot_id).versions == ("2", "1")


def test_late_results_of_the_old_version_count_for_the_old(session: Session) -> None:
    ana = author(session)
    first = active(session, ana)
    rival = house_bot(session)
    start_cup(session, first.bot_id, rival)
    late, next_one = (claimed(session, match_id) for match_id in match_ids(session)[:2])
    second = submitted(session, ana, version="2")
    versions.take_over(session, second.version_id)
    session.commit()
    changes: list[int] = []
    for claim in (late, next_one):
        ranks = [1 if player.bot_id == first.bot_id else 2 for player in claim.players]
        seats = tuple(SeatResult(rank, 30) for rank in ranks)
        results.finish(session, claim, Result(seats, "ships", b"replay"))
        session.commit()
        own = (RatingChange.match_id == claim.match_id, RatingChange.bot_id == first.bot_id)
        changes += session.scalars(select(RatingChange.version_id).where(*own)).all()
    assert changes == [first.version_id] * 2
    assert session.get(LadderPlace, (2, second.version_id)) is None


def test_the_old_version_ends_its_ladder_matches_before_the_new_one_takes_over(
    session: Session,
) -> None:
    """Who sees a match being lost can't leave the loss to a version that plays no more."""
    ana = author(session)
    first = active(session, ana)
    rival = house_bot(session)
    start_cup(session, first.bot_id, rival)
    as_kind(session, "ladder")
    lost, *_ = match_ids(session)
    second = submitted(session, ana, version="2")
    checked(session, second.version_id)
    played(session, newest_claim(session))
    claim = claimed(session, lost)
    tended(session)
    assert state(session, second.version_id) == "trial"
    assert reason(session, second.version_id) == str(trials.PLAYS_ON)
    assert trials.count(session) == 0
    waits = "waits until the rated matches of the version before it are over: wait for it, or"
    with pytest.raises(Refused, match=f"^version 2 of zorro {waits} withdraw it on its page$"):
        submitted(session, ana, version="3")
    session.rollback()
    reword(session, second.version_id)
    dealt_in = choosing.ready_bots(session, 2, now(session), ())
    session.commit()
    assert [bot.bot_id for bot, _ in dealt_in] == [rival]
    played(session, claim)
    tended(session)
    assert state(session, second.version_id) == "active"
    assert reason(session, second.version_id) is None


@on_sqlite
def test_a_version_waits_without_house_bots_too(session: Session) -> None:
    """There is no trial then, and no other match keeps it waiting."""
    ana = author(session)
    first, rival = active(session, ana), active(session, author(session, "luz"), "gato")
    start_cup(session, first.bot_id, rival.bot_id)
    as_kind(session, "ladder")
    claim = claimed(session, match_ids(session)[0])
    second = submitted(session, ana, version="2")
    checked(session, second.version_id)
    assert reason(session, second.version_id) == str(trials.PLAYS_ON)
    reword(session, second.version_id)
    dealt_in = choosing.ready_bots(session, 2, now(session), ())
    session.commit()
    assert [bot.bot_id for bot, _ in dealt_in] == [rival.bot_id]
    played(session, claim)
    tended(session)
    assert state(session, second.version_id) == "active"


def test_what_a_tournament_begins_after_the_trial_holds_up_no_version(session: Session) -> None:
    ana = author(session)
    first = active(session, ana)
    start_cup(session, first.bot_id, house_bot(session))
    before, after = match_ids(session)[:2]
    claim = claimed(session, before)
    second = submitted(session, ana, version="2")
    checked(session, second.version_id)
    played(session, newest_claim(session))
    claimed(session, after)
    tended(session)
    assert state(session, second.version_id) == "trial"
    played(session, claim)
    tended(session)
    assert state(session, second.version_id) == "active"


@on_sqlite
def test_to_see_if_the_old_version_plays_on_not_all_its_matches_are_looked_at(
    session: Session,
) -> None:
    """The scheduler does so four times a second while a version waits, and holds the ledger."""
    ana = author(session)
    active(session, ana)
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    checked(session, submitted(session, ana, version="2").version_id)
    looks = [plan(session, *one) for one in asked if one[0].startswith("SELECT EXISTS")]
    steps = [step for look in looks for step in look]
    assert "SEARCH matches USING INDEX ix_matches_state_id (state=?)" in steps
    assert not any("ix_seats_bot_id_match_id" in step for step in steps)


@on_sqlite
def test_a_queued_ladder_match_is_played_by_the_new_version(session: Session) -> None:
    house_bot(session)
    ana = author(session)
    made = submitted(session, ana)
    checked(session, made.version_id)
    played(session, newest_claim(session))
    tended(session)
    queued = session.get_one(Match, match_ids(session)[-1])
    ladder = Match(
        **{
            column.name: getattr(queued, column.name)
            for column in Match.__table__.columns
            if column.name not in ("id", "rotation", "state", "kind", "result_number")
        },
        rotation=1,
        state="queued",
        kind="ladder",
        table=[
            type(seat)(seat=seat.seat, bot_id=seat.bot_id, version_id=seat.version_id)
            for seat in queued.table
        ],
    )
    session.add(ladder)
    session.flush()
    attempts.enqueue(session, JOB, MatchKind.LADDER, [ladder.id])
    session.commit()
    second = submitted(session, ana, version="2")
    versions.take_over(session, second.version_id)
    session.commit()
    players = {player.bot_id: player.version_id for player in claimed(session, ladder.id).players}
    assert players[made.bot_id] == second.version_id


def test_a_take_over_ends_the_referees_pause_and_not_the_authors(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    availability.pause_for(session, made.bot_id, "It faulted.")
    session.commit()
    second = active(session, ana, version="2")
    assert bot_row(session, made.bot_id).state == "active"
    availability.pause(session, ana, made.bot_id)
    session.commit()
    active(session, ana, version="3")
    assert bot_row(session, made.bot_id).state == "paused"
    told = [
        tuple(row)
        for row in session.execute(select(Notice.tone, Notice.sentence).order_by(Notice.id))
    ]
    assert ("good", "zorro 2 is now active.") in told
    assert told[-1] == (
        "good",
        "Version 3 of zorro is accepted, but the bot is paused: resume it to play.",
    )
    session.commit()
    assert second.bot_id == made.bot_id
    assert notices(session, ana)[0] == "zorro was paused. It faulted."
