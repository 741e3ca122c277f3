import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import FairnessReport, Match
from ladder.ratings import fairness
from ladder.ratings.collusion import PairRecord
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


def test_pairs_are_listed_by_two_signs_and_admins_see_all(
    client: FlaskClient, session: Session
) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    play_next(session, cup)
    made = fairness.make(session, 2)
    session.rollback()
    helped = PairRecord(
        20, 19.0, 10.0, 3, 1.5, 0, 0.0, 1, "ana", 2, "luz", 5.3, 5.3, None, 6.5, 7.8, "tribute"
    )
    path = "/fairness?seats=2"
    _store(session, replace(made, pairs=(replace(helped, noted=True),)))
    page = client.get(path).text
    assert "No pair is unusual in two ways" in page
    assert "opponent=" not in page
    assert "5.3" not in page
    assert client.get("/api/v1/fairness/2/pairs").get_json() == {"pairs": []}
    make(session, "boss", "admin")
    sign_in(client, "boss")
    page = client.get(path).text
    assert re.findall(r"\+(\d\.\d)</td>", page) == ["5.3", "6.5", "7.8"]
    _store(session, replace(made, pairs=(replace(helped, noted=True, shown=True),)))
    assert re.findall(r"/bots/(\d)/matches\?opponent=(\d)", client.get(path).text) == [("1", "2")]
    (told,) = client.get("/api/v1/fairness/2/pairs").get_json()["pairs"]
    assert (told["name"], told["opponent"], told["paid"]) == ("ana", "luz", 7.8)


def _store(session: Session, report: fairness.LadderReport) -> None:
    """Store a report as if it had been computed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fairness, "make", lambda *_: report)
        session.execute(update(FairnessReport).values(last_result=-1))
        session.commit()
        assert fairness.refresh(session, report.seats)
        session.commit()
