"""Pages that show one running match after the other."""

from threading import current_thread
from typing import NoReturn

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import OutOfMemoryError, Redis, TimeoutError
from sqlalchemy.orm import Session

from ladder.live.game import mean_ratings
from ladder.model import Bot, BotState, LadderPlace, Match, MatchState
from tests.web.arena import claim_next, play_next, register, tournament
from tests.web.viewer.conftest import events_of
from tests.web.viewer.test_unnamed import Tell, claim, queued
from web.viewer.hub import EXTENSION

__all__ = ["claim", "queued"]  # fixtures


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request reads the running matches anew."""
    monkeypatch.setattr("web.viewer.watching._FRESH", 0.0)


@pytest.fixture
def two(session: Session) -> None:
    """Two matches are played: 1 between ana and luz, 3 between rey and sol."""
    for names in (["ana", "luz"], ["rey", "sol"]):
        claim_next(session, tournament(session, register(session, names), name=names[0]))


def rate(session: Session, ratings: dict[int, int]) -> None:
    for bot_id, milli in ratings.items():
        place = LadderPlace(seats=2, version_id=bot_id, bot_id=bot_id, rating_milli=milli, games=9)
        session.add(place)
    session.commit()


def end(session: Session, match_id: int) -> None:
    session.get_one(Match, match_id).state = MatchState.CANCELLED
    session.commit()


def following(client: FlaskClient, page: str) -> object:
    """The match that a page shows next, which it shows now if it is opened."""
    match = client.get(f"{page}/next").json
    assert match is not None
    shown = client.get(page).text
    assert f'data-next="{page}/next"' in shown or "appears here by itself" in shown
    assert match["match"] is None or f'data-match="{match["match"]}"' in shown
    return match["match"]


def test_the_strongest_match_is_featured(client: FlaskClient, session: Session, two: None) -> None:
    rate(session, {1: 1_500_000, 2: 1_500_000, 3: 1_400_000, 4: 1_700_000})
    assert mean_ratings(session, [1, 3]) == {1: 1_500_000, 3: 1_550_000}
    assert following(client, "/live/featured") == 3


def test_it_changes_between_games_alone(client: FlaskClient, session: Session, two: None) -> None:
    assert following(client, "/live/featured") == 1
    rate(session, {3: 1_900_000, 4: 1_900_000})
    assert following(client, "/live/featured") == 1
    end(session, 1)
    assert following(client, "/live/featured") == 3
    end(session, 3)
    assert following(client, "/live/featured") is None


def test_it_stays_as_long_as_somebody_watches(client: FlaskClient, two: None, redis: Redis) -> None:
    assert following(client, "/live/featured") == 1
    redis.expire("santiago:featured", 60)
    assert following(client, "/live/featured") == 1
    assert redis.ttl("santiago:featured") > 60


def test_without_redis_there_is_a_featured_match_too(
    client: FlaskClient, session: Session, two: None, redis: Redis
) -> None:
    redis.lpush("santiago:featured", "no number")
    assert following(client, "/live/featured") == 1


def test_a_page_waits_for_a_silent_redis_once(
    client: FlaskClient, two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page asks for the lobby, for the featured match, and for what happened in it."""
    asked_by = []

    def silent(*_: object) -> NoReturn:
        asked_by.append(current_thread())
        raise TimeoutError("Timeout reading from socket")

    monkeypatch.setattr("redis.connection.ConnectionPool.get_connection", silent)
    assert following(client, "/live/featured") == 1
    assert asked_by.count(current_thread()) == 1


def silent(_: Redis) -> NoReturn:
    raise TimeoutError("Timeout reading from socket")


def full(_: Redis) -> NoReturn:
    raise OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")


def test_pages_ask_a_redis_that_has_refused_something(app: Flask) -> None:
    hub = app.extensions[EXTENSION]
    assert hub.ask(full) is None
    assert hub.ask(Redis.ping)


def test_each_silence_of_redis_is_logged_once(
    app: Flask, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.viewer.hub._REST", 0.0)
    hub = app.extensions[EXTENSION]
    for _ in range(2):
        assert hub.ask(silent) is hub.ask(silent) is None
        assert hub.ask(Redis.ping)
    assert caplog.text.count("Redis does not answer") == 2


def test_who_asks_redis_nothing_has_not_heard_it(app: Flask) -> None:
    hub = app.extensions[EXTENSION]
    assert hub.ask(silent) is None
    assert hub._listen({}) == {}
    assert hub.ask(Redis.ping) is None


def test_a_bot_is_followed_from_match_to_match(
    client: FlaskClient, session: Session, two: None
) -> None:
    assert following(client, "/bots/4/live") == 3
    assert following(client, "/bots/1/live") == 1
    end(session, 1)
    assert following(client, "/bots/1/live") is None
    assert "ana is not playing right now" in client.get("/bots/1/live").text
    cup = tournament(session, [1, 4], name="Next")
    assert following(client, "/bots/1/live") is None
    match_id = claim_next(session, cup).match_id
    assert following(client, "/bots/1/live") == match_id
    assert client.get("/bots/9/live").status_code == 404


def test_nobody_waits_for_the_next_game_of_a_retired_bot(
    client: FlaskClient, session: Session, two: None
) -> None:
    session.get_one(Bot, 1).state = BotState.RETIRED
    session.commit()
    assert following(client, "/bots/1/live") == 1
    end(session, 1)
    assert client.get("/bots/1/live").location == "/bots/1"


def test_a_bot_is_not_found_at_a_table_that_is_not_named_yet(
    client: FlaskClient, claim: object, tell: Tell
) -> None:
    assert following(client, "/bots/1/live") is None
    tell(events_of(claim)[:1])  # type: ignore[arg-type]
    assert following(client, "/bots/1/live") == 1


def test_while_nothing_is_played_there_are_games_to_watch(
    client: FlaskClient, session: Session
) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    assert f'href="/matches/{match_id}"' in client.get("/live/featured").text
