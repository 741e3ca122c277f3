import re
from html import unescape

from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.model import Bot
from tests.ladder.league import NewBot, add_bots
from tests.web.arena import AnyMove, GivesUp, play_next, register, tournament

TWINS = ("mojito", "ana"), ("mojito", "luz")
"""Bots of one name, with their authors."""


def test_a_bot_without_a_game(client: FlaskClient, session: Session) -> None:
    (bot,) = register(session, ["ana"])
    page = client.get(f"/bots/{bot}").text
    assert "No rated games yet" in page
    assert "has no results yet" in page


def test_who_is_open_to_people_is_played_from_its_page(
    client: FlaskClient, session: Session
) -> None:
    (bot,) = register(session, ["ana"])
    link = 'href="/play?search=ana">Play against ana</a>'
    assert link not in client.get(f"/bots/{bot}").text
    session.get_one(Bot, bot).open_to_people = True
    session.commit()
    assert link in client.get(f"/bots/{bot}").text
    offered = client.get("/play?search=ana").text
    assert re.findall(r'<option value="(\d+)"', offered)[0] == str(bot)


def test_places_rating_opponents_and_matches(client: FlaskClient, session: Session) -> None:
    ana, luz = register(session, ["ana", "luz"])
    cup = tournament(session, [ana, luz])
    first, second = play_next(session, cup), play_next(session, cup)
    page = client.get(f"/bots/{ana}").text
    assert "<polyline" in page
    assert f'href="/bots/{luz}"' in page
    assert f'href="/matches/{first}"' in page
    assert f'href="/matches/{second}"' in page
    assert re.search(r"\d+ <span class=.plus-minus.>±", page)
    assert re.search(r"being placed</a>, rank after about \d+ more games · 2 games with", page)
    _, by_seat = page.split("Won by seat, over all versions")
    assert 'title="seat 1: 1 game"' in by_seat
    assert "in the median match" in page
    assert "No faults." in page
    assert '<span class="state state-active">active</span>' in page
    assert page.index('id="versions-title"') < page.index('id="latest-title"')


def test_results_come_before_matches_that_wait(client: FlaskClient, session: Session) -> None:
    ana, luz = register(session, ["ana", "luz"])
    cup = tournament(session, [ana, luz], deals=10)
    assert "are unrated, or not over" in client.get(f"/bots/{ana}").text
    played = play_next(session, cup)
    latest = client.get(f"/bots/{ana}").text.partition('id="latest-title"')[2]
    assert dict.fromkeys(re.findall(r'href="/matches/(\d+)"', latest)) == {str(played): None}


def test_neighbours_at_larger_tables(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz", "rey"]), seats=3))
    assert "Who moves before it" in client.get("/bots/1").text


def test_bots_of_one_name_that_it_met_are_told_apart(client: FlaskClient, session: Session) -> None:
    mine, *twins = add_bots(
        session, [NewBot(*bot, "127.0.0.1:5000") for bot in (("rum", "rey"), *TWINS)]
    )
    session.commit()
    cup = tournament(session, [mine, *twins], seats=3)
    for _ in range(3):
        play_next(session, cup)
    neighbours = client.get(f"/bots/{mine}").text.partition('id="neighbours-title"')[2]
    filters = client.get(f"/bots/{mine}/matches").text
    assert any(f'mojito</a><span class="by">{who}</span>' in neighbours for _, who in TWINS)
    assert all(f">mojito ({who})</option>" in filters for _, who in TWINS)


def test_faults_stand_on_the_page_with_the_match(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    match_id = play_next(session, cup, [GivesUp(3), AnyMove(1)])
    pages = [client.get(f"/bots/{bot}").text for bot in (1, 2)]
    assert (
        sum(f': 1 of 1 matches, most recently in <a href="/matches/{match_id}"' in p for p in pages)
        == 1
    )


def test_matches_by_filters(client: FlaskClient, session: Session) -> None:
    ana, luz, rey = register(session, ["ana", "luz", "rey"])
    two = play_next(session, tournament(session, [ana, luz]))
    three = play_next(session, tournament(session, [ana, luz, rey], seats=3))

    def shown(query: str) -> list[bool]:
        page = client.get(f"/bots/{ana}/matches?{query}").text
        return [f'<a class="watch" href="/matches/{match}"' in page for match in (two, three)]

    assert shown("") == [True, True]
    assert shown(f"opponent={rey}") == [False, True]
    assert shown("seats=2") == [True, False]
    assert shown("kind=tournament&seats=3") == [False, True]
    assert shown("kind=ladder") == [False, False]
    assert shown(f"before={three}") == [True, False]
    page = client.get(f"/bots/{ana}/matches?faults=1&seats=3").text
    assert "No match found" in page
    for name, chosen in (("faults", "1"), ("seats", "3")):
        of_form = page.partition(f'<select name="{name}">')[2].partition("</select>")[0]
        assert f'value="{chosen}" selected' in of_form
    assert client.get(f"/bots/{ana}/matches?kind=friendly").status_code == 400


def test_an_unknown_bot(client: FlaskClient) -> None:
    page = client.get("/bots/77")
    assert page.status_code == 404
    assert "There is no bot 77." in page.text
    assert '<a href="/">To the home page</a>' in page.text
    assert client.get("/bots/77/matches").status_code == 404


def test_a_number_too_large_for_any_bot(client: FlaskClient) -> None:
    assert client.get(f"/bots/{2**40}").status_code == 404


def test_versions_come_page_by_page(client: FlaskClient, session: Session) -> None:
    for number in range(25):
        versions.register(
            session, name="ana", author="ana", version=f"{number}", address="127.0.0.1:4999"
        )
        session.commit()
    newest = client.get("/bots/1?all=1").text
    assert len(re.findall(r"<strong>\d+</strong>", newest)) == 20
    older = re.findall(r'rel="next" href="(/bots/1\?before=\d+&amp;all=1#versions-title)"', newest)
    shown = client.get(unescape(older[0])).text
    assert re.findall(r"<strong>(\d+)</strong>", shown) == ["4", "3", "2", "1", "0"]
    assert 'href="/bots/1?all=1#versions-title">Newest</a>' in shown
    assert 'rel="next"' not in shown


def test_of_many_versions_the_older_ones_are_folded(client: FlaskClient, session: Session) -> None:
    for number in range(5):
        versions.register(
            session, name="ana", author="ana", version=f"{number}", address="127.0.0.1:4999"
        )
        session.commit()
    newest, older = client.get("/bots/1").text.split("<summary>Older</summary>")
    assert re.findall(r"<strong>(\d)</strong>", newest) == ["4", "3", "2"]
    assert re.findall(r"<strong>(\d)</strong>", older) == ["1", "0"]
