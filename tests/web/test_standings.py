from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


def test_without_a_game_the_page_says_how_to_get_one(client: FlaskClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "No rated game with 2 seats yet" in page.text
    assert "santiago demo" in page.text


def test_shows_the_ladder_of_the_first_table_size_that_has_one(
    client: FlaskClient, session: Session
) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz", "rey"]), seats=3))
    page = client.get("/").text
    assert '<a href="/?seats=3" aria-current="page">3 seats</a>' in page
    assert all(name in page for name in ("ana", "luz", "rey"))
    assert "compay · v1" in page


def test_each_table_size_has_its_ladder(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    assert "ana" in client.get("/?seats=2").text
    assert "No rated game with 4 seats yet" in client.get("/?seats=4").text


def test_links_to_what_was_just_played(client: FlaskClient, session: Session) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    assert f'href="/matches/{match_id}"' in client.get("/").text


def test_there_is_no_ladder_for_five(client: FlaskClient) -> None:
    page = client.get("/?seats=5")
    assert page.status_code == 400
    assert "“seats” can be 2, 3, 4." in page.text
