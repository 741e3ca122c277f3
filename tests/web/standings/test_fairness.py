import re

from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.ratings import reports
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import play_next, register, tournament


def test_before_the_first_report_it_says_when_there_is_one(client: FlaskClient) -> None:
    page = client.get("/fairness").text
    assert "No rated game at tables of 4 yet" in page
    assert client.get("/fairness?seats=5").status_code == 400


def test_each_part_says_how_to_read_it(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3, deals=2)
    for _ in range(6):
        play_next(session, cup)
    reports.keep(session, 3)
    session.commit()
    page = client.get("/fairness?seats=3").text
    assert page.count("Read: ") == 6
    assert page.count('class="middle"') == 3  # a bar for each seat
    assert 'href="/docs/fairness"' in page
    assert re.findall(r'<th scope="row">(\d)</th>', page) == ["1", "2", "3"]  # as people count
    assert "Marked are 4.0 deviations and more" in page
    assert "all were of tournaments" in page
    assert "no pair is judged" in page
    assert "worker 1" in page
    make(session, "boss", "organiser")
    sign_in(client, "boss")
    assert '<th scope="row">tests</th>' in client.get("/fairness?seats=3").text
