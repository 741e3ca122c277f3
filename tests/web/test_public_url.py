"""The URL that visitors know the site by, and requests that name another host."""

import sys
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import create_environ, run_wsgi_app

from ladder.config import PUBLIC_URL, Settings
from ladder.errors import SettingsError
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import play_next, register, tournament
from tests.web.conftest import BOX, site_of
from web import create_app

PUBLIC = "https://ladder.example:8443"


# Later ones let werkzeug write such a name as it is.
ENCODED = ["xn--a", "xn--"] if sys.version_info < (3, 13) else []


@pytest.fixture
def app(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """The site under a public URL."""
    monkeypatch.setenv(PUBLIC_URL, f"{PUBLIC}/")
    with site_of(settings) as app:
        yield app


@pytest.mark.parametrize("host", ["ladder.example:8443", "ladder.example", "127.0.0.1:8000"])
def test_the_site_answers_under_its_own_name_and_on_its_machine(
    client: FlaskClient, host: str
) -> None:
    assert client.get("/healthz", base_url=f"http://{host}").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "ladder.example.evil.example", "10.0.0.1"])
@pytest.mark.parametrize("path", ["/", "/sign-in", "/api/v1/bots", "/nowhere"])
def test_under_another_name_it_answers_nothing(client: FlaskClient, host: str, path: str) -> None:
    for send in (client.get, client.post):
        answer = send(path, base_url=f"http://{host}")
        assert (answer.status_code, answer.mimetype) == (400, "text/plain")
        assert "evil" not in answer.text
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["a..b", "." * 300, *ENCODED])
@pytest.mark.parametrize("path", ["/", "/api/v1/bots", "/nowhere"])
def test_under_what_names_no_host_it_answers_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, host: str, path: str
) -> None:
    monkeypatch.delenv(PUBLIC_URL, raising=False)
    with site_of(settings) as site:
        _, status, _ = run_wsgi_app(site, create_environ(path) | {"HTTP_HOST": host})
    assert status == "400 BAD REQUEST"


def test_a_reset_link_leads_to_the_public_url(client: FlaskClient, session: Session) -> None:
    make(session, "boss", "admin")
    ana = make(session)
    sign_in(client, "boss")
    page = post(client, f"/admin/people/{ana.id}/reset-link", "/admin").text
    assert f'<code class="shown-once" id="shown-once">{PUBLIC}/reset/' in page


def test_links_to_share_lead_to_it(client: FlaskClient, session: Session) -> None:
    match = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    page = client.get(f"/matches/{match}").text
    assert f'data-link="{PUBLIC}/matches/{match}"' in page
    assert f'data-embed="{PUBLIC}/matches/{match}/embed"' in page


def test_without_it_they_lead_to_where_the_visitor_is(
    settings: Settings, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PUBLIC_URL, raising=False)
    match = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    with site_of(settings) as site:
        page = site.test_client().get(f"/matches/{match}", base_url="http://here.example").text
    assert f'data-link="http://here.example/matches/{match}"' in page


@pytest.mark.parametrize(
    "wrong",
    [
        "https://ladder..example",
        "ladder.example",
        "ftp://ladder.example",
        "https://ladder.example/a",
        "https://a b",
        "https://ladder.example:99999",
    ],
)
def test_nonsense(settings: Settings, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv(PUBLIC_URL, wrong)
    with pytest.raises(SettingsError, match=r"SANTIAGO_PUBLIC_URL is .*: give a URL without"):
        create_app(settings, BOX)
