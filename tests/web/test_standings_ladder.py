import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import availability, versions
from ladder.model import Bot, LadderPlace, Ledger, Match, Seat, now
from ladder.ratings import activity, ranks, rebuilding
from tests.web.arena import play_next, register, tournament


def test_without_a_game_the_page_says_how_to_get_one(client: FlaskClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "No rated games yet" in page.text
    assert "after their first rated game" in page.text
    ladder = client.get("/?seats=4").text
    assert "submit a bot" in ladder
    assert "Look at the other table sizes" not in ladder  # there are none
    assert client.get("/standings?seats=2&search=ana").location == "/?seats=2&search=ana"


def test_all_ladders_stand_side_by_side(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz", "rey"]), seats=3))
    play_next(session, tournament(session, [1, 2]))
    page = client.get("/standings").text
    assert all(name in page for name in ("ana", "luz", "rey"))
    assert "compay · v1" in page
    assert page.count("Still being placed") == 5
    assert page.count('<span class="quiet">–</span>') == 2  # rey has no place at tables of 2
    for address in ("/?by=3&search=luz", "/standings?by=3&search=luz"):
        found = client.get(address).text
        assert 'href="/bots/2">luz' in found
        assert 'href="/bots/1">' not in found


def test_a_ladder_without_games_is_not_shown_and_in_no_mean(
    client: FlaskClient, session: Session
) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz", "rey"]), seats=3))
    page = client.get("/standings").text
    assert "Mean" not in page
    assert "seats=4" not in page
    assert 'aria-current="page">4 seats</a>' in client.get("/?seats=4").text


def test_pages_choose_the_ladder_with_most_games(client: FlaskClient, session: Session) -> None:
    bots = register(session, ["ana", "luz", "rey"])
    play_next(session, tournament(session, bots, seats=3))
    for page in ("/fairness", "/standings/history"):
        assert 'aria-current="page">3 seats</a>' in client.get(page).text
        assert "4 seats" not in client.get(page).text


def test_each_table_size_has_its_ladder(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    page = client.get("/?seats=2").text
    assert '<a href="/?seats=2" aria-current="page">2 seats</a>' in page
    assert "ana" in page
    assert page.count("being placed, 1 of about ") == 2
    assert "A new bot has its rank after about 49 games" in page
    assert "place-1" not in page  # so nobody has a medal
    assert page.count('class="reach"') == 2
    assert 'href="/fairness?seats=2">How fair is the ladder?' in page
    assert "No rated games at tables of 4 yet" in client.get("/?seats=4").text


def test_a_new_version_keeps_the_rating_and_is_marked(
    client: FlaskClient, session: Session
) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    ratings = re.compile(r"<strong>(\d+) ")
    before = client.get("/?seats=2&sort=bot").text
    versions.register(session, name="ana", author="compay", version="2", address="127.0.0.1:4999")
    session.commit()
    page = client.get("/?seats=2&sort=bot").text
    assert page.count(">new version</span>") == 1
    assert "compay · v2" in page
    assert len(ratings.findall(page)) == 2
    assert ratings.findall(page) == ratings.findall(before)


def test_the_anchor_is_marked_and_who_is_placed_has_a_medal(
    client: FlaskClient, session: Session
) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), deals=3)
    for _ in range(6):
        play_next(session, cup)
    session.get_one(Bot, 1).pinned = True
    session.execute(update(LadderPlace).values(deviation_milli=42_000))
    session.commit()
    page = client.get("/?seats=2").text
    assert "⚓ anchor" in page
    assert page.count("±&nbsp;42</span>") == 2
    assert page.count('<span class="place place-1">1</span>') == 1
    session.execute(update(Bot).values(pinned=~Bot.pinned))
    session.commit()
    anchored = client.get("/?seats=2").text
    assert '<span class="place place-other">1</span>' in anchored, "the anchor has no medal"
    assert "being placed" not in page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert page.count("<polyline") == 2
    assert re.search(r'title="seat 1: 3 games"', page)


def test_who_has_not_played_for_long_has_neither_rank_nor_medal(
    client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "LONGEST", 0.0)
    bots = register(session, ["luz", "rey", "sol"])
    cup = tournament(session, bots)
    for _ in range(6):
        play_next(session, cup)
    luz, rey, sol = bots
    for bot, rating in ((luz, 1_900_000), (rey, 1_800_000), (sol, 1_700_000)):
        place = update(LadderPlace).where(LadderPlace.bot_id == bot)
        session.execute(place.values(rating_milli=rating, deviation_milli=42_000))
    session.commit()
    medals = re.compile(r'<span class="place place-(\w+)"[^>]*>(\d+|–)</span>')
    assert medals.findall(client.get("/?seats=2").text) == [("1", "1"), ("2", "2"), ("3", "3")]
    at = now(session)
    own = Match.id.in_(select(Seat.match_id).where(Seat.bot_id == luz))
    session.execute(update(Match).where(own).values(finished_at=at - timedelta(days=8)))
    since = dict.fromkeys(("since_2", "since_3", "since_4"), at - timedelta(days=7))
    monkeypatch.setattr(activity, "since", lambda _: since)
    session.commit()
    ladder = client.get("/?seats=2").text
    assert medals.findall(ladder) == [("1", "1"), ("2", "2"), ("other", "–")]
    assert re.findall(r'class="bot" href="/bots/\d+">(\w+)', ladder) == ["rey", "sol", "luz"]
    assert ladder.count(">inactive</span>") == 1
    assert "being placed, " not in ladder
    for page in ("/", "/standings", "/standings?by=2"):
        assert medals.findall(client.get(page).text)[-1] == ("other", "–")
    page = client.get(f"/bots/{luz}").text
    assert ">inactive</a> · " in page
    assert "Its next rated match gives it back." in page
    assert "Its next rated match" not in client.get(f"/bots/{rey}").text
    rows = client.get("/api/v1/standings/2").get_json()["standings"]
    assert [row["inactive"] for row in rows] == [False, False, True]
    assert client.get(f"/api/v1/bots/{luz}").get_json()["ratings"][0]["inactive"] is True
    availability.pause_for(session, luz, "too loud", bar=True)
    session.commit()
    page = client.get(f"/bots/{luz}").text
    assert "Paused by an admin" in page
    assert "inactive" not in page.lower()


def test_search_sort_and_pages(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    page = client.get("/?seats=2&sort=bot").text
    assert page.index(">ana<") < page.index(">luz<")
    assert '<th scope="col" class="" aria-sort="ascending"><a href="/?seats=2&amp;sort=bot' in page
    page = client.get("/?seats=2&sort=bot&order=reverse").text
    assert page.index(">luz<") < page.index(">ana<")
    for key in ("elo", "games", "wins", "faults"):
        page = client.get(f"/?seats=2&sort={key}").text
        turned = f'aria-sort="descending"><a href="/?seats=2&amp;sort={key}&amp;order=reverse"'
        assert page.count("aria-sort=") == page.count(turned) == 1
    page = client.get("/?seats=2&search=lu").text
    assert ">luz<" in page
    assert ">ana<" not in page
    page = client.get("/?seats=2&search=nobody").text
    assert "No bot found" in page
    assert '<a href="/?seats=2">Show all bots</a>' in page
    assert "No bot found" in client.get("/?search=%00%25").text
    for address in ("/?seats=2&page=9", "/?page=9"):
        page = client.get(address).text
        assert "No bot found" in page
        assert "There are no bots on page 9." in page
    assert client.get("/?seats=2&sort=luck").status_code == 400
    last = [client.get(f"/?page={page}").status_code for page in (10_000, 10_001)]
    assert last == [200, 400]


def test_there_is_no_ladder_for_five(client: FlaskClient) -> None:
    page = client.get("/?seats=5")
    assert page.status_code == 400
    assert "“seats” can be 2, 3, 4." in page.text


def test_pages_say_while_all_games_are_rated_anew(
    client: FlaskClient, boss: FlaskClient, session: Session
) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"]), deals=2))
    play_next(session, 1)
    pages = "/standings", "/?seats=2", "/standings/history?seats=2", "/operator"
    told = "All games are being rated anew"
    for rule in (-77, 0):  # a run's mark; a rule of another release
        session.execute(update(Ledger).values(rule=rule))
        session.commit()
        assert all(told in client.get(page).text for page in pages)
    session.commit()  # the pages may have begun a transaction of their own
    assert rebuilding.renew(session) == 2
    assert not any(told in client.get(page).text for page in pages)
