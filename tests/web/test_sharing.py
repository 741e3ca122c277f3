"""What messengers show beside a link: a title, a sentence and a picture of that very page."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.ladder.contests.tournaments.cups import go_on
from tests.web.arena import AnyMove, GivesUp, open_puzzle, play_next, register, tournament
from web.drawing import poster

SITE = "https://arena.example"


def card(client: FlaskClient, path: str) -> dict[str, str]:
    """The card of a page by the names of its parts, without "og:"."""
    page = client.get(path, base_url=SITE).text
    found = re.findall(r'<meta property="og:([^"]+)" content="([^"]*)">', page)
    return {name: unescape(text) for name, text in found}


def test_a_link_to_a_moment_shows_it_and_nothing_of_what_follows(
    client: FlaskClient, session: Session
) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    whole, moment = (card(client, f"/matches/{match_id}{at}") for at in ("", "?at=2"))
    assert re.fullmatch(r"\w+ \d+ VP, \w+ \d+ VP", whole["description"])
    assert moment["description"].startswith("Setup · Ship 1: ")
    assert moment["image"] == f"{whole['image']}?at=2"
    assert moment["url"] == f"{whole['url']}?at=2"
    page = client.get(f"/matches/{match_id}?at=2", base_url=SITE).text
    assert f'<link rel="canonical" href="{whole["url"]}">' in page
    pictures = [client.get(one["image"].removeprefix(SITE)) for one in (whole, moment)]
    assert {picture.mimetype for picture in pictures} == {"image/png"}
    assert pictures[0].data != pictures[1].data


def test_the_picture_of_a_forfeited_game_has_ranks_in_place_of_points(
    client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poster, "png", str.encode)
    cup = tournament(session, register(session, ["ana", "luz"]))
    given_up, played = (
        play_next(session, cup, [first, AnyMove(1)]) for first in (GivesUp(3), AnyMove(2))
    )
    for match_id, points in ((given_up, r"Rank [12]"), (played, r"\d+ VP")):
        drawn = client.get(f"/matches/{match_id}/board.png").text
        assert len(re.findall(f">{points}<", drawn)) == 2


def test_bots_and_tournaments_tell_how_they_stand(client: FlaskClient, session: Session) -> None:
    bots = register(session, ["ana", "luz"])
    cup = tournament(session, bots, name="Copa", deals=1)
    for _ in range(2):
        play_next(session, cup)
    go_on(session)
    told = card(client, f"/bots/{bots[0]}")["description"]
    assert re.fullmatch(r"Bot · .+ · 2 seats: Elo \d+ ± \d+", told)
    told = card(client, f"/tournaments/{cup}")["description"]
    assert re.fullmatch(r"Round robin · 2 seats · finished · 1 \w+ · [12] \w+", told)


def test_a_puzzle_shows_its_position(client: FlaskClient, session: Session) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    puzzle = open_puzzle(session, match_id)
    image = card(client, f"/puzzles/{puzzle.id}")["image"]
    assert re.fullmatch(rf"{SITE}/matches/{match_id}/board\.png\?at=\d+", image)
