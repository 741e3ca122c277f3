import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.matches import reading
from ladder.model import Bot, BotState, Match
from tests.ladder.league import NewBot, add_bots
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import register


@pytest.fixture
def rosa(client: FlaskClient, session: Session) -> FlaskClient:
    """Signed in; bot 1 is hers, bots 2 and 3 are others'."""
    own = make(session, "rosa")
    register(session, ["ana", "luz", "rey"])
    session.get_one(Bot, 1).user_id = own.id
    session.commit()
    sign_in(client, "rosa")
    return client


def test_from_a_bots_page_to_the_match(rosa: FlaskClient, session: Session) -> None:
    assert 'href="/challenge?opponent=2"' in rosa.get("/bots/2").text
    form = "/challenge?opponent=2&search=re"
    page = rosa.get(form).text
    assert 'href="/challenge?bot=1&amp;opponent=2&amp;opponent=3#table-title"' in page
    made = post(rosa, "/challenge", form, bot="1", opponent=["2", "3"])
    assert (made.status_code, made.location) == (303, "/matches/1")
    match = reading.match(session, 1)
    assert (match.kind, match.rated, len(match.seats)) == ("challenge", False, 3)


def test_a_second_click_asks_for_the_same_match(rosa: FlaskClient, session: Session) -> None:
    def sent(opponent: str) -> str | None:
        return post(rosa, "/challenge", bot="1", opponent=opponent).location

    assert [sent("2"), sent("2"), sent("3")] == ["/matches/1", "/matches/1", "/matches/2"]
    session.get_one(Match, 1).created_at -= timedelta(seconds=6)
    session.commit()
    assert sent("2") == "/matches/3"


def test_opponents_are_offered_before_any_search(rosa: FlaskClient) -> None:
    page = rosa.get("/challenge").text
    assert all(f'href="/challenge?bot=1&amp;opponent={bot}#table-title"' in page for bot in (2, 3))
    assert "No other active bot found." in rosa.get("/challenge?search=nobody").text


def test_what_is_refused_is_said_beside_the_form(rosa: FlaskClient, session: Session) -> None:
    none = post(rosa, "/challenge", "/challenge?opponent=2", bot="1")
    assert none.status_code == 422
    assert "Choose 1 to 3 different opponents" in none.text
    session.get_one(Bot, 2).state = BotState.PAUSED
    session.commit()
    away = post(rosa, "/challenge", "/challenge", bot="1", opponent="2")
    assert away.status_code == 409
    assert "luz can&#39;t play now" in away.text
    assert "the one you chose can’t play now" in away.text


def test_only_with_own_bots(rosa: FlaskClient) -> None:
    assert post(rosa, "/challenge", "/challenge", bot="2", opponent="3").status_code == 404
    assert post(rosa, "/challenge", "/challenge", bot="x", opponent="3").status_code == 400


def test_own_bots_that_cannot_play_now_are_not_offered(rosa: FlaskClient, session: Session) -> None:
    session.get_one(Bot, 3).user_id = session.get_one(Bot, 1).user_id
    session.get_one(Bot, 1).state = BotState.PAUSED
    session.commit()
    page = rosa.get("/challenge?bot=1&opponent=2").text
    assert 'name="bot"><option value="3" selected>' in page
    session.get_one(Bot, 3).state = BotState.PAUSED
    session.commit()
    page = rosa.get("/challenge").text
    assert "None of your bots can play now" in page
    assert 'They are paused or unreachable: see <a href="/bots/mine">' in page


def test_many_own_bots_are_searched(rosa: FlaskClient, session: Session) -> None:
    new = [NewBot(f"b{number:03}", "rosa", "127.0.0.1:5999") for number in range(101)]
    last = add_bots(session, new)[-1]
    session.commit()

    def offered(query: str) -> list[str]:
        page = rosa.get(f"/challenge?opponent=2&{query}").text
        return re.findall(r'<option value="\d+"(?: selected)?>(\w+),', page)

    assert len(offered("")) == 100
    assert "b100" not in offered("")
    assert offered("own_search=100") == ["b100"]
    assert offered(f"bot={last}")[:2] == ["b100", "ana"]
    assert "Play now" in rosa.get("/challenge?opponent=2").text
    none = rosa.get("/challenge?opponent=2&own_search=nothing").text
    assert "No bot found" in none
    assert "Play now" not in none


def test_own_bots_are_searched_by_their_names_alone(rosa: FlaskClient, session: Session) -> None:
    """All of them have the same author, whose name may hold that of a bot."""
    add_bots(session, [NewBot("os", "rosa", "127.0.0.1:5999")])
    session.commit()
    page = rosa.get("/challenge?own_search=os").text
    assert re.findall(r'<option value="\d+" selected>(\w+),', page) == ["os"]


def test_without_a_bot_it_says_how_to_get_one(client: FlaskClient, session: Session) -> None:
    make(session, "rosa")
    assert client.get("/challenge").status_code in (302, 303)
    sign_in(client, "rosa")
    page = client.get("/challenge").text
    assert "None of your bots is active yet" in page
    assert 'href="/bots/submit"' in page
