from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


def test_without_a_tournament_the_page_says_how_to_start_one(client: FlaskClient) -> None:
    assert "No tournament yet" in client.get("/tournaments").text


def test_lists_tournaments_with_how_far_they_are(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), name="Copa Oriente")
    play_next(session, cup)
    page = client.get("/tournaments").text
    assert f'<a href="/tournaments/{cup}">Copa Oriente</a>' in page
    assert "1 of 2" in page


def test_a_tournament_before_its_first_result(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    page = client.get(f"/tournaments/{cup}").text
    assert f'data-progress="/api/v1/tournaments/{cup}/progress"' in page
    assert "tournaments/progress.js" in page


def test_a_finished_tournament(client: FlaskClient, session: Session) -> None:
    ana, luz = register(session, ["ana", "luz"])
    cup = tournament(session, [ana, luz])
    played = [play_next(session, cup) for _ in range(2)]
    page = client.get(f"/tournaments/{cup}").text
    assert "tournaments/progress.js" not in page
    assert '<b data-count="finished">2</b>' in page
    assert all(f'href="/bots/{bot}"' in page for bot in (ana, luz))
    assert all(f'href="/matches/{match}"' in page for match in played)


def test_an_unknown_tournament(client: FlaskClient) -> None:
    page = client.get("/tournaments/9")
    assert page.status_code == 404
    assert "There is no tournament 9." in page.text
