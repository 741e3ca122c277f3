"""What browsers and search engines ask for unbidden."""

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament


def test_the_sitemap_names_pages_that_everybody_can_open(
    client: FlaskClient, session: Session
) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    named = client.get("/robots.txt", base_url="https://arena.example").text
    address = re.findall(r"Sitemap: (\S+)", named)
    assert address == ["https://arena.example/sitemap.xml"]
    answer = client.get(address[0])
    assert answer.mimetype == "application/xml"
    paths = re.findall(r"<loc>https://arena.example(/[^<]*)</loc>", answer.text)
    assert {"/", "/?seats=3", "/rules", "/docs/api", "/bots/1", "/matches/1"} < set(paths)
    answers = {path: client.get(path) for path in paths}
    assert {(one.status_code, one.mimetype) for one in answers.values()} == {(200, "text/html")}
    assert not [path for path, one in answers.items() if 'content="noindex"' in one.text]


@pytest.mark.parametrize("path", ["/favicon.ico", "/apple-touch-icon.png"])
def test_icons(client: FlaskClient, path: str) -> None:
    with client.get(path, follow_redirects=True) as answer:
        assert answer.mimetype == "image/png"
        assert answer.data.startswith(b"\x89PNG")


@pytest.mark.parametrize(("path", "start"), [("/de/", "/de/"), ("/", "/")])
def test_a_phone_opens_the_site_in_the_language_of_the_page(
    client: FlaskClient, path: str, start: str
) -> None:
    page = client.get(path)
    found = re.search(r'<link rel="manifest" href="([^"]+)">', page.text)
    assert found is not None
    told = client.get(found[1])
    assert told.mimetype == "application/manifest+json"
    manifest = told.get_json(force=True)
    assert manifest["start_url"] == start
    assert manifest["lang"] == page.headers["Content-Language"]
    for icon in manifest["icons"]:
        with client.get(icon["src"]) as answer:
            assert answer.mimetype == icon["type"]
    assert "manifest-src 'self'" in page.headers["Content-Security-Policy"]
