"""The lesson: a stranger learns the game step by step, in each language, and goes on to a game."""

import json
import re
from html import unescape
from itertools import pairwise

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.ladder.bots.authors import house_bot
from tests.web.accounts.visitors import post
from web.languages import LANGUAGES, gettext
from web.lesson.script import STEPS

PART = {"part": "1"}


def address(number: int, code: str = "en") -> str:
    return f"/{code}/learn" + (f"/{number}" if number > 1 else "")


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_lesson_leads_to_a_game(
    app: Flask, client: FlaskClient, session: Session, code: str
) -> None:
    bot = house_bot(session, "easy")
    page = f"/{code}/learn"
    for number, step in enumerate(STEPS, 1):
        text = unescape(client.get(page, query_string=PART).text)
        with app.test_request_context(headers={"Accept-Language": code}):
            assert f"{gettext(step.says)} <strong>{gettext(step.asks)}</strong>" in text
        if step.move is not None:
            assert f'value="{step.move}" class="hinted"' in text
            answer = client.get(page, query_string={"move": step.move})
            assert answer.status_code == 303
            assert answer.location == address(number + 1, code)
        page = address(number + 1, code)
    assert f'name="opponent" value="{bot}"' in text
    sent = dict(re.findall(r'type="hidden" name="(opponent|pace|key)" value="([^"]*)"', text))
    opened = [post(client, f"/{code}/play", **sent).location for _ in "12"]
    assert opened == [f"/{code}/play/{sent['key']}"] * 2, "a form that comes twice opens one game"


def test_another_legal_move_is_answered_and_not_made(client: FlaskClient) -> None:
    for number, step in enumerate(STEPS, 1):
        text = client.get(address(number), query_string=PART).text
        moves = set(re.findall(r'name="move" value="([^"]+)"', text))
        assert (step.move in moves) == bool(moves)
        for move in moves - {step.move}:
            answer = client.get(address(number), query_string={**PART, "move": move})
            assert step.otherwise in unescape(answer.text)
            assert f'value="{step.move}" class="hinted"' in answer.text
    assert 'role="alert"' not in client.get(address(2), query_string={"move": "drive 99"}).text


def test_no_step_says_that_the_pawn_moves_after_every_citizen() -> None:
    """B2: it stays where it is after El Zorro, who comes two steps later."""
    assert not [step.says for step in STEPS if "every citizen" in step.says]


def test_each_step_has_the_apostrophes_of_other_pages() -> None:
    assert not [text for step in STEPS for text in (step.says, step.asks) if "'" in text]
    assert not [step.otherwise for step in STEPS if "'" in step.otherwise]


def test_the_board_shows_the_game_up_to_the_step_and_no_more(client: FlaskClient) -> None:
    pages = [client.get(address(number)).text for number in (1, 2, len(STEPS))]
    assert [text.count('content="noindex"') for text in pages] == [0, 1, 1]
    assert "Learn the game" in pages[0]
    games = [json.loads(client.get(f"/learn/{n}/frames").text) for n in range(1, len(STEPS) + 1)]
    told = [[frame["text"] for frame in game["frames"]] for game in games]
    assert told[1][-1].startswith("Carmen leaves citrus ashore")
    assert told[12][-1] == "Forty turns later the last ship is in the harbour."
    for before, after in pairwise(told):
        assert after[: len(before)] == before
    assert [score["vp"] for score in games[-1]["result"]["scores"]] == [48, 47]
    assert client.get(f"/learn/{len(STEPS) + 1}").status_code == 404


def test_without_house_bots_the_lesson_ends_at_the_page_of_games(client: FlaskClient) -> None:
    assert 'href="/en/play"' in client.get(address(len(STEPS)), query_string=PART).text


def test_the_lesson_is_found(client: FlaskClient) -> None:
    for page in ("/", "/play", "/rules", "/sitemap.xml"):
        assert "/learn" in client.get(page).text, page
