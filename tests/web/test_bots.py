from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


def test_a_bot_without_a_game(client: FlaskClient, session: Session) -> None:
    (bot,) = register(session, ["ana"])
    page = client.get(f"/bots/{bot}").text
    assert "No rated game yet" in page
    assert "It needs a place in a tournament" in page


def test_places_rating_opponents_and_matches(client: FlaskClient, session: Session) -> None:
    ana, luz = register(session, ["ana", "luz"])
    cup = tournament(session, [ana, luz])
    first, second = play_next(session, cup), play_next(session, cup)
    page = client.get(f"/bots/{ana}").text
    assert "<polyline" in page
    assert f'href="/bots/{luz}"' in page
    assert f'href="/matches/{first}"' in page
    assert f'href="/matches/{second}"' in page


def test_an_unknown_bot(client: FlaskClient) -> None:
    page = client.get("/bots/77")
    assert page.status_code == 404
    assert "There is no bot 77." in page.text


def test_a_number_too_large_for_any_bot(client: FlaskClient) -> None:
    assert client.get(f"/bots/{2**40}").status_code == 404
