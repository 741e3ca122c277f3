"""Pausing, resuming, retiring; conduct; bots unreachable."""

from collections.abc import Callable

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots import availability, own, profiles, reach, submitting, versions
from ladder.bots.availability import FAULTS_IN_A_ROW
from ladder.contests.tournaments import forfeits
from ladder.errors import Refused
from ladder.jobs import attempts
from ladder.matches import reading, results, tables
from ladder.matches.job import MATCHES
from ladder.model import Bot, Match, MatchKind, Tournament, Version
from ladder.people.accounts import Account
from ladder.ratings import ledger
from tests.ladder.bots.authors import (
    active,
    author,
    bot_row,
    checked,
    house_bot,
    notices,
    playing,
    start_cup,
    state,
    submitted,
)
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, match_ids, ranked, states


def conduct(session: Session, *seats: tuple[int, int, bool]) -> None:
    ledger.lock(session)
    availability.conduct(session, seats)
    session.commit()


@on_sqlite
def test_paused_resumed_retired(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    seen = []
    for act in (availability.pause, availability.resume, availability.pause, availability.retire):
        act(session, ana, made.bot_id)
        session.commit()
        seen.append(bot_row(session, made.bot_id).state)
    assert seen == ["paused", "active", "paused", "retired"]
    for act in (availability.pause, availability.resume):
        with pytest.raises(Refused, match="retired"):
            act(session, ana, made.bot_id)
    assert notices(session, ana) == []


@on_sqlite
def test_a_pause_cancels_challenges_and_leaves_the_ladders_matches_owed(session: Session) -> None:
    house_bot(session)
    ana = author(session)
    made = submitted(session, ana)
    checked(session, made.version_id)
    availability.pause(session, ana, made.bot_id)
    session.commit()
    assert states(session) == ["queued"]  # the trial goes on
    session.get_one(Match, 1).kind = "challenge"
    versions.take_over(session, made.version_id)
    availability.resume(session, ana, made.bot_id)
    session.commit()
    start_cup(session, made.bot_id, 1)
    availability.pause(session, ana, made.bot_id)
    session.commit()
    assert states(session) == ["cancelled", "queued", "queued"]
    assert session.get_one(Match, 1).reason == "zorro was paused"
    session.get_one(Match, 2).kind = "ladder"
    availability.pause(session, ana, made.bot_id)
    session.commit()
    assert states(session) == ["cancelled", "queued", "queued"]


@on_sqlite
def test_a_trial_ends_with_its_version(session: Session) -> None:
    house_bot(session)
    ana = author(session)
    made = submitted(session, ana)
    checked(session, made.version_id)
    submitting.withdraw(session, ana, made.bot_id, made.version_id)
    session.commit()
    assert states(session) == ["cancelled"]
    again = submitted(session, ana)
    checked(session, again.version_id)
    availability.retire(session, ana, made.bot_id)
    session.commit()
    assert states(session) == ["cancelled", "cancelled"]
    assert state(session, again.version_id) == "rejected"


def test_faults_in_a_row_pause_and_tell(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    other = house_bot(session)
    other_version = bot_row(session, other).versions[0].id
    for number in range(1, FAULTS_IN_A_ROW + 1):
        assert own.bot(session, ana, made.bot_id).state == "active"
        conduct(session, (made.bot_id, made.version_id, True), (other, other_version, False))
        assert playing(session, made.bot_id).faulted_in_a_row == number
    assert playing(session, made.bot_id).conduct == "suspended"
    shown = own.bot(session, ana, made.bot_id)
    assert (shown.state, shown.pause_reason) == ("paused", playing(session, made.bot_id).suspension)
    assert playing(session, other).conduct == "good"
    conduct(session, (made.bot_id, made.version_id, True))  # it was playing
    (sentence,) = notices(session, ana)
    assert sentence.startswith("zorro was paused. It faulted in 5 rated matches in a row")
    availability.resume(session, ana, made.bot_id)
    session.commit()
    assert playing(session, made.bot_id).faulted_in_a_row == 0
    assert own.bot(session, ana, made.bot_id).state == "active"


@on_sqlite
def test_one_match_without_a_fault_begins_anew(session: Session) -> None:
    made = active(session, author(session))
    for faulted in [*[True] * (FAULTS_IN_A_ROW - 1), False, True]:
        conduct(session, (made.bot_id, made.version_id, faulted))
    assert playing(session, made.bot_id).faulted_in_a_row == 1
    assert playing(session, made.bot_id).conduct == "good"


@on_sqlite
def test_what_an_old_version_does_late_says_nothing_of_the_new_one(session: Session) -> None:
    ana = author(session)
    old = active(session, ana)
    new = active(session, ana, version="2")
    for _ in range(FAULTS_IN_A_ROW):
        conduct(session, (old.bot_id, old.version_id, True))
    assert playing(session, old.bot_id).faulted_in_a_row == 0
    assert own.bot(session, ana, old.bot_id).state == "active"
    assert notices(session, ana) == []
    conduct(session, (new.bot_id, new.version_id, True))
    conduct(session, (old.bot_id, old.version_id, False))
    assert playing(session, old.bot_id).faulted_in_a_row == 1


def test_the_author_is_told_once_that_a_bot_is_out_of_reach(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    for _ in range(3):
        reach.missed(session, made.version_id, "nobody is there.")
        session.commit()
    assert notices(session, ana) == ["zorro could not be reached: nobody is there."]
    since = playing(session, made.bot_id).offline_since
    assert since is not None
    assert on_ladder(session) == []
    reach.online(session, made.version_id)
    session.commit()
    assert playing(session, made.bot_id).offline_since is None
    assert on_ladder(session) == [made.bot_id]
    reach.missed(session, made.version_id, "it hung up.")
    session.commit()
    assert len(notices(session, ana)) == 1  # it has played nothing in between


def on_ladder(session: Session) -> list[int]:
    """The bots for which the ladder makes matches."""
    ready = tables.ready_for(MatchKind.LADDER)
    found = list(session.scalars(select(Bot.id).join(Bot.versions).where(ready)))
    session.commit()
    return found


def test_a_retired_bots_versions_and_games_stay(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    claim = claimed(session, match_ids(session)[0])
    availability.retire(session, ana, made.bot_id)
    session.commit()
    version = session.get_one(Version, made.version_id, populate_existing=True)
    assert (version.state, version.secret) == ("active", None), "the secret is forgotten"
    assert reading.match(session, claim.match_id).state == "running"
    assert profiles.profile(session, made.bot_id).name == "zorro"
    assert made.bot_id not in on_ladder(session)


@pytest.mark.parametrize("act", [availability.pause, availability.retire])
def test_no_older_version_plays_a_tournament_for_a_bot_that_is_paused_or_retired(
    session: Session, act: Callable[[Session, Account, int], None]
) -> None:
    """A retired bot's secret is forgotten: whoever is at its address now would come in."""
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, active(session, author(session, "luz"), "rey").bot_id)
    active(session, ana, version="2")
    first, second = match_ids(session)
    session.commit()
    playing = claimed(session, first)
    act(session, ana, made.bot_id)
    session.commit()
    assert attempts.claim(session, MATCHES, second, "tester", lease=60.0) is None
    session.commit()
    assert states(session) == ["running", "queued"]
    session.get_one(Tournament, 1).grace_ms = 0
    session.commit()
    forfeits.decide(session)
    session.commit()
    assert states(session) == ["running", "queued"], "it is missed from now on"
    assert forfeits.decide(session) == [], "the other match is played first"
    results.finish(session, playing, ranked(1, 2))
    session.commit()
    assert forfeits.decide(session) == [], "it has just played: it is missed anew"
    session.commit()
    assert forfeits.decide(session) == [second]
