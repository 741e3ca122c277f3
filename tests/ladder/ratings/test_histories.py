from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.model import Ledger, Match, now
from ladder.ratings import elo, histories, standings
from ladder.ratings.elo import Skill
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, ranks_by_bot, start_tournament

ADA, BELA, CARO = 1, 2, 3


def play(session: Session, deals: int) -> None:
    """Ada always wins; a match a minute, the last one now."""
    played = len(match_ids(session))
    start_tournament(session, seats=2, count=2, deals=deals)
    ids = match_ids(session)[played:]
    for match_id in ids:
        result = ranks_by_bot(session, match_id, {ADA: 1, BELA: 2})
        session.commit()
        finished(session, match_id, result)
    at = now(session)
    for ago, match_id in enumerate(reversed(ids)):
        finished_at = at - timedelta(minutes=ago)
        session.execute(update(Match).where(Match.id == match_id).values(finished_at=finished_at))
    session.commit()


def now_of(session: Session) -> Skill:
    """What is known of the best bot at tables of two."""
    best = standings.standings(session, 2)[0]
    return Skill(best.rating_milli, best.deviation_milli)


@on_sqlite
def test_ratings_at_each_result(session: Session) -> None:
    play(session, deals=2)
    found = histories.histories(session, 2, [BELA, ADA, 77])
    assert [bot.name for bot in found.bots] == ["bela", "ada"]
    assert len(found.times) == 4
    assert list(found.times) == sorted(found.times)
    bela, ada = (bot.skills for bot in found.bots)
    assert (ada[0], bela[0]) == elo.rate([elo.NEWCOMER] * 2, (1, 2))
    assert ada[-1] == now_of(session)


@on_sqlite
def test_an_older_version_that_came_back_shows_what_the_bot_had(session: Session) -> None:
    """Meanwhile it played its tournament on, which was not the rating of the bot."""

    def register(version: str) -> None:
        versions.register(session, name="ada", author="compay", address="h:1", version=version)
        session.commit()

    start_tournament(session, seats=2, count=2, deals=4)
    first, *others = match_ids(session)[:3]
    session.commit()
    finished(session, first, ranked(1, 2))
    register("2")
    for match_id in others:
        finished(session, match_id, ranked(2, 1))
    before = histories.trends(session, 2, [ADA])[ADA]
    register("1")
    assert histories.trends(session, 2, [ADA])[ADA] == (*before, before[-1])


@on_sqlite
def test_a_long_history_has_a_bounded_number_of_points(session: Session) -> None:
    play(session, deals=35)
    found = histories.histories(session, 2, [ADA])
    assert len(found.times) == 60
    skills = [skill for skill in found.bots[0].skills if skill]
    assert skills == sorted(skills)
    assert skills[-1] == now_of(session)


def test_since_a_time(session: Session) -> None:
    play(session, deals=5)
    since = now(session) - timedelta(minutes=4, seconds=30)
    found = histories.histories(session, 2, [ADA], since=since)
    assert 5 <= len(found.times) <= 6
    assert found.times[-2] >= since
    whole = histories.histories(session, 2, [ADA])
    assert found.bots[0].skills[-1] == whole.bots[0].skills[-1]


@on_sqlite
def test_one_bot_on_its_ladders(session: Session) -> None:
    play(session, deals=1)
    found = histories.on_ladders(session, ADA, [2, 3])
    first, _ = elo.rate([elo.NEWCOMER] * 2, (1, 2))
    assert found.ladders[0] == (2, (first, now_of(session)))
    assert found.ladders[1] == (3, (None, None))


def test_it_is_read_again_after_a_game_of_its_own_or_many_of_others(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "_GRAIN", 2)
    play(session, deals=5)
    of_ada, of_caro = (histories.on_ladders(session, bot, [2]) for bot in (ADA, CARO))
    counted = session.scalars(select(Ledger.last_result)).one()
    for more, same in ((1, True), (counted, False)):
        session.execute(update(Ledger).values(last_result=counted + more))
        assert (histories.on_ladders(session, ADA, [2]) is of_ada) == same
    session.execute(update(Ledger).values(last_result=counted))
    play(session, deals=1)
    assert histories.on_ladders(session, ADA, [2]) != of_ada
    assert histories.on_ladders(session, CARO, [2]) == of_caro


def test_without_a_game_there_is_nothing(session: Session) -> None:
    start_tournament(session, seats=2, count=2)
    assert histories.histories(session, 2, [ADA]).times == ()
    assert histories.histories(session, 2, []).bots == ()


@on_sqlite
def test_a_superseded_version_that_still_plays_is_not_the_bots_rating(session: Session) -> None:
    start_tournament(session, seats=2, count=2, deals=4)
    ids = match_ids(session)
    session.commit()
    for number, match_id in enumerate(ids):
        if number == 4:
            versions.register(session, name="ada", author="compay", address="a:1", version="2")
            session.commit()
        first, second = (ADA, BELA) if number < 4 else (BELA, ADA)
        result = ranks_by_bot(session, match_id, {first: 1, second: 2})
        session.commit()
        finished(session, match_id, result)
    row = next(row for row in standings.standings(session, 2) if row.bot_id == ADA)
    assert row.version == "2"
    shown = histories.histories(session, 2, [ADA]).bots[0].skills[-1]
    assert shown is not None
    assert shown.rating == histories.trends(session, 2, [ADA])[ADA][-1] == row.rating_milli


@pytest.mark.parametrize("seats", [2, 3])
def test_nor_is_one_that_was_superseded_before_its_first_game_there(
    session: Session, seats: int
) -> None:
    """With or without a rating at another table size, which the new version inherits."""
    start_tournament(session, seats=seats, count=3)
    if seats == 3:
        start_tournament(session, seats=2, count=3)
        first, *_ = match_ids(session)
        session.commit()
        finished(session, first, ranked(1, 2, 3))
    versions.register(session, name="ada", author="compay", address="a:1", version="2")
    session.commit()
    of_two = select(Match.id).where(Match.seats == 2).order_by(Match.id)
    for match_id in session.scalars(of_two).all():
        session.commit()
        finished(session, match_id, ranked(1, 2))
    assert ADA not in {row.bot_id for row in standings.standings(session, 2)}
    assert set(histories.histories(session, 2, [ADA]).bots[0].skills) == {None}
    assert ADA not in histories.trends(session, 2, [ADA, BELA])
    ((_, own),) = histories.on_ladders(session, ADA, [2]).ladders
    assert set(own) == {None}
    versions.register(session, name="ada", author="compay", address="a:1", version="1")
    session.commit()
    (rating,) = (row.rating_milli for row in standings.standings(session, 2) if row.bot_id == ADA)
    assert histories.trends(session, 2, [ADA])[ADA][-1] == rating, "it came back with its own"
