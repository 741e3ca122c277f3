import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.contests.cross_table import cross_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import lookup
from ladder.contests.tournaments.forfeits import forfeit
from ladder.errors import Stale
from ladder.jobs import attempts
from ladder.matches import reading, results
from ladder.matches.job import MATCHES
from ladder.model import Match, RatingChange, Replay
from tests.ladder.contests.tournaments.cups import go_on, gone_on, play, queued, running_cup
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, finished, first_match, force_lease_end, ranked
from tests.ladder.ledgers import check_ledger


def test_the_absent_rank_last_and_the_others_share_the_first(session: Session) -> None:
    match_id = first_match(session, seats=4, count=4)
    assert forfeit(session, match_id, [1, 3])
    session.commit()
    match = reading.match(session, match_id)
    assert (match.state, match.reason, match.rated, match.has_replay) == (
        "finished",
        "absent",
        False,
        False,
    )
    assert [seat.rank for seat in match.seats] == [1, 3, 1, 3]
    assert [seat.fault for seat in match.seats] == [None, "absent", None, "absent"]
    assert {seat.vp for seat in match.seats} == {None}
    assert match.result_number == 1
    for written in (Replay, RatingChange):
        assert session.scalar(select(func.count()).select_from(written)) == 0


@on_sqlite
def test_results_after_it_are_counted_on(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=2)
    first, second = queued(session, cup)
    forfeit(session, first, [0])
    session.commit()
    assert finished(session, second, ranked(1, 2)) == 2
    ended = gone_on(session, cup)
    assert (ended.state, ended.settled, ended.finished) == ("finished", 2, 2)
    check_ledger(session)


def test_the_points_go_to_who_was_there(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=2)
    first, _ = queued(session, cup)
    there = reading.match(session, first).seats[1].bot_id
    session.commit()
    forfeit(session, first, [0])
    session.commit()
    winner, loser = cross_table(session, cup).rows
    assert (winner.bot_id, winner.points, loser.points) == (there, 1.0, 0.0)


def test_where_all_are_absent_all_share_the_first_rank(session: Session) -> None:
    match_id = first_match(session)
    forfeit(session, match_id, [0, 1])
    session.commit()
    assert [seat.rank for seat in reading.match(session, match_id).seats] == [1, 1]


@on_sqlite
def test_a_swiss_tournament_goes_on_after_it(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=2, rounds=2)
    first, second = queued(session, cup)
    play(session, first)
    forfeit(session, second, [0])
    session.commit()
    assert go_on(session) == [2]
    assert lookup.tournament(session, cup).round == 2
    assert len(queued(session, cup)) == 2


def test_what_does_not_wait_is_not_forfeited(session: Session) -> None:
    match_id = first_match(session)
    claimed(session, match_id)
    assert not forfeit(session, match_id, [0])
    session.commit()
    assert reading.match(session, match_id).state == "running"


@on_sqlite
def test_an_attempt_that_was_taken_back_before_has_no_result(session: Session) -> None:
    match_id = first_match(session)
    zombie = claimed(session, match_id)
    force_lease_end(session, match_id)
    attempts.reap(session, MATCHES)
    session.commit()
    forfeit(session, match_id, [0])
    session.commit()
    with pytest.raises(Stale):
        results.finish(session, zombie, ranked(1, 2))


def test_only_matches_of_tournaments_are_forfeited(session: Session) -> None:
    match_id = first_match(session)
    session.get_one(Match, match_id).tournament_id = None
    session.commit()
    for unknown in (match_id, 999):
        assert not forfeit(session, unknown, [0])
