"""What a bot owes, and what it missed, stands on its page, in the API and in the report."""

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import reach
from ladder.matches import misses
from ladder.matches.misses import APART, MOST, MissedCall
from ladder.model import Bot, Debt, FairnessReport, Seat
from ladder.operating import match_control
from ladder.ratings import fairness, setbacks
from tests.ladder.league import as_kind, claimed, finished, ranked, set_job
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import play_next, register, tournament

REFUSED = MissedCall("UNAVAILABLE: not now.", answered=True)


@pytest.fixture
def match_id(session: Session) -> int:
    """A match of the ladder after another one, between ana (1), who sits on seat 0, and luz (2)."""
    cup = tournament(session, register(session, ["ana", "luz"]), deals=2)
    play_next(session, cup)
    as_kind(session, "ladder")
    return 3


def refuse(session: Session, match_id: int, times: int, name: str = "luz") -> None:
    """A bot refuses the match so often, each time long after the last; committed."""
    for _ in range(times):
        claim = claimed(session, match_id)
        seat = [player.name for player in claim.players].index(name)
        misses.not_accepted(session, claim, seat, REFUSED)
        for debt in session.scalars(select(Debt)):
            debt.missed_at = debt.missed_at and debt.missed_at - APART - timedelta(seconds=1)
        reach.online(session, claim.players[seat].version_id)
        set_job(session, not_before=None)


def test_what_it_owes(client: FlaskClient, session: Session, match_id: int) -> None:
    assert "Owed and missed" not in client.get("/bots/2").text
    refuse(session, match_id, 2)
    page = client.get("/bots/2").text
    assert "It owes a match of the ladder, and plays it before any other there." in page
    assert "2 of 3 misses" in page
    assert f'href="/matches/{match_id}"' not in page  # it is not named before it begins
    assert "Owed and missed" not in client.get("/bots/1").text
    (owed,) = client.get("/api/v1/bots/2").get_json()["owed"]
    assert (owed["seats"], owed["misses"]) == (2, 2)
    assert (
        "It is waiting for a worker, and for all its bots."
        in client.get(f"/matches/{match_id}").text
    )


def test_what_it_lost(client: FlaskClient, session: Session, match_id: int) -> None:
    refuse(session, match_id, MOST)
    page = client.get("/bots/2").text
    assert "It owes" not in page
    assert re.search(rf'href="/matches/{match_id}">Match {match_id}</a>.*3 calls.*lost', page)
    (missed,) = client.get("/api/v1/bots/2").get_json()["missed"]
    assert (missed["match_id"], missed["calls"], missed["lost"]) == (match_id, 3, True)
    page = client.get(f"/matches/{match_id}").text
    assert "luz was called three times, at least ten minutes apart, and answered" in page
    assert "The ratings of the others do not change." in page
    (entry,) = (
        entry
        for entry in client.get("/api/v1/bots/2/ratings?seats=2").get_json()["entries"]
        if entry["match_id"] == match_id
    )
    assert entry["kind"] == "missed"
    assert entry["after_milli"] < entry["before_milli"]


def told_of(client: FlaskClient, bot_id: int, match_id: int) -> str:
    """What the page of a bot says at the end of the line about a match that it missed."""
    line = re.search(rf">Match {match_id}</a>(.*?)</li>", client.get(f"/bots/{bot_id}").text)
    assert line is not None
    return line[1].rpartition("· ")[2]


def test_what_another_bot_lost_was_not_played(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    refuse(session, match_id, 1, "ana")
    refuse(session, match_id, MOST)
    assert told_of(client, 1, match_id) == "not played"
    assert told_of(client, 2, match_id) == "<strong>lost</strong>"
    finished(session, match_id + 1, ranked(1, 2))
    session.execute(update(Seat).where(Seat.match_id == match_id + 1).values(misses=1))
    session.commit()
    assert told_of(client, 1, match_id + 1) == "played in the end"


def test_a_loss_that_was_annulled_is_none(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    refuse(session, match_id, MOST)
    loses = "It loses as if it had ranked last."
    assert loses in client.get(f"/matches/{match_id}").text
    match_control.annul(session, None, match_id, "Our router was down.")
    session.commit()
    assert told_of(client, 2, match_id) == "not played"
    assert not client.get("/api/v1/bots/2").get_json()["missed"][0]["lost"]
    assert [row.lost for row in setbacks.misses(session, 2)] == [0]
    page = client.get(f"/matches/{match_id}").text
    assert "Annulled: Our router was down." in page
    assert loses not in page


def test_the_log_says_that_a_loss_was_annulled(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    refuse(session, match_id, MOST)
    match_control.annul(session, None, match_id, "Our router was down.")
    session.get_one(Bot, 2).user_id = make(session, "eva").id
    session.commit()
    sign_in(client, "eva")
    page = client.get("/bots/2/log").text
    assert "Lost without a game" in page
    assert "Annulled: Our router was down." in page


def test_the_report_counts_both(client: FlaskClient, session: Session, match_id: int) -> None:
    refuse(session, match_id, MOST)
    refuse(session, match_id + 1, 1)
    assert setbacks.misses(session, 2) == [setbacks.BotMisses(2, "luz", 2, 4, 1, 1)]
    fairness.refresh(session, 2)
    session.commit()
    page = client.get("/fairness?seats=2").text
    assert 'id="missed-title"' in page
    told = client.get("/api/v1/fairness/2").get_json()["missed"]
    assert told == [{"bot_id": 2, "name": "luz", "matches": 2, "calls": 4, "lost": 1, "owed": 1}]


def test_a_report_from_before_can_be_read(session: Session, match_id: int) -> None:
    fairness.refresh(session, 2)
    session.commit()
    stored = session.get_one(FairnessReport, 2)
    old = re.sub(r', "missed": \[\]', "", stored.report)
    assert old != stored.report
    session.execute(update(FairnessReport).values(report=old))
    session.commit()
    found = fairness.newest_report(session, 2)
    assert found is not None
    assert found.report.missed == ()
