import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament

SCRIPT = "<script>alert(1)</script>"
EVERY_PAGE = (
    "/",
    "/matches",
    "/matches/1",
    "/matches/1/words",
    "/matches/2",
    "/tournaments",
    "/tournaments/1",
    "/bots/1",
    "/nowhere",
    "/matches?bot=x",
)


@pytest.fixture
def mischief(session: Session) -> None:
    """One played and one queued match, with names that try to be scripts."""
    cup = tournament(session, register(session, [f"ana{SCRIPT}", "luz{0}"]), name=f"Copa{SCRIPT}")
    play_next(session, cup)


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_names_are_text_and_nothing_is_inline(
    client: FlaskClient, mischief: None, path: str
) -> None:
    page = client.get(path).text
    assert SCRIPT not in page
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"<[^>]*\s(style|on\w+)=", page)
    assert "<style" not in page
    elsewhere = page.replace('href="http://localhost/', 'href="/')  # its own whole addresses
    assert not re.search(r"(src|href)=\"(https?:)?//", elsewhere)


@pytest.mark.parametrize("path", [*EVERY_PAGE, "/api/v1/matches/1/frames", "/static/site/page.css"])
def test_headers(client: FlaskClient, mischief: None, path: str) -> None:
    with client.get(path) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("path", [*EVERY_PAGE, "/live/news", "/healthz", "/api/v1/matches"])
def test_caches_ask_before_they_reuse_what_may_change(
    client: FlaskClient, mischief: None, path: str
) -> None:
    assert client.get(path).headers["Cache-Control"] == "no-cache"


def test_what_breaks_is_told_without_details(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise ZeroDivisionError("a secret")

    app.testing = False
    app.view_functions["search.page"] = broken
    answer = app.test_client().get("/search")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.text
    assert "secret" not in answer.text


def test_a_method_that_is_not_there(client: FlaskClient) -> None:
    assert client.post("/matches").status_code == 405


@pytest.mark.parametrize(
    ("page", "back"),
    [
        ("http://localhost/de/matches?bot=1", "/de/matches?bot=1"),
        ("http://localhost/de/tournaments/9", None),  # the refused page in another language
        ("http://localhost/tournaments/9/forfeits", None),  # of a form alone
        ("http://localhost/nowhere", None),
        ("http://localhost.evil.example/matches", None),
        ("http://localhost@evil.example/matches", None),
        ("http://localhost//evil.example/matches", None),
        ("http://localhost/\\evil.example/matches", None),
        ("javascript:alert(1)", None),
    ],
)
def test_a_refusal_leads_back_to_a_page_of_this_site(
    client: FlaskClient, page: str, back: str | None
) -> None:
    refusal = client.get("/tournaments/9", headers={"Referer": page})
    found = re.search(r'href="([^"]*)">Back<', refusal.text)
    assert (refusal.status_code, found and found[1]) == (404, back)


def test_a_refused_form_leads_back_to_its_own_page(client: FlaskClient) -> None:
    page = "http://localhost/sign-in"
    assert 'href="/sign-in">Back<' in client.post("/sign-in", headers={"Referer": page}).text
