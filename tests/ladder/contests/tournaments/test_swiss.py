from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.cross_table import cross_table
from ladder.contests.formats import Format, swiss_round
from ladder.contests.pairings import PlannedDeal
from ladder.contests.tournaments import correcting, lifecycle, lookup, rounds
from ladder.matches import job, reading, results
from ladder.model import Deal, Match
from ladder.ratings import ledger
from tests.ladder.contests.tournaments.cups import (
    create,
    go_on,
    play,
    play_round,
    queued,
    running_cup,
)
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import NewBot, add_bots, claimed, ranked, register_bots
from tests.ladder.test_concurrency import at_once


def tables(session: Session, tournament_id: int, number: int) -> list[frozenset[int]]:
    """Who sat together in a round, once a deal."""
    query = select(Match).where(
        Match.tournament_id == tournament_id, Match.round == number, Match.rotation == 0
    )
    found = [frozenset(seat.bot_id for seat in match.table) for match in session.scalars(query)]
    session.commit()
    return found


def annul_one(session: Session, tournament_id: int) -> None:
    """Take back the first result of a tournament."""
    ledger.lock(session)
    first = select(Match).where(Match.tournament_id == tournament_id).order_by(Match.id).limit(1)
    results.annul(session, session.scalars(first).one(), None, "for this test")


def withdraw_one(session: Session, tournament_id: int) -> None:
    """Let the first of its bots leave."""
    (first, *_) = rounds.entered_versions(session, tournament_id)
    correcting.withdraw(session, tournament_id, first)


@on_sqlite
def test_the_next_round_is_made_when_the_last_match_is_over(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=6, rounds=3)
    first = queued(session, cup)
    for match_id in first[:-1]:
        play(session, match_id)
    assert queued(session, cup) == first[-1:]
    assert lookup.tournament(session, cup).round == 1
    session.commit()
    assert go_on(session) == []
    play(session, first[-1])
    assert queued(session, cup) == [], "no result waits for a round to be written"
    assert go_on(session) == [6]
    assert len(queued(session, cup)) == 6
    now = lookup.tournament(session, cup)
    assert (now.round, now.total) == (2, 18)


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
def test_who_sat_out_the_first_round_meets_the_middle_of_the_standings(session: Session) -> None:
    bots = [*register_bots(session, 6), *add_bots(session, [NewBot("gita", "compay", "here:1")])]
    cup = create(session, format=Format.SWISS, seats=2, bot_ids=bots, deals=1, rounds=3).id
    lifecycle.start(session, cup)
    session.commit()
    first = tables(session, cup, 1)
    (idle,) = set(bots).difference(*first)
    play_round(session, cup)
    winners = {min(table) for table in first}
    (opponent,) = next(table for table in tables(session, cup, 2) if idle in table) - {idle}
    assert opponent in winners


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
    session.commit()
    assert go_on(session) == [2]
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
    assert go_on(session) == []
    lifecycle.resume(session, cup)
    session.commit()
    assert go_on(session) == [2]


def test_a_cancelled_one_makes_no_further_round(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=2, rounds=2)
    for match_id in queued(session, cup):
        play(session, match_id)
    lifecycle.cancel(session, cup)
    session.commit()
    assert go_on(session) == []
    assert lifecycle.go_on(session, cup) == 0
    session.commit()
    ended = lookup.tournament(session, cup)
    assert (ended.round, ended.settled, ended.total) == (1, 2, 4)


def test_results_and_schedulers_at_the_same_time_make_one_next_round(
    sessions: sessionmaker[Session],
) -> None:
    with sessions() as session:
        cup = running_cup(session, format=Format.SWISS, seats=2, count=4, rounds=3)
        held = [claimed(session, match_id) for match_id in queued(session, cup)]

    def finish(number: int) -> None:
        with sessions.begin() as own:
            results.finish(own, held[number], ranked(1, 2))

    def make(_: int) -> int:
        with sessions.begin() as own:
            return lifecycle.go_on(own, cup)

    at_once(finish, len(held))
    made = at_once(make, 2)
    assert sorted(made) == [0, 4]
    with sessions() as session:
        assert len(queued(session, cup)) == 4
        assert len(tables(session, cup, 2)) == 2
        assert not set(tables(session, cup, 1)) & set(tables(session, cup, 2))


@pytest.mark.parametrize("change", [annul_one, withdraw_one])
def test_what_changes_while_a_round_is_planned_counts_for_it(
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Session, int], None],
) -> None:
    with sessions() as session:
        cup = running_cup(session, format=Format.SWISS, count=6, rounds=2)
        for match_id in queued(session, cup):
            play(session, match_id)

    def plan(*given: Any, **how: Any) -> tuple[PlannedDeal, ...]:
        monkeypatch.undo()
        with sessions.begin() as other:
            change(other, cup)
        return swiss_round(*given, **how)

    monkeypatch.setattr(rounds, "swiss_round", plan)
    with sessions() as session:
        assert go_on(session) == [0]
        assert queued(session, cup) == []
        assert lookup.tournament(session, cup).round == 1
        deals = select(func.count()).select_from(Deal).where(Deal.tournament_id == cup)
        assert session.scalar(deals) == 3, "those of the round that was not made are gone"
        session.commit()
        assert go_on(session)[0] > 0
        assert lookup.tournament(session, cup).round == 2


@on_postgresql
def test_results_are_written_while_a_round_is_planned_and_inserted(
    sessions: sessionmaker[Session],
) -> None:
    """The ledger is locked at the end alone."""
    statements: list[str] = []
    with sessions() as session:
        cup = running_cup(session, format=Format.SWISS, count=6, rounds=2)
        for match_id in queued(session, cup):
            play(session, match_id)
        engine = session.get_bind()
        event.listen(engine, "before_cursor_execute", lambda *of: statements.append(of[2]))
        assert go_on(session) == [6]
    locks = [
        number
        for number, statement in enumerate(statements)
        if "FROM ledger" in statement and "FOR UPDATE" in statement
    ]
    inserts = [
        number for number, statement in enumerate(statements) if statement.startswith("INSERT")
    ]
    assert max(inserts) < min(locks)
    assert len(inserts) == 4, "of deals, matches, seats and jobs"


@on_postgresql
def test_who_plans_takes_its_time_but_not_with_the_ledger(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = running_cup(session, format=Format.SWISS, count=6, rounds=2)
    for match_id in queued(session, cup):
        play(session, match_id)
    limit = text("SHOW idle_in_transaction_session_timeout")
    usual, while_planning = session.scalar(limit), []

    def plan(*given: Any, **how: Any) -> tuple[PlannedDeal, ...]:
        while_planning.append(session.scalar(limit))
        return swiss_round(*given, **how)

    monkeypatch.setattr(rounds, "swiss_round", plan)
    assert lifecycle.go_on(session, cup) == 6
    assert while_planning == ["0"]
    assert session.scalar(limit) == usual != "0", "who freezes now loses the lock"


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
    go_on(session)
    past = rounds._past(session, cup, 1)
    assert past[0].count(order) == 1
    assert len(past[0]) == 3
