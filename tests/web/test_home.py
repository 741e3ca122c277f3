"""The first page."""

import re

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


def test_it_says_what_this_is_and_leads_on(client: FlaskClient) -> None:
    page = client.get("/").text
    assert "lets programs play the board game" in page
    assert 'href="/docs/write-a-bot"' in page
    assert 'class="hero-picture"' in page
    for way in ("/docs", "/rules", "/standings", "/play"):
        assert f'<a href="{way}">' in page


def test_a_game_that_was_played_is_featured(
    app: Flask, client: FlaskClient, session: Session
) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
    match_id = play_next(session, cup)
    page = client.get("/").text
    assert "A close game" in page
    assert page.count("small-board") == 2
    assert f'class="featured-board" href="/matches/{match_id}"' in page
    assert 'class="way primary" href="/play"' in page
    assert f'class="way" href="/matches/{match_id}"' in page
    assert 'href="/tournaments/1"' in page
    assert re.search(r"1 of \d+ matches", page)
    assert page.count(f"Watch match {match_id}<") == 2  # featured, and just played
    asked: list[str] = []
    engine = app.extensions["santiago.sessions"].kw["bind"]
    event.listen(engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    assert client.get("/").text.count("small-board") == 2
    assert asked
    assert not [query for query in asked if "replays.data" in query]


def test_the_newest_bots_places_are_on_it(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    page = client.get("/").text
    assert "2 seats" in page
    assert "3 seats" not in page
    assert 'href="/bots/2">luz' in page
    assert 'is <a href="/docs/fairness#ratings">being placed</a>, its ± is taken off' in page


def test_it_lists_ten_bots_six_matches_and_four_tournaments(
    client: FlaskClient, session: Session
) -> None:
    bots = register(session, [f"guajira-{number}" for number in range(11)])
    cups = [tournament(session, bots, name=f"Copa {at}", seats=4) for at in range(5)]
    for _ in range(24):
        play_next(session, cups[0])
    page = client.get("/").text
    _, standings, tournaments, latest = re.split(
        'id="(?:standings|tournaments|latest)-title"', page
    )
    assert len(set(re.findall(r'<a class="bot" href="/bots/(\d+)"', standings))) == 10
    assert ">All 11 bots</a>" in standings
    assert len(set(re.findall(r'href="/matches/(\d+)"', latest))) == 6
    assert len(set(re.findall(r'href="/tournaments/(\d+)"', tournaments))) == 4
