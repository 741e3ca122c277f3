from collections import Counter
from itertools import combinations
from threading import Barrier, Thread

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.contests.cross_table import cross_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import correcting, lifecycle, lookup
from ladder.contests.tournaments.lifecycle import round_over
from ladder.jobs import attempts
from ladder.matches import job, reading, results
from ladder.matches.job import MATCHES
from ladder.model import Match
from ladder.ratings import ledger
from tests.ladder.contests.tournaments.cups import play, play_round, queued, running_cup
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, ranked


def tables(session: Session, tournament_id: int, number: int) -> list[frozenset[int]]:
    """Who sat together in a round, once a deal."""
    query = select(Match).where(
        Match.tournament_id == tournament_id, Match.round == number, Match.rotation == 0
    )
    found = [frozenset(seat.bot_id for seat in match.table) for match in session.scalars(query)]
    session.commit()
    return found


@on_sqlite
def test_the_next_round_is_made_when_the_last_match_is_over(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=6, rounds=3)
    first = queued(session, cup)
    for match_id in first[:-1]:
        play(session, match_id)
    assert queued(session, cup) == first[-1:]
    assert lookup.tournament(session, cup).round == 1
    session.commit()
    play(session, first[-1])
    assert len(queued(session, cup)) == 6
    assert lookup.tournament(session, cup).round == 2


@on_sqlite
def test_it_ends_with_the_last_round_and_nobody_met_again(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=6, rounds=3)
    for _ in range(3):
        assert lookup.tournament(session, cup).state == "running"
        session.commit()
        play_round(session, cup)
    ended = lookup.tournament(session, cup)
    assert (ended.state, ended.finished, ended.total) == ("finished", 18, 18)
    together = [table for number in (1, 2, 3) for table in tables(session, cup, number)]
    assert len(together) == len(set(together)) == 9


def test_winners_meet_winners(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=4, rounds=2)
    winners = frozenset(min(table) for table in tables(session, cup, 1))
    play_round(session, cup)
    assert winners in tables(session, cup, 2)


@on_sqlite
def test_who_sits_out_takes_turns(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=5, rounds=5)
    for _ in range(5):
        play_round(session, cup)
    rounds = [tables(session, cup, number) for number in range(1, 6)]
    assert Counter(bot for of_round in rounds for table in of_round for bot in table) == (
        dict.fromkeys(range(1, 6), 4)
    )
    assert {row.games for row in cross_table(session, cup).rows} == {8}


@on_sqlite
def test_a_round_with_a_match_that_failed_is_over_too(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=2, rounds=2)
    first, second = queued(session, cup)
    play(session, first)
    for _ in range(job.INTERRUPTIONS + 2):
        if second in queued(session, cup):
            job.interrupt(session, claimed(session, second), "of this test")
            session.commit()
    assert reading.match(session, second).state == "failed"
    assert lookup.tournament(session, cup).round == 2


@on_sqlite
def test_a_pause_holds_the_next_round(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=2, rounds=2)
    playing = [claimed(session, match_id) for match_id in queued(session, cup)]
    lifecycle.pause(session, cup)
    session.commit()
    for claim in playing:
        results.finish(session, claim, ranked(1, 2))
        session.commit()
    (next_one, _) = queued(session, cup)
    assert attempts.claim(session, MATCHES, next_one, "tester", lease=60) is None


def test_a_cancelled_one_makes_no_further_round(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=2, rounds=2)
    lifecycle.cancel(session, cup)
    session.commit()
    ledger.lock(session)
    round_over(session, cup, at=model.now(session))
    session.commit()
    ended = lookup.tournament(session, cup)
    assert (ended.round, ended.settled, ended.total) == (1, 2, 4)


def test_results_at_the_same_time_make_one_next_round(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        cup = running_cup(session, format=Format.SWISS, seats=2, count=4, rounds=2)
        held = [claimed(session, match_id) for match_id in queued(session, cup)]
    together = Barrier(len(held))

    def finish(number: int) -> None:
        together.wait()
        with sessions.begin() as own:
            results.finish(own, held[number], ranked(1, 2))

    threads = [Thread(target=finish, args=(number,)) for number in range(len(held))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with sessions() as session:
        assert len(queued(session, cup)) == 4
        assert len(tables(session, cup, 2)) == 2
        assert not set(tables(session, cup, 1)) & set(tables(session, cup, 2))


@on_sqlite
def test_the_same_seed_and_results_give_the_same_rounds(session: Session) -> None:
    one, other = (running_cup(session, format=Format.SWISS, count=6, seats=3) for _ in range(2))
    for cup in (one, other):
        play_round(session, cup)
    assert tables(session, one, 2) == tables(session, other, 2)


@on_sqlite
def test_tables_of_four_keep_their_seats_in_balance(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=6, seats=4, rounds=3)
    for _ in range(3):
        play_round(session, cup)
    met = Counter(
        pair
        for number in (1, 2, 3)
        for table in tables(session, cup, number)
        for pair in combinations(sorted(table), 2)
    )
    assert max(met.values()) <= 2


def test_a_table_counts_as_met_by_whichever_rotation_was_played(session: Session) -> None:
    """A bot withdraws between the rotations of a deal: the first of them is void."""
    cup = running_cup(session, format=Format.SWISS, count=7, seats=2, rounds=3)
    first, second = session.scalars(
        select(Match)
        .where(Match.tournament_id == cup, Match.round == 1)
        .order_by(Match.deal_id, Match.rotation)
        .limit(2)
    )
    order = tuple(seat.bot_id for seat in first.table)
    later = second.id
    session.commit()
    play(session, later)
    correcting.withdraw(session, cup, order[0])
    session.commit()
    for match_id in queued(session, cup):
        play(session, match_id)
    past = lifecycle._past(session, lookup.tournament_row(session, cup))
    assert past[0].count(order) == 1
    assert len(past[0]) == 3
