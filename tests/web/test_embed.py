"""The viewer alone, for frames on other sites."""

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


@pytest.fixture(autouse=True)
def _one_played_one_queued(session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))


def test_all_sites_may_frame_the_viewer_and_nothing_else(client: FlaskClient) -> None:
    framed = client.get("/matches/1/embed").headers
    assert framed["Content-Security-Policy"].endswith("; frame-ancestors *")
    assert "X-Frame-Options" not in framed
    for path in ("/matches/1", "/matches/1/words", "/"):
        headers = client.get(path).headers
        assert headers["Content-Security-Policy"].endswith("; frame-ancestors 'none'")
        assert headers["X-Frame-Options"] == "DENY"


def test_but_for_frames_it_is_protected_like_any_page(client: FlaskClient) -> None:
    framed, page = (client.get(path).headers for path in ("/matches/1/embed", "/matches/1"))
    different = {"X-Frame-Options", "Content-Length"}
    assert {name for name, _ in page} - {name for name, _ in framed} == {"X-Frame-Options"}
    for name, value in page:
        if name not in different:
            assert framed[name] == value.replace("frame-ancestors 'none'", "frame-ancestors *")


def test_it_sets_no_cookie_and_asks_nobody_to_sign_in(client: FlaskClient) -> None:
    answer = client.get("/matches/1/embed?at=12")
    assert "Set-Cookie" not in answer.headers
    assert "sign-in" not in answer.text
    assert 'data-replay="' in answer.text


@pytest.mark.parametrize(
    ("asked", "theme"), [("?theme=dark", "dark"), ("?theme=light", "light"), ('?theme="x', None)]
)
def test_a_page_may_choose_light_or_dark(
    client: FlaskClient, asked: str, theme: str | None
) -> None:
    found = re.search(r'<html[^>]* data-theme="(.*?)"', client.get(f"/matches/1/embed{asked}").text)
    assert (found[1] if found else None) == theme


def test_a_match_without_a_replay_says_so_in_the_frame(client: FlaskClient) -> None:
    answer = client.get("/matches/2/embed")
    assert answer.headers["Content-Security-Policy"].endswith("; frame-ancestors *")
    assert "This match has not started yet." in answer.text
    assert 'href="/matches/2"' in answer.text


def test_the_snippet_has_the_address_under_which_the_site_is_known(client: FlaskClient) -> None:
    page = client.get("/matches/1", base_url="https://arena.example").text
    assert 'data-embed="https://arena.example/matches/1/embed"' in page
    assert "&lt;iframe src=&#34;https://arena.example/matches/1/embed&#34;" in page
