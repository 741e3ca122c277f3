"""The page of buildings and first stops in numbers."""

from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.ratings import fairness
from tests.web.arena import play_next, register, tournament


def test_it_shows_the_newest_report(client: FlaskClient, session: Session) -> None:
    assert "No numbers for tables of 2 yet" in client.get("/habits?seats=2").text
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    fairness.refresh(session, 2)
    session.commit()
    page = client.get("/habits?seats=2").text
    assert "From the newest rated game" in page
    assert page.count("<tbody>") == 2
    assert "Bank" in page
    assert 'href="/habits?seats=2"' in client.get("/?seats=2").text
