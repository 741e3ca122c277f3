import dataclasses
from typing import Any

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from ladder.errors import NotFound, Stale
from ladder.jobs import attempts
from ladder.matches import reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.results import SeatResult
from ladder.model import LadderPlace, Ledger, Match, MatchKind, MeetingTally, RatingChange, Replay
from ladder.ratings import elo
from tests.ladder.contests.tournaments.cups import gone_on
from tests.ladder.databases import on_sqlite
from tests.ladder.league import (
    as_kind,
    claimed,
    finished,
    first_match,
    force_lease_end,
    match_ids,
    ranked,
    start_tournament,
)

EVERYTHING = (LadderPlace, Ledger, Match, MeetingTally, RatingChange, Replay)


def contents(session: Session) -> list[list[tuple[object, ...]]]:
    """All that a result writes to."""
    rows = [
        [tuple(row) for row in session.execute(select(*model.__table__.columns))]
        for model in EVERYTHING
    ]
    session.commit()
    return rows


@on_sqlite
def test_a_result_is_written_with_all_that_follows_from_it(session: Session) -> None:
    match_id = first_match(session, seats=3, count=3)
    result = ranked(1, 3, 2, faults=[None, "timeout", None])
    assert finished(session, match_id, result) == 1
    match = reading.match(session, match_id)
    assert (match.state, match.result_number, match.reason) == ("finished", 1, "ships")
    assert match.finished_at is not None
    assert [(seat.rank, seat.vp, seat.fault) for seat in match.seats] == [
        (1, 39, None),
        (3, 37, "timeout"),
        (2, 38, None),
    ]
    skills = elo.rate([elo.NEWCOMER] * 3, (1, 3, 2))
    assert [(seat.rating_after, seat.deviation_after) for seat in match.seats] == list(skills)
    assert {(seat.rating_before, seat.deviation_before) for seat in match.seats} == {elo.NEWCOMER}
    assert reading.replay(session, match_id) == b"replay"


@pytest.mark.parametrize("kind", [MatchKind.TOURNAMENT, MatchKind.LADDER])
def test_a_match_takes_few_statements(session: Session, kind: MatchKind) -> None:
    match_id = first_match(session)
    if kind is MatchKind.LADDER:
        as_kind(session, kind)
    executed: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        executed.append(statement)

    event.listen(session.get_bind(), "before_cursor_execute", note)
    finished(session, match_id, ranked(1, 2))
    event.remove(session.get_bind(), "before_cursor_execute", note)
    assert len(executed) <= 23, executed


@on_sqlite
def test_a_forfeit_has_no_vp(session: Session) -> None:
    match_id = first_match(session)
    seats = (SeatResult(2, None, "illegal"), SeatResult(1, None))
    finished(session, match_id, dataclasses.replace(ranked(2, 1), seats=seats, reason="forfeit"))
    match = reading.match(session, match_id)
    assert match.reason == "forfeit"
    assert [seat.vp for seat in match.seats] == [None, None]


@on_sqlite
def test_the_same_result_told_twice_counts_once(session: Session) -> None:
    claim = claimed(session, first_match(session))
    number = results.finish(session, claim, ranked(1, 2))
    session.commit()
    before = contents(session)
    assert results.finish(session, claim, ranked(1, 2)) == number
    session.commit()
    assert contents(session) == before


@on_sqlite
def test_a_zombie_is_refused_while_another_attempt_plays(session: Session) -> None:
    match_id = first_match(session)
    zombie = claimed(session, match_id)
    force_lease_end(session, match_id)
    attempts.reap(session, MATCHES)
    session.commit()
    alive = claimed(session, match_id)
    before = contents(session)
    with pytest.raises(Stale):
        results.finish(session, zombie, ranked(1, 2))
    session.rollback()
    assert contents(session) == before
    assert results.finish(session, alive, ranked(2, 1)) == 1


@on_sqlite
def test_a_zombie_is_refused_after_the_result_of_another_attempt(session: Session) -> None:
    match_id = first_match(session)
    zombie = claimed(session, match_id)
    MATCHES.give_back(session, zombie)
    session.commit()
    finished(session, match_id, ranked(2, 1))
    before = contents(session)
    with pytest.raises(Stale):
        results.finish(session, zombie, ranked(1, 2))
    session.rollback()
    assert contents(session) == before


def forged(claim: MatchClaim, **values: Any) -> MatchClaim:
    return dataclasses.replace(claim, held=dataclasses.replace(claim.held, **values))


def test_a_forged_token_is_refused(session: Session) -> None:
    claim = claimed(session, first_match(session))
    with pytest.raises(Stale):
        results.finish(session, forged(claim, token="guess"), ranked(1, 2))


@on_sqlite
@pytest.mark.parametrize("token", ["guess", "", "None"])
def test_a_result_for_a_match_that_nobody_claimed_is_refused(session: Session, token: str) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    own = claimed(session, first)
    before = contents(session)
    for attempt in (0, 1):
        false = forged(own, subject=second, number=attempt, token=token)
        with pytest.raises(Stale):
            results.finish(session, false, ranked(1, 2))
        session.rollback()
    assert contents(session) == before


def test_results_are_for_all_seats(session: Session) -> None:
    claim = claimed(session, first_match(session))
    with pytest.raises(ValueError, match="3 results for 2 seats"):
        results.finish(session, claim, ranked(1, 2, 3))


def test_an_unrated_match_counts_but_rates_nobody(session: Session) -> None:
    start_tournament(session, rated=False)
    first, second = match_ids(session)
    session.commit()
    assert finished(session, first, ranked(1, 2)) == 1
    assert finished(session, second, ranked(1, 2)) == 2
    assert session.scalar(select(func.count()).select_from(RatingChange)) == 0
    assert session.scalar(select(func.count()).select_from(LadderPlace)) == 0


@on_sqlite
def test_a_tournament_counts_its_results_and_ends_after_the_last(session: Session) -> None:
    tournament_id = start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    assert gone_on(session, tournament_id).state == "running"
    finished(session, second, ranked(1, 2))
    ended = gone_on(session, tournament_id)
    assert (ended.state, ended.settled, ended.finished) == ("finished", 2, 2)
    assert ended.finished_at is not None


def test_only_finished_matches_have_replays(session: Session) -> None:
    match_id = first_match(session)
    with pytest.raises(NotFound, match="has no replay"):
        reading.replay(session, match_id)
