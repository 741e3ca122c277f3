from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots.availability import other_version
from ladder.contests.tournaments import lifecycle
from ladder.errors import Stale
from ladder.jobs import attempts
from ladder.matches import job, misses, reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.misses import MissedCall
from ladder.model import Job
from referee.clock import Clock
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, first_match, force_lease_end, ranked


def test_a_claim_holds_all_that_is_needed_to_play(session: Session) -> None:
    claim = claimed(session, first_match(session, seats=3, count=3))
    assert claim.attempt == 1
    assert claim.clock == Clock()
    assert len(claim.players) == 3
    seats = reading.match(session, claim.match_id).seats
    assert [player.name for player in claim.players] == [seat.name for seat in seats]
    assert {player.address for player in claim.players} == {
        "127.0.0.1:5000",
        "127.0.0.1:5001",
        "127.0.0.1:5002",
    }


def test_the_token_is_not_shown(session: Session) -> None:
    claim = claimed(session, first_match(session))
    assert claim.held.token not in repr(claim)


def test_a_match_is_claimed_once(session: Session) -> None:
    match_id = first_match(session)
    claimed(session, match_id)
    assert attempts.claim(session, MATCHES, match_id, "other", lease=60) is None


def test_there_is_nothing_to_claim_of_what_does_not_exist(session: Session) -> None:
    assert attempts.claim(session, MATCHES, 99, "worker", lease=60) is None


def test_a_match_is_not_played_before_its_tournament_starts(session: Session) -> None:
    match_id = first_match(session)
    tournament = reading.match(session, match_id).tournament_id
    assert tournament is not None
    session.commit()
    lifecycle.cancel(session, tournament)
    session.commit()
    assert attempts.claim(session, MATCHES, match_id, "worker", lease=60) is None


def test_a_new_attempt_has_a_new_number_and_token(session: Session) -> None:
    match_id = first_match(session)
    first = claimed(session, match_id)
    MATCHES.give_back(session, first)
    session.commit()
    second = claimed(session, match_id)
    assert second.attempt == 2
    assert second.held.token != first.held.token
    assert second.layout_seed == first.layout_seed


def test_renewing_puts_off_the_end_of_the_lease(session: Session) -> None:
    claim = claimed(session, first_match(session), lease=1)
    before = lease_until(session)
    session.commit()
    attempts.renew(session, claim.held, lease=1000)
    session.commit()
    assert (lease_until(session) - before).total_seconds() > 900


def test_a_lease_that_has_passed_can_be_renewed_while_nobody_has_noticed(session: Session) -> None:
    claim = claimed(session, first_match(session))
    force_lease_end(session, claim.match_id)
    attempts.renew(session, claim.held, lease=60)
    session.commit()
    assert attempts.reap(session, MATCHES) == []


def test_a_lease_that_was_lost_is_not_renewed(session: Session) -> None:
    claim = claimed(session, first_match(session))
    force_lease_end(session, claim.match_id)
    attempts.reap(session, MATCHES)
    session.commit()
    with pytest.raises(Stale, match="attempt 1 no longer holds match"):
        attempts.renew(session, claim.held, lease=60)


@on_sqlite
def test_a_zombie_and_a_forged_token_do_nothing_while_another_attempt_plays(
    session: Session,
) -> None:
    zombie = claimed(session, first_match(session))
    MATCHES.give_back(session, zombie)
    session.commit()
    living = claimed(session, zombie.match_id)
    deeds: tuple[Callable[..., object], ...] = (
        lambda session, claim: attempts.renew(session, claim.held, lease=60),
        MATCHES.give_back,
        partial(job.interrupt, why="It broke."),
        partial(misses.not_accepted, seat=0, call=MissedCall("Nobody is there.")),
        partial(other_version, seat=0, why="It is another.", said="9"),
    )
    for stale in (zombie, forged(living, token="guess"), forged(living, number=1)):
        for deed in deeds:
            with pytest.raises(Stale):
                deed(session, stale)
            session.rollback()
    assert reading.match(session, living.match_id).state == "running"


def test_nothing_is_renewed_after_the_result(session: Session) -> None:
    claim = claimed(session, first_match(session))
    results.finish(session, claim, ranked(1, 2))
    session.commit()
    with pytest.raises(Stale):
        attempts.renew(session, claim.held, lease=60)


def forged(claim: MatchClaim, **values: Any) -> MatchClaim:
    return replace(claim, held=replace(claim.held, **values))


def lease_until(session: Session) -> datetime:
    found = session.scalars(select(Job.lease_until).where(Job.lease_until.is_not(None))).one()
    assert found is not None
    return found
