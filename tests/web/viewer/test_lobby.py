import re
from collections.abc import Callable

from flask.testing import FlaskClient
from redis import Redis
from sqlalchemy.orm import Session

from ladder.live.stream import LiveEvent
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import register, tournament
from tests.web.viewer.conftest import Told, state_of

Tell = Callable[[list[LiveEvent]], None]


def test_where_nothing_runs_the_lobby_says_what_to_do(
    client: FlaskClient, session: Session
) -> None:
    page = client.get("/live").text
    assert "No match is being played" in page
    assert "All matches" in page
    assert "Start a" not in page
    make(session, "olga", "organiser")
    sign_in(client, "olga")
    assert "Start a" in client.get("/live").text


def test_where_matches_wait_it_says_so(client: FlaskClient, session: Session) -> None:
    tournament(session, register(session, ["ana", "luz"]))
    assert "for a worker" in client.get("/live").text


def test_a_running_match_with_its_score(client: FlaskClient, told: Told, tell: Tell) -> None:
    tell(told[1][:80])
    page = client.get("/live").text
    state = state_of(told[1][79])
    assert 'href="/matches/1"' in page
    assert f"Ship {state['ship']} of 7" in page
    assert f"turn {state['turn']}" in page
    for player in state["players"]:
        assert f"{player['vp']}<span" in page


def test_the_first_page_has_the_score_beside_the_board(
    client: FlaskClient, told: Told, tell: Tell
) -> None:
    tell(told[1][:80])
    page = client.get("/").text
    assert "Being played now" in page
    held = [player["vp"] for player in state_of(told[1][79])["players"]]
    assert re.findall(r'<span class="vp">(\d+)<', page) == [str(vp) for vp in held]


def test_a_zombies_score_is_not_shown(client: FlaskClient, told: Told, tell: Tell) -> None:
    tell([e._replace(attempt=0) for e in told[1][:80]])
    assert "No moves yet" in client.get("/live").text


def test_without_redis_the_lobby_lists_the_matches(
    client: FlaskClient, told: Told, redis: Redis
) -> None:
    redis.set("santiago:live:1", "no stream")
    page = client.get("/live").text
    assert "Watch match 1" in page
    assert "No moves yet" in page


def test_news_grow_with_results(client: FlaskClient, told: Told) -> None:
    assert client.get("/live/news").get_json() == {"results": 0, "running": 1}


def test_the_list_of_matches_leads_to_the_live_page(client: FlaskClient, told: Told) -> None:
    assert "Watch match 1 live" in client.get("/tournaments/1").text
