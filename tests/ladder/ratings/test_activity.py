"""Who has not played for seven days of a ladder has no rank there."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import profiles
from ladder.model import LadderPlace, Match, MatchKind, Seat
from ladder.ratings import boards, elo, ranks, standings
from ladder.ratings.activity import DAYS
from ladder.ratings.agreement import agreement
from ladder.ratings.boards import Sort
from ladder.ratings.strength import compute
from tests.ladder.databases import on_sqlite
from tests.ladder.league import as_kind, finished, ranked, start_tournament

ADA, BELA, CARO = 1, 2, 3
START = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def ladder(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three bots, with deals for each pair."""
    monkeypatch.setattr(ranks, "LONGEST", 0.0)
    start_tournament(session, count=3, deals=DAYS + 3)
    as_kind(session, MatchKind.LADDER)


def play(session: Session, *bots: int, day: float) -> None:
    """Play the first match of the pair's next deal; afterwards caro, then ada leads."""
    tables = (select(Seat.match_id).where(Seat.bot_id == bot) for bot in bots)
    waiting = select(Match.id).where(
        Match.rotation == 0, Match.finished_at.is_(None), *(Match.id.in_(table) for table in tables)
    )
    match_id = session.scalars(waiting.order_by(Match.id)).first()
    assert match_id is not None
    session.commit()
    finished(session, match_id, ranked(1, 2))
    at = START + timedelta(days=day)
    own = update(Match).where(Match.id == match_id)
    session.execute(own.values(created_at=at, started_at=at, finished_at=at))
    for bot, rating in ((ADA, 1_700_000), (BELA, 1_600_000), (CARO, 1_800_000)):
        place = update(LadderPlace).where(LadderPlace.bot_id == bot)
        session.execute(place.values(rating_milli=rating, deviation_milli=elo.PLACED))
    session.commit()


def let_caro_rest(session: Session) -> None:
    """Play once with caro, then without for longer than a bot may rest."""
    play(session, ADA, CARO, day=0)
    for day in range(DAYS + 2):
        play(session, ADA, BELA, day=day)


def shown(session: Session) -> list[tuple[int, int, bool]]:
    """The ladder's bots with their ranks, and if they are inactive: the same wherever they are."""
    found = [(row.bot_id, row.rank, row.inactive) for row in boards.board(session, 2).rows]
    assert found == [
        (row.bot_id, row.rank, row.inactive) for row in standings.standings(session, 2)
    ]
    places = profiles.places(session, [bot for bot, _, _ in found])
    assert found == [(bot, places[bot][0].rank, places[bot][0].inactive) for bot, _, _ in found]
    listed = boards.overview(session).rows
    both = [(row.bot_id, row.places[0]) for row in listed]
    assert found == [(bot, place.rank, place.inactive) for bot, place in both if place]
    return found


ALL_PLAY = [(CARO, 1, False), (ADA, 2, False), (BELA, 3, False)]
CARO_RESTS = [(ADA, 1, False), (BELA, 2, False), (CARO, 3, True)]


def test_a_bot_loses_its_rank_after_seven_days_and_has_it_back_with_its_next_match(
    session: Session,
) -> None:
    play(session, ADA, CARO, day=0)
    for day in range(DAYS + 1):
        play(session, ADA, BELA, day=day)
        assert shown(session) == ALL_PLAY
    play(session, ADA, BELA, day=DAYS + 1)
    assert shown(session) == CARO_RESTS
    assert [row.bot_id for row in boards.board(session, 2, sort=Sort.ELO).rows] == [CARO, ADA, BELA]
    backwards = boards.board(session, 2, reverse=True).rows
    assert [row.bot_id for row in backwards] == [BELA, ADA, CARO]
    play(session, BELA, CARO, day=DAYS + 1)
    assert shown(session) == ALL_PLAY


@on_sqlite
def test_a_break_of_the_whole_ladder_is_one_day(session: Session) -> None:
    play(session, ADA, CARO, day=0)
    for day in range(DAYS):
        play(session, ADA, BELA, day=day)
    play(session, ADA, BELA, day=100)
    assert shown(session) == ALL_PLAY
    play(session, ADA, BELA, day=101)
    assert shown(session) == CARO_RESTS


@on_sqlite
def test_many_deals_of_one_day_are_one_day(session: Session) -> None:
    play(session, ADA, CARO, day=0)
    for hours in range(DAYS + 2):
        play(session, ADA, BELA, day=1 + hours / 24)
    assert shown(session) == ALL_PLAY


@on_sqlite
def test_a_ladder_stands_still_while_only_tournaments_go_on(session: Session) -> None:
    let_caro_rest(session)
    session.execute(update(Match).values(kind=MatchKind.TOURNAMENT))
    session.commit()
    assert shown(session) == ALL_PLAY


@on_sqlite
def test_ladders_rest_apart(session: Session) -> None:
    let_caro_rest(session)
    two = session.scalars(select(LadderPlace)).all()
    session.add_all(
        LadderPlace(
            seats=3,
            version_id=place.version_id,
            bot_id=place.bot_id,
            rating_milli=place.rating_milli,
            deviation_milli=place.deviation_milli,
        )
        for place in two
    )
    session.commit()
    caro = boards.overview(session).rows[-1]
    assert caro.bot_id == CARO
    assert [place.inactive for place in caro.places if place] == [True, False]
    assert [row.bot_id for row in boards.overview(session, by=3).rows] == [CARO, ADA, BELA]
    assert [row.bot_id for row in boards.overview(session, by=2).rows] == [ADA, BELA, CARO]


@on_sqlite
def test_a_rating_without_a_rank_is_not_compared_with_the_strength(session: Session) -> None:
    let_caro_rest(session)
    compute(session, 2)
    session.commit()
    found = agreement(session, 2)
    assert found is not None
    assert found.bots == 2
