from datetime import timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import Match, now
from ladder.ratings import histories, standings
from tests.ladder.league import finished, match_ids, ranks_by_bot, start_tournament

ADA, BELA, CARO = 1, 2, 3


def play(session: Session, deals: int) -> None:
    """Ada always wins; a match a minute, the last one now."""
    start_tournament(session, seats=2, count=2, deals=deals)
    ids = match_ids(session)
    for match_id in ids:
        result = ranks_by_bot(session, match_id, {ADA: 1, BELA: 2})
        session.commit()
        finished(session, match_id, result)
    at = now(session)
    for ago, match_id in enumerate(reversed(ids)):
        finished_at = at - timedelta(minutes=ago)
        session.execute(update(Match).where(Match.id == match_id).values(finished_at=finished_at))
    session.commit()


def test_ratings_at_each_result(session: Session) -> None:
    play(session, deals=2)
    found = histories.histories(session, 2, [BELA, ADA, 77])
    assert [bot.name for bot in found.bots] == ["bela", "ada"]
    assert len(found.times) == 4
    assert list(found.times) == sorted(found.times)
    bela, ada = (bot.ratings for bot in found.bots)
    assert ada[0] == 1_516_000
    assert ada[-1] == standings.standings(session, 2)[0].rating_milli
    assert all(a + b == 3_000_000 for a, b in zip(ada, bela, strict=True) if a and b)


def test_a_long_history_has_a_bounded_number_of_points(session: Session) -> None:
    play(session, deals=35)
    found = histories.histories(session, 2, [ADA])
    assert len(found.times) == 60
    ratings = [rating for rating in found.bots[0].ratings if rating]
    assert ratings == sorted(ratings)
    assert ratings[-1] == standings.standings(session, 2)[0].rating_milli


def test_since_a_time(session: Session) -> None:
    play(session, deals=5)
    since = now(session) - timedelta(minutes=4, seconds=30)
    found = histories.histories(session, 2, [ADA], since=since)
    assert 5 <= len(found.times) <= 6
    assert found.times[-2] >= since
    whole = histories.histories(session, 2, [ADA])
    assert found.bots[0].ratings[-1] == whole.bots[0].ratings[-1]


def test_one_bot_on_its_ladders(session: Session) -> None:
    play(session, deals=1)
    found = histories.on_ladders(session, ADA, [2, 3])
    assert found.ladders[0] == (2, (1_516_000, standings.standings(session, 2)[0].rating_milli))
    assert found.ladders[1] == (3, (None, None))


def test_without_a_game_there_is_nothing(session: Session) -> None:
    start_tournament(session, seats=2, count=2)
    assert histories.histories(session, 2, [ADA]).times == ()
    assert histories.histories(session, 2, []).bots == ()
