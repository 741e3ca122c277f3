"""Notes of bots: only their author sees them while the game is played, everybody after it."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder import playing
from ladder.bots import versions
from ladder.live.stream import LiveEvent
from ladder.matches import results
from ladder.matches.job import MatchClaim
from referee.bot import Decision
from referee.rules import Move, parse_move
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import AnyMove, Talkative, claim_next, played, tournament
from tests.web.viewer.conftest import events_of

SAID = "The bank pays."
Tell = Callable[[list[LiveEvent]], None]


class Dreaming(AnyMove):
    """Chooses by chance, and expects moves that are not legal there."""

    def choose(self, decision: Decision) -> Move:
        decision.note(line=[parse_move("visit bank"), parse_move("drive 1")])
        return super().choose(decision)


@pytest.fixture
def claim(session: Session) -> MatchClaim:
    """A match that is played, between a bot of luz and one of eva."""
    for name in ("luz", "eva"):
        make(session, name)
    bots = [
        versions.register(
            session, name=f"{author}s", author=author, version="1", address=f"127.0.0.1:{at}"
        ).id
        for at, author in enumerate(("luz", "eva"), 5000)
    ]
    session.commit()
    return claim_next(session, tournament(session, bots))


@pytest.fixture
def luz(app: Flask, claim: MatchClaim) -> FlaskClient:
    visitor = app.test_client()
    sign_in(visitor, "luz")
    return visitor


@pytest.fixture
def eva(app: Flask, claim: MatchClaim) -> FlaskClient:
    visitor = app.test_client()
    sign_in(visitor, "eva")
    return visitor


def seat_of_luz(claim: MatchClaim) -> int:
    return [player.author for player in claim.players].index("luz")


@pytest.fixture
def said(claim: MatchClaim, tell: Tell) -> None:
    """The bot of luz has said something, and the game goes on."""
    table = [AnyMove(5), AnyMove(5)]
    table[seat_of_luz(claim)] = Talkative(5, SAID)
    tell(events_of(claim, table)[:60])


SHOWN_LIVE = (
    "/matches/1",
    "/matches/1/live/frames",
    "/matches/1/live/words",
    "/live",
    "/",
    "/api/v1/matches/1",
    "/bots/1",
)


@pytest.mark.usefixtures("said")
def test_the_author_sees_what_the_bot_says_at_once(luz: FlaskClient) -> None:
    page, part = luz.get("/matches/1"), luz.get("/matches/1/live/notes")
    assert SAID in page.text
    assert 'data-own="/matches/1/live/notes"' in page.text
    assert "only you see" in page.text
    assert SAID in part.text
    assert "60%" in part.text
    assert "<code>" in part.text
    assert "no-store" in part.headers["Cache-Control"]


@pytest.mark.usefixtures("said")
def test_nobody_else_sees_it(client: FlaskClient, eva: FlaskClient, boss: FlaskClient) -> None:
    for visitor in (client, eva, boss):
        for path in SHOWN_LIVE:
            assert SAID not in visitor.get(path).text, path
    assert eva.get("/matches/1/live/notes").status_code == 200
    assert SAID not in eva.get("/matches/1/live/notes").text
    assert boss.get("/matches/1/live/notes").status_code == 403


@pytest.mark.usefixtures("said")
def test_strangers_have_no_notes_to_see(client: FlaskClient) -> None:
    assert "data-own=" not in client.get("/matches/1").text
    assert client.get("/matches/1/live/notes").status_code == 403


def test_a_bot_that_says_nothing(luz: FlaskClient, claim: MatchClaim, tell: Tell) -> None:
    tell(events_of(claim)[:20])
    assert "They have said nothing yet." in luz.get("/matches/1").text


def test_after_the_game_everybody_sees_it(
    client: FlaskClient, luz: FlaskClient, session: Session, claim: MatchClaim
) -> None:
    table = [AnyMove(5), AnyMove(5)]
    table[seat_of_luz(claim)] = Talkative(5, SAID)
    results.finish(session, claim, playing.result(played(claim, table)))
    session.commit()
    frames = client.get("/matches/1/frames").get_json()["frames"]
    moments = [at for at, frame in enumerate(frames) if "note" in frame]
    assert {frames[at]["note"]["text"] for at in moments} == {SAID}
    assert SAID in client.get(f"/matches/1?at={moments[0]}").text
    assert SAID not in client.get("/matches/1?at=0").text
    assert luz.get("/matches/1/live/notes").status_code == 204


def test_after_the_game_the_moves_that_a_bot_expects_are_in_words(
    client: FlaskClient, session: Session, claim: MatchClaim
) -> None:
    table = [Talkative(2, ""), Talkative(2, "")]
    results.finish(session, claim, playing.result(played(claim, table)))
    session.commit()
    frames = client.get("/de/matches/1/frames").get_json()["frames"]
    noted = [at for at, frame in enumerate(frames) if "note" in frame]
    assert [frames[at]["note"]["expected"] for at in noted] == [frames[at]["text"] for at in noted]
    at, note = noted[1], frames[noted[1]]["note"]
    assert note["line"] == [frames[at]["move"]]
    part = client.get(f"/de/matches/1?at={at}").text
    said = f'<span class="quiet">Er erwartet:</span> {note["expected"]}'
    assert f'<span title="{note["line"][0]}">{said}</span>' in part
    assert f"<code>{note['line'][0]}" not in part


def test_moves_that_are_not_legal_are_shown_as_the_bot_wrote_them(
    client: FlaskClient, session: Session, claim: MatchClaim
) -> None:
    results.finish(session, claim, playing.result(played(claim, [Dreaming(5), AnyMove(5)])))
    session.commit()
    frames = client.get("/matches/1/frames").get_json()["frames"]
    at = next(at for at, one in enumerate(frames) if "note" in one and one["kind"] == "drive")
    assert frames[at]["note"]["line"] == ["visit bank", "drive 1"]
    assert not frames[at]["note"]["expected"]
    assert "<code>visit bank, drive 1</code>" in client.get(f"/matches/1?at={at}").text
