from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, select, text, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.matches.queue import queue_unrated
from ladder.matches.results import Result, SeatResult
from ladder.model import Match, MatchKind, Seat
from ladder.ratings import fairness, setbacks, tallies
from ladder.ratings.tallies import Ranked
from tests.ladder.databases import on_sqlite, plan
from tests.ladder.league import finished, match_ids, ranked, register_bots, start_tournament

ADA, BELA, CARO, DORA = 1, 2, 3, 4
EVEN = [(0, 1, 0.5), (0, 2, 0.5), (1, 2, 0.5)]
"""The pairs of a table of three equals."""


def play_all(session: Session, result: Result) -> None:
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, result)


def sit(session: Session, *table: Ranked, times: int = 1) -> None:
    """Count tables of three equals, as results do."""
    for _ in range(times):
        tallies.count(session, table, EVEN)


@on_sqlite
def test_wins_by_seat(session: Session) -> None:
    start_tournament(session, seats=3, count=4)
    play_all(session, ranked(1, 1, 3))
    games = len(match_ids(session))
    found = fairness.by_seat(session, 3)
    assert [(one.seat, one.games) for one in found] == [(0, games), (1, games), (2, games)]
    assert [one.wins for one in found] == pytest.approx([games / 2, games / 2, 0])
    assert {one.expected for one in found} == {games / 3}


def test_wins_by_the_bot_before(session: Session) -> None:
    """Ada, bela and caro are equals, but whoever moves after ada wins."""
    register_bots(session, 3)
    for table in ((ADA, BELA, CARO), (ADA, CARO, BELA)):
        ranks = [2, 1, 2]
        sit(
            session,
            *(Ranked(bot, bot, rank, False) for bot, rank in zip(table, ranks, strict=True)),
            times=10,
        )
    ada, *others = fairness.by_neighbour(session, 3)
    assert (ada.bot_id, ada.name, ada.games, ada.wins) == (ADA, "ada", 20, 20)
    assert ada.expected == pytest.approx(10)  # at her tables each of the others wins half
    assert ada.z > 4
    assert all(other.z < 0 for other in others)


def test_games_of_another_number_of_seats_do_not_count(session: Session) -> None:
    register_bots(session, 3)
    sit(session, *(Ranked(bot, bot, bot, False) for bot in (ADA, BELA, CARO)))
    before = fairness.by_neighbour(session, 3)
    for _ in range(5):
        tallies.count(session, [Ranked(CARO, 3, 1, False), Ranked(ADA, 1, 2, False)], [(0, 1, 0.5)])
    assert fairness.by_neighbour(session, 3) == before


@on_sqlite
def test_who_sits_before_makes_no_difference_where_the_best_always_wins(session: Session) -> None:
    register_bots(session, 3)
    for table in ((ADA, BELA, CARO), (ADA, CARO, BELA)):
        sit(session, *(Ranked(bot, bot, bot, False) for bot in table), times=30)
    found = {one.bot_id: one for one in fairness.by_neighbour(session, 3)}
    assert {bot: one.wins for bot, one in found.items()} == {ADA: 0, BELA: 30, CARO: 30}
    assert all(one.expected == pytest.approx(one.wins) for one in found.values())
    assert all(one.z == pytest.approx(0) for one in found.values())


def test_games_per_bot_fewest_first(session: Session) -> None:
    register_bots(session, 4)
    sit(session, *(Ranked(bot, bot, 1, False) for bot in (ADA, BELA, CARO)), times=3)
    sit(session, *(Ranked(bot, bot, 1, False) for bot in (DORA, BELA, CARO)))
    found = fairness.games_per_bot(session, 3)
    assert [(one.name, one.author, one.games) for one in found] == [
        ("dora", "compay", 1),
        ("ada", "compay", 3),
        ("bela", "compay", 4),
        ("caro", "compay", 4),
    ]


def test_how_long_matches_of_the_ladder_waited(session: Session) -> None:
    start_tournament(session, deals=10)
    play_all(session, ranked(1, 2))
    assert fairness.queue_wait(session, 2) is None
    session.execute(update(Match).values(kind="ladder"))
    for number, match_id in enumerate(match_ids(session)):
        match = session.get_one(Match, match_id)
        match.started_at = match.created_at + timedelta(seconds=number)
    session.flush()
    found = fairness.queue_wait(session, 2)
    assert found is not None
    assert found.matches == 20
    assert found.median == pytest.approx(9.5)
    assert 17 < found.most < 19


