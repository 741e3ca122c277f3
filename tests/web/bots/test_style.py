from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


def test_favourites_and_points(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    assert 'href="/bots/1/style"' in client.get("/bots/1").text
    page = client.get("/bots/1/style").text
    assert "Based on its newest game without" in page
    assert "Favourite citizens" in page
    assert '<th scope="row">deliveries</th>' in page


def test_without_a_game_it_says_so(client: FlaskClient, session: Session) -> None:
    register(session, ["ana"])
    assert "No games to analyse" in client.get("/bots/1/style").text
    assert client.get("/bots/7/style").status_code == 404
