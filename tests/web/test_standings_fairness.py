import re

from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import Match
from ladder.ratings import fairness, tallies
from ladder.ratings.tallies import Ranked
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import play_next, register, tournament


def test_before_the_first_report_it_says_when_there_is_one(client: FlaskClient) -> None:
    page = client.get("/fairness").text
    assert "No rated games at tables of 4 yet" in page
    assert client.get("/fairness?seats=5").status_code == 400


def test_each_part_says_how_to_read_it(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3, deals=2)
    for _ in range(6):
        play_next(session, cup)
    fairness.refresh(session, 3)
    session.commit()
    page = client.get("/fairness?seats=3").text
    assert page.count("How to read this: ") == 6
    assert page.count('class="middle"') == 3  # a bar for each seat
    assert 'href="/docs/fairness"' in page
    assert re.findall(r'<th scope="row">(\d)</th>', page) == ["1", "2", "3"]  # as people count
    assert "Pairs beyond 4.0 deviations are listed" in page
    assert "all were part of tournaments" in page
    assert "no pair is judged" in page
    assert "worker 1" in page
    make(session, "boss", "organiser")
    sign_in(client, "boss")
    assert '<th scope="row">tests</th>' in client.get("/fairness?seats=3").text


def test_interruptions_stand_there_by_bot(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    play_next(session, cup)
    session.execute(update(Match).where(Match.result_number == 1).values(interruptions=3))
    session.commit()
    fairness.refresh(session, 2)
    session.commit()
    page = client.get("/fairness?seats=2").text
    (part,) = re.findall(r'aria-labelledby="interrupted-title">\s*<h2.*?</section>', page, re.S)
    assert part.count('<td class="number strong">3</td>') == 2
    found = client.get("/api/v1/fairness/2").json
    assert found is not None
    assert [row["interruptions"] for row in found["interrupted"]] == [3, 3]


def test_only_pairs_that_stand_out_are_listed(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    for ana, luz in ((1, 2), (2, 1)):
        _meet(session, Ranked(1, 1, ana, False), Ranked(2, 2, luz, False))
    _report_anew(session, cup)
    page = client.get("/fairness?seats=2").text
    assert re.search(r"No pair stands out: the largest difference is 0\.\d deviations\.", page)
    assert "opponent=" not in page
    told = client.get("/api/v1/fairness/2/pairs").get_json()["pairs"]
    assert len(told) == 2, "the data has all that were judged"
    for _ in range(3):
        _meet(session, Ranked(1, 1, 1, False), Ranked(2, 2, 2, False))
    _report_anew(session, cup)
    page = client.get("/fairness?seats=2").text
    assert re.findall(r"/bots/(\d)/matches\?opponent=(\d)", page) == [("1", "2")]
    assert "No pair" not in page


def _meet(session: Session, *table: Ranked) -> None:
    """Equals have met twenty times, with these ranks."""
    for _ in range(20):
        tallies.count(session, table, [(0, 1, 0.5)])


def _report_anew(session: Session, cup: int) -> None:
    """After one more match of theirs; committed."""
    play_next(session, cup)
    fairness.refresh(session, 2)
    session.commit()