def test_faults_and_lag_by_worker(session: Session) -> None:
    start_tournament(session, deals=2)
    play_all(session, ranked(1, 2, faults=[None, "timeout"]))
    first, *_ = match_ids(session)
    session.execute(update(Match).where(Match.id == first).values(claimed_by="abel", lag_ms=700))
    session.execute(update(Match).where(Match.id != first).values(lag_ms=10))
    abel, tester = fairness.workers(session)
    assert (abel.name, abel.matches, abel.seats, abel.faults, abel.lag_ms) == ("abel", 1, 2, 1, 700)
    assert (tester.name, tester.matches, tester.seats, tester.faults) == ("tester", 3, 6, 3)
    assert tester.mean_lag_ms == pytest.approx(10)


def test_interruptions_are_counted_for_each_bot(session: Session) -> None:
    """Bela's matches are interrupted; ada and caro meet her half of the time."""
    register_bots(session, 3)
    start_tournament(session, seats=2, count=3)
    play_all(session, ranked(1, 2))
    of_bela = select(Seat.match_id).where(Seat.bot_id == BELA)
    session.execute(update(Match).where(Match.id.in_(of_bela)).values(interruptions=2))
    found = {one.name: one for one in setbacks.interruptions(session, 2, newest_of=100)}
    bela, ada = found["bela"], found["ada"]
    assert (bela.interrupted, bela.interruptions) == (bela.matches, 2 * bela.matches)
    assert (ada.interrupted, ada.interruptions) == (ada.matches // 2, ada.matches)
    assert sum(one.expected for one in found.values()) == 2 * bela.interruptions
    assert bela.interruptions > bela.expected > ada.interruptions
    assert setbacks.interruptions(session, 3, newest_of=100) == []
    assert fairness.make(session, 2).interrupted[0] == bela


@on_sqlite
def test_without_interruptions_nobody_is_listed(session: Session) -> None:
    start_tournament(session, seats=2, count=2)
    play_all(session, ranked(1, 2))
    assert setbacks.interruptions(session, 2, newest_of=100) == []


@on_sqlite
def test_tributes_of_a_match_are_kept(session: Session) -> None:
    start_tournament(session, seats=3, count=3)
    seats = tuple(SeatResult(1, 10) for _ in range(3))
    result = Result(seats, "ships", b"replay", ((0, 1, 2), (0, 2, 1), (2, 0, 4)))
    first = match_ids(session)[0]
    session.commit()
    finished(session, first, result)
    match = session.get_one(Match, first)
    assert [seat.tributes for seat in match.table] == ["0 2 1", None, "4 0 0"]


def test_a_result_that_comes_while_a_report_is_made_spoils_nothing(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    with sessions() as session:
        start_tournament(session, seats=3, count=4)
        ids = match_ids(session)
        without = {one for one in ids if 4 not in bots_of(session, one)}
        session.commit()
        finished(session, min(without), ranked(1, 2, 3))
    read = fairness._win_rates

    def slow(session: Session, seats: int) -> dict[int, float]:
        rates = read(session, seats)
        if model.is_postgresql(session):  # it waits, however long the report takes
            assert session.scalar(text("SHOW idle_in_transaction_session_timeout")) == "0"
        with sessions() as other:
            finished(other, next(one for one in ids if one not in without), ranked(1, 2, 3))
        return rates

    monkeypatch.setattr(fairness, "_win_rates", slow)
    with sessions() as session:
        assert fairness.refresh(session, 3)


def bots_of(session: Session, match_id: int) -> set[int]:
    return {seat.bot_id for seat in session.get_one(Match, match_id).table}


def test_interruptions_of_challenges_are_not_those_of_the_ladder(session: Session) -> None:
    bots = register_bots(session, 2)
    model.write(session)
    match = queue_unrated(session, MatchKind.CHALLENGE, [(bot, bot) for bot in bots])
    session.commit()
    finished(session, match.id, ranked(1, 2))
    session.execute(update(Match).values(interruptions=4))
    session.commit()
    assert setbacks.interruptions(session, 2, newest_of=100) == []


@on_sqlite
def test_misses_are_counted_without_reading_all_matches(session: Session) -> None:
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    assert setbacks.misses(session, 2) == []
    first, *_ = plan(session, *asked[-1])
    assert first == "SCAN s USING INDEX ix_seats_missed"
