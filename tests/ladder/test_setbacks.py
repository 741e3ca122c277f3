from collections.abc import Callable

import pytest
from sqlalchemy.orm import Session

from ladder import database, matches, tournaments
from ladder.database.models import Match
from ladder.errors import Stale
from ladder.matches import Claim, State
from ladder.matches.setbacks import DELAYS, INTERRUPTIONS
from tests.ladder.league import claimed, first_match, force_lease_end, ranked


def interrupt(session: Session, claim: Claim) -> State:
    state = matches.interrupt(session, claim, "the worker ran out of memory")
    session.commit()
    return state


def unreachable(session: Session, claim: Claim) -> State:
    state = matches.unreachable(session, claim, 1, "connection refused")
    session.commit()
    return state


def forget_delay(session: Session, match_id: int) -> None:
    session.get_one(Match, match_id).not_before = None
    session.commit()


def test_what_is_given_back_is_played_at_once_and_without_a_mark(session: Session) -> None:
    claim = claimed(session, first_match(session))
    matches.give_back(session, claim)
    session.commit()
    match = matches.match(session, claim.match_id)
    assert (match.state, match.interruptions) == ("queued", 0)
    session.commit()
    assert claim.match_id in matches.due(session, limit=9, message_age=60)


def test_an_interrupted_match_is_queued_again(session: Session) -> None:
    claim = claimed(session, first_match(session))
    assert interrupt(session, claim) is State.QUEUED
    match = matches.match(session, claim.match_id)
    assert (match.state, match.interruptions) == ("queued", 1)
    session.commit()
    assert claimed(session, claim.match_id).attempt == 2


def test_a_match_that_is_always_interrupted_fails_with_a_reason(session: Session) -> None:
    match_id = first_match(session)
    states = [interrupt(session, claimed(session, match_id)) for _ in range(INTERRUPTIONS)]
    assert states == [State.QUEUED] * (INTERRUPTIONS - 1) + [State.FAILED]
    match = matches.match(session, match_id)
    assert match.state == "failed"
    assert match.reason == "interrupted 5 times, the last time because the worker ran out of memory"
    assert match.finished_at is not None
    assert match.tournament_id is not None
    assert tournaments.progress(session, match.tournament_id).failed == 1
    assert tournaments.tournament(session, match.tournament_id).settled == 1


def test_a_bot_out_of_reach_is_tried_again_later(session: Session) -> None:
    match_id = first_match(session)
    assert unreachable(session, claimed(session, match_id)) is State.QUEUED
    assert matches.claim(session, match_id, "worker", lease=60) is None
    session.commit()
    assert match_id not in matches.due(session, limit=9, message_age=60)
    session.commit()
    forget_delay(session, match_id)
    assert match_id in matches.due(session, limit=9, message_age=60)


def test_the_delay_grows(session: Session) -> None:
    match_id = first_match(session)
    delays = []
    for _ in DELAYS:
        before = database.now(session)
        session.commit()
        unreachable(session, claimed(session, match_id))
        later = session.get_one(Match, match_id, populate_existing=True).not_before
        assert later is not None
        delays.append(round((later - before).total_seconds()))
        forget_delay(session, match_id)
    assert delays == list(DELAYS)


def test_a_bot_that_stays_out_of_reach_fails_the_match_by_name(session: Session) -> None:
    match_id = first_match(session)
    for _ in range(len(DELAYS) + 1):
        claim = claimed(session, match_id)
        state = unreachable(session, claim)
        forget_delay(session, match_id)
    assert state is State.FAILED
    name = claim.players[1].name
    match = matches.match(session, match_id)
    assert match.reason == f"{name} 1 could not be reached 4 times: connection refused"
    assert match.interruptions == 0


def test_the_reaper_takes_only_what_the_lease_has_left(session: Session) -> None:
    dead, alive = (claimed(session, match_id) for match_id in two_matches(session))
    force_lease_end(session, dead.match_id)
    assert matches.reap(session) == [dead.match_id]
    session.commit()
    assert matches.match(session, dead.match_id).interruptions == 1
    assert matches.match(session, alive.match_id).state == "running"


def test_the_reaper_gives_up_in_the_end(session: Session) -> None:
    match_id = first_match(session)
    for _ in range(INTERRUPTIONS):
        claimed(session, match_id)
        force_lease_end(session, match_id)
        matches.reap(session)
        session.commit()
    match = matches.match(session, match_id)
    assert match.reason == (
        "interrupted 5 times, the last time because worker tester gave no more sign of life"
    )


@pytest.mark.parametrize("setback", [interrupt, unreachable, matches.give_back])
def test_a_zombie_sets_nothing_back(
    session: Session, setback: Callable[[Session, Claim], object]
) -> None:
    match_id = first_match(session)
    zombie = claimed(session, match_id)
    force_lease_end(session, match_id)
    matches.reap(session)
    session.commit()
    alive = claimed(session, match_id)
    with pytest.raises(Stale):
        setback(session, zombie)
    session.rollback()
    assert matches.match(session, match_id).state == "running"
    session.commit()
    assert matches.finish(session, alive, ranked(1, 2)) == 1


def two_matches(session: Session) -> tuple[int, int]:
    first = first_match(session)
    return first, first + 1
