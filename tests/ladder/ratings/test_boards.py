from math import hypot

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import LadderPlace
from ladder.ratings import boards, histories, standings, tallies
from ladder.ratings.boards import Sort
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, ranks_by_bot, start_tournament

ADA, BELA, CARO = 1, 2, 3


@pytest.fixture
def league(session: Session) -> Session:
    """Three bots that end as ada, bela, caro at tables of three; ada and bela also met alone."""
    start_tournament(session, seats=3, count=3)
    for match_id in match_ids(session):
        result = ranks_by_bot(session, match_id, {ADA: 1, BELA: 2, CARO: 3})
        session.commit()
        finished(session, match_id, result)
    return session


def names(board: boards.Board) -> list[str]:
    return [row.name for row in board.rows]


@on_sqlite
def test_the_first_page_is_the_top_of_the_ladder(league: Session) -> None:
    first = boards.board(league, 3, limit=2)
    assert (names(first), first.found) == (["ada", "bela"], 3)
    assert list(first.rows) == standings.standings(league, 3)[:2]
    second = boards.board(league, 3, limit=2, page=2)
    assert [(row.rank, row.name) for row in second.rows] == [(3, "caro")]


@on_sqlite
def test_a_search_keeps_the_ranks_of_the_ladder(league: Session) -> None:
    found = boards.board(league, 3, search="EL")
    assert [(row.rank, row.name) for row in found.rows] == [(2, "bela")]
    assert found.found == 1
    assert boards.board(league, 3, search="compay").found == 3


@pytest.mark.parametrize("search", ["%", "_", "\0", "\\", "x" * 10_000])
def test_signs_of_a_search_stand_for_themselves(league: Session, search: str) -> None:
    assert boards.board(league, 3, search=search).found == 0


def test_sorts(league: Session) -> None:
    rows = {place.bot_id: place for place in league.query(LadderPlace)}
    rows[BELA].faults, rows[CARO].games = 2, 9
    league.flush()
    assert names(boards.board(league, 3, sort=Sort.FAULTS))[0] == "bela"
    assert names(boards.board(league, 3, sort=Sort.GAMES))[0] == "caro"
    assert names(boards.board(league, 3, sort=Sort.WINS))[0] == "ada"
    assert names(boards.board(league, 3, sort=Sort.BOT)) == ["ada", "bela", "caro"]
    assert names(boards.board(league, 3, sort=Sort.BOT, reverse=True))[0] == "caro"
    assert names(boards.board(league, 3, reverse=True)) == ["caro", "bela", "ada"]


def test_the_overview_has_a_place_on_each_ladder(league: Session) -> None:
    start_tournament(league, seats=2, count=2)
    league.commit()
    finished(league, match_ids(league)[3], ranked(1, 1))
    shown = boards.overview(league)
    assert shown.found == 3
    ada = shown.rows[0]
    assert ada.name == "ada"
    two, three, four = ada.places
    assert two is not None
    assert three is not None
    assert (two.rank, three.rank, four) == (1, 1, None)
    assert ada.mean_milli == pytest.approx((two.rating_milli + three.rating_milli) / 2)
    both = hypot(two.deviation_milli, three.deviation_milli)
    assert ada.mean_deviation_milli == pytest.approx(both / 2)
    last = shown.rows[-1]
    assert (last.places[0], last.places[2]) == (None, None)
    assert last.places[1] is not None
    assert last.mean_milli == last.places[1].rating_milli
    assert last.mean_deviation_milli == last.places[1].deviation_milli
    by_two = boards.overview(league, by=2, search="a")
    assert [row.name for row in by_two.rows] == ["ada", "bela", "caro"]
    pages = [boards.overview(league, page=page, limit=1).rows for page in (1, 2, 3, 4)]
    assert [[row.name for row in rows] for rows in pages] == [["ada"], ["bela"], ["caro"], []]


def test_who_is_known_on_all_ladders_together_stands_by_the_mean(league: Session) -> None:
    start_tournament(league, seats=2, count=2)
    league.commit()
    finished(league, match_ids(league)[3], ranked(1, 1))
    for bot, rating, deviation in ((ADA, 2_000_000, 100_000), (BELA, 1_950_000, 70_000)):
        changed = update(LadderPlace).where(LadderPlace.bot_id == bot)
        league.execute(changed.values(rating_milli=rating, deviation_milli=deviation))
    league.commit()
    ada, bela, *_ = boards.overview(league).rows
    assert (ada.name, ada.mean_milli, ada.mean_deviation_milli) == ("ada", 2_000_000, 70_711)
    assert (bela.name, bela.mean_milli, bela.mean_deviation_milli) == ("bela", 1_950_000, 49_497)


def test_wins_by_seat_and_trends(league: Session) -> None:
    wins = tallies.wins_by_seat(league, 3, [ADA, CARO])
    assert [(seat.seat, seat.games, seat.wins) for seat in wins[ADA]] == [
        (0, 1, 1.0),
        (1, 1, 1.0),
        (2, 1, 1.0),
    ]
    assert sum(seat.wins for seat in wins[CARO]) == 0
    trends = histories.trends(league, 3, [ADA, BELA])
    assert len(trends[ADA]) == 3
    assert list(trends[ADA]) == sorted(trends[ADA])
    assert trends[ADA][-1] == standings.standings(league, 3)[0].rating_milli
    assert CARO not in trends


@on_sqlite
def test_a_trend_has_the_newest_changes_alone(
    league: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = histories.trends(league, 3, [ADA])[ADA]
    monkeypatch.setattr("ladder.ratings.histories.TREND", 2)
    assert histories.trends(league, 3, [ADA])[ADA] == whole[-2:]
