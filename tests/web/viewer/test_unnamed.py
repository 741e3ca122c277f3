"""The site does not tell who plays a match of the ladder before it has begun."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.live.stream import LiveEvent
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.queue import queue_unrated
from ladder.model import Bot, MatchKind
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import LEASE, register
from tests.web.viewer.conftest import events_of
from tests.web.viewer.test_watching import Stream

Tell = Callable[[list[LiveEvent]], None]
PAGES = ("/matches/1", "/matches", "/live", "/api/v1/matches", "/api/v1/matches/1")


@pytest.fixture
def queued(session: Session) -> None:
    """A match of the ladder between ana and luz."""
    table = [(bot_id, bot_id) for bot_id in register(session, ["la-ana", "el-luz"])]
    queue_unrated(session, MatchKind.LADDER, table)
    session.commit()


@pytest.fixture
def claim(session: Session, queued: None) -> MatchClaim:
    """It is claimed, and may not have begun."""
    found = attempts.claim(session, MATCHES, 1, "tests", lease=LEASE)
    session.commit()
    assert found is not None
    return found


def names_nobody(client: FlaskClient) -> bool:
    """Whether no page of the match has a name; the list of matches names bots in its filter."""
    pages = [
        client.get(page).text.partition("</form>" if page == "/matches" else "\0") for page in PAGES
    ]
    texts = [after or before for before, _, after in pages]
    return not any(name in text for text in texts for name in ("la-ana", "el-luz"))


def test_no_page_names_who_waits(client: FlaskClient, queued: None) -> None:
    assert names_nobody(client)
    assert "not named before the game starts" in client.get("/matches/1").text
    assert client.get("/api/v1/matches/1").get_json()["seats"][0]["bot_id"] is None
    assert client.get("/api/v1/matches?bot=1").get_json() == {"matches": [], "next": None}
    assert "/matches/1" not in client.get("/bots/1").text
    assert "is waiting" not in client.get("/bots/1/matches").text


def test_nor_who_has_not_accepted_yet(client: FlaskClient, claim: MatchClaim) -> None:
    assert names_nobody(client)
    game = client.get("/matches/1/live/frames").get_json()
    assert [seat["label"] for seat in game["seats"]] == ["Bot 1", "Bot 2"]
    assert "la-ana" not in client.get("/matches/1/live/words").text
    assert "la-ana" not in client.get("/matches/1/live/end").text


@pytest.fixture
def author(client: FlaskClient, session: Session, queued: None) -> FlaskClient:
    """Who has one of the bots, signed in."""
    session.execute(update(Bot).where(Bot.name == "el-luz").values(user_id=make(session).id))
    session.commit()
    sign_in(client)
    return client


def test_nor_does_an_author_hear_that_an_own_bot_waits(author: FlaskClient) -> None:
    assert author.get("/matches/1/live/notes").status_code == 403


def test_nor_that_it_has_not_accepted_yet(author: FlaskClient, claim: MatchClaim) -> None:
    assert author.get("/matches/1/live/notes").status_code == 403


def test_what_it_says_comes_with_the_first_move(
    author: FlaskClient, claim: MatchClaim, tell: Tell
) -> None:
    tell(events_of(claim)[:1])
    assert author.get("/matches/1/live/notes").status_code == 200


def test_the_first_move_shows_that_it_has_begun(
    client: FlaskClient, claim: MatchClaim, tell: Tell
) -> None:
    tell(events_of(claim)[:1])
    assert "la-ana" in client.get("/matches/1").text
    assert "la-ana" in client.get("/live").text
    game = client.get("/matches/1/live/frames").get_json()
    assert [seat["label"] for seat in game["seats"]] == ["la-ana", "el-luz"]


def test_who_watches_hears_that_it_has_begun(
    client: FlaskClient, claim: MatchClaim, tell: Tell
) -> None:
    place = client.get("/matches/1/live/frames").get_json()["place"]
    stream = Stream(client, f"/matches/1/live?from={place}")
    tell(events_of(claim)[:3])
    assert stream.until("frames")["begun"] is True
    stream.close()


def test_the_operator_sees_who_waits(client: FlaskClient, session: Session, queued: None) -> None:
    make(session, "boss", "admin")
    sign_in(client, "boss")
    assert "la-ana" in client.get("/operator/matches/1").text
    assert "la-ana" in client.get("/operator").text
