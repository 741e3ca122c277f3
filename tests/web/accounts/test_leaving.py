"""Who leaves is named nowhere any more, in no page and in no replay."""

import json

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.matches import reading
from ladder.people import tickets
from ladder.ratings import fairness
from referee.replay import read, verify
from tests.web.accounts.visitors import PASSWORD, post, sign_in
from tests.web.arena import play_next, register, tournament

PAGES = (
    *("/", "/bots/1", "/matches", "/matches/1", "/matches/1/words", "/tournaments/1"),
    *("/fairness?seats=3", "/api/v1/fairness/3"),
)


@pytest.fixture
def compay(client: FlaskClient, session: Session) -> FlaskClient:
    """A browser of the author of two bots that have played; a third one is another author's."""
    ids = register(session, ["ana", "luz"])
    other = versions.register(
        session, name="rey", author="omara", version="1", address="127.0.0.1:1"
    )
    cup = tournament(session, [*ids, other.id], seats=3)
    play_next(session, cup)
    ticket = tickets.make_reset_link(session, None, 1).ticket
    tickets.use_reset_link(session, ticket, PASSWORD)
    session.commit()
    fairness.refresh(session, 3)
    session.commit()
    sign_in(client, "compay")
    return client


def test_no_page_and_no_replay_names_who_has_left(compay: FlaskClient, session: Session) -> None:
    before = read(reading.replay(session, 1))
    session.commit()
    assert sorted(seat.author for seat in before.seats) == ["compay", "compay", "omara"]
    for page in ("/bots/1", "/fairness?seats=3", "/api/v1/fairness/3"):
        assert "compay" in compay.get(page).text
    assert post(compay, "/account/leave", password=PASSWORD).status_code == 303
    for page in PAGES:
        answer = compay.get(page)
        assert answer.status_code == 200, page
        assert "compay" not in answer.text, page
    after = read(compay.get("/matches/1/replay.santiago").data)
    assert sorted(seat.author for seat in after.seats) == ["deleted-1", "deleted-1", "omara"]
    verify(after)
    assert after.entries == before.entries
    frames = json.loads(compay.get("/api/v1/matches/1/frames").data)
    assert {seat["author"] for seat in frames["seats"]} == {"deleted-1", "omara"}
