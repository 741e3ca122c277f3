import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.contests import cross_table
from ladder.contests.cross_table import Cell
from ladder.errors import NotFound
from ladder.matches import reading
from ladder.model import LadderPlace
from ladder.operating import match_control
from ladder.ratings import boards, elo, ledger, standings
from ladder.ratings.boards import Sort
from tests.ladder.databases import on_sqlite
from tests.ladder.league import (
    claimed,
    finished,
    match_ids,
    ranked,
    ranks_by_bot,
    register_bots,
    start_tournament,
)
from tests.ladder.ledgers import check_ledger
from tests.ladder.ratings.league import organiser

ADA, BELA, CARO = 1, 2, 3
ALWAYS = {ADA: 1, BELA: 2, CARO: 3}  # rank by bot


def play_all(session: Session, ranks: dict[int, int]) -> None:
    """Finish every match, the bots ranked so wherever they sit."""
    for match_id in match_ids(session):
        result = ranks_by_bot(session, match_id, ranks)
        session.commit()
        finished(session, match_id, result)


@on_sqlite
def test_the_ladder_is_by_rating(session: Session) -> None:
    start_tournament(session, seats=3, count=3, deals=2)
    play_all(session, ALWAYS)
    ada, bela, caro = standings.standings(session, 3)
    assert (ada.rank, ada.bot_id, ada.name, ada.author, ada.version) == (
        1,
        ADA,
        "ada",
        "compay",
        "1",
    )
    assert (ada.games, ada.wins, ada.faults) == (6, 6, 0)
    assert (bela.rank, bela.games, bela.wins) == (2, 6, 0)
    assert (caro.rank, caro.games, caro.wins) == (3, 6, 0)
    assert ada.rating_milli > bela.rating_milli > caro.rating_milli
    assert 0 < ada.deviation_milli < elo.NEWCOMER.deviation
    check_ledger(session)


@on_sqlite
def test_each_table_size_has_a_ladder_of_its_own(session: Session) -> None:
    start_tournament(session, seats=2, count=2)
    play_all(session, ALWAYS)
    assert [standing.name for standing in standings.standings(session, 2)] == ["ada", "bela"]
    assert standings.standings(session, 3) == standings.standings(session, 4) == []


@on_sqlite
def test_equal_ratings_share_their_rank(session: Session) -> None:
    start_tournament(session, seats=3, count=3)
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, ranked(1, 1, 1))
    assert [(one.rank, one.wins) for one in standings.standings(session, 3)] == [(1, 3)] * 3


def test_faults_are_counted(session: Session) -> None:
    start_tournament(session)
    first, _ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2, faults=[None, "timeout"]))
    winner, loser = standings.standings(session, 2)
    assert (winner.faults, loser.faults) == (0, 1)


@on_sqlite
def test_the_cross_table_adds_up_the_pairs(session: Session) -> None:
    tournament_id = start_tournament(session, seats=3, count=3, deals=2)
    play_all(session, {ADA: 1, BELA: 2, CARO: 2})
    ada, bela, caro = cross_table.cross_table(session, tournament_id).rows
    assert [(row.rank, row.name, row.points, row.games) for row in (ada, bela, caro)] == [
        (1, "ada", 12.0, 6),
        (2, "bela", 3.0, 6),
        (2, "caro", 3.0, 6),
    ]
    assert ada.cells == (Cell(BELA, 6.0, 6), Cell(CARO, 6.0, 6))
    assert bela.cells == (Cell(ADA, 0.0, 6), Cell(CARO, 3.0, 6))


@on_sqlite
def test_the_cross_table_counts_what_is_finished(session: Session) -> None:
    tournament_id = start_tournament(session, count=3)
    rows = cross_table.cross_table(session, tournament_id).rows
    assert [(row.rank, row.points, row.games) for row in rows] == [(1, 0.0, 0)] * 3
    first, second, *_ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    claimed(session, second)
    winner, *others = cross_table.cross_table(session, tournament_id).rows
    assert winner.bot_id == reading.match(session, first).seats[0].bot_id
    assert (winner.rank, winner.points, winner.games) == (1, 1.0, 1)
    assert [row.rank for row in others] == [2, 2]


@on_sqlite
def test_the_cross_table_leaves_out_what_is_annulled(session: Session) -> None:
    tournament_id = start_tournament(session, count=2)
    play_all(session, ALWAYS)
    match_control.annul(session, organiser(session), match_ids(session)[0], "reason")
    session.commit()
    ada, bela = cross_table.cross_table(session, tournament_id).rows
    assert [(row.points, row.games) for row in (ada, bela)] == [(1.0, 1), (0.0, 1)]


def test_there_is_no_such_cross_table(session: Session) -> None:
    with pytest.raises(NotFound, match="there is no tournament 5"):
        cross_table.cross_table(session, 5)


def test_a_new_version_takes_over_the_place(session: Session) -> None:
    start_tournament(session)
    play_all(session, ALWAYS)
    before, _ = standings.standings(session, 2)
    assert (before.version, before.games) == ("1", 2)
    versions.register(session, name="ada", author="compay", address="127.0.0.1:1", version="2")
    session.commit()
    ada, _ = standings.standings(session, 2)
    assert (ada.version, ada.rating_milli, ada.games) == ("2", before.rating_milli, 0)
    assert register_bots(session, 1) == [ada.bot_id]


def test_who_is_being_placed_stands_by_its_rating_less_its_deviation(session: Session) -> None:
    start_tournament(session, seats=3, count=3)
    play_all(session, ALWAYS)
    for bot, rating, deviation in (
        (ADA, 1_900_000, 300_000),
        (BELA, 1_700_000, elo.PLACED),
        (CARO, 1_400_000, elo.PLACED),
    ):
        own = update(LadderPlace).where(LadderPlace.bot_id == bot)
        session.execute(own.values(rating_milli=rating, deviation_milli=deviation))
    session.commit()
    found = standings.standings(session, 3)
    assert [(one.name, one.rank, one.provisional) for one in found] == [
        ("bela", 1, False),
        ("ada", 2, True),
        ("caro", 3, False),  # not the second: ada is surely better
    ]
    assert [one.name for one in boards.board(session, 3).rows] == ["bela", "ada", "caro"]
    assert [one.name for one in boards.overview(session).rows] == ["bela", "ada", "caro"]
    by_elo = boards.board(session, 3, sort=Sort.ELO).rows
    assert [one.name for one in by_elo] == ["ada", "bela", "caro"]
    assert by_elo[0].low_milli == by_elo[0].rating_milli - round(1.959964 * 300_000)


def test_the_anchor_is_never_being_placed(session: Session) -> None:
    start_tournament(session, count=3)
    ledger.lock(session)
    ledger.pin(session, CARO)
    session.commit()
    play_all(session, {ADA: 1, BELA: 1, CARO: 2})
    found = {one.name: one for one in standings.standings(session, 2)}
    caro = found.pop("caro")
    assert (caro.pinned, caro.provisional, caro.rating_milli, caro.deviation_milli) == (
        True,
        False,
        *elo.ANCHOR,
    )
    assert all(one.provisional and not one.pinned for one in found.values())
