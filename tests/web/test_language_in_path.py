"""Addresses that begin with a language: they decide it, and their links lead on in it."""

import re

import pytest
from flask import Flask, url_for
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import play_next, register, tournament
from web.addresses import PLAIN
from web.languages import LANGUAGES

_LINK = re.compile(r'(?:href|action|src|data-replay)="(/[^"]*)"')
_ALTERNATE = re.compile(r'<link rel="alternate" hreflang="([\w-]+)" href="([^"]*)">')


@pytest.fixture(autouse=True)
def _a_match(session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_counts_more_than_the_cookie_and_the_browser(client: FlaskClient, code: str) -> None:
    client.set_cookie("language", "en" if code == "de" else "de")
    answer = client.get(f"/{code}/matches", headers={"Accept-Language": "es"})
    assert f'<html lang="{code}">' in answer.text
    assert answer.headers["Content-Language"] == code
    assert "Accept-Language" not in answer.vary


@pytest.mark.parametrize("path", ["/", "/matches/1", "/docs/write-a-bot", "/rules", "/sign-in"])
def test_links_stay_in_it_but_those_to_what_has_no_language(client: FlaskClient, path: str) -> None:
    links = set(_LINK.findall(client.get(f"/fr{path}").text))
    assert len(links) > 10
    assert {link for link in links if not link.startswith("/fr/")} == {
        link for link in links if link.startswith(PLAIN)
    }
    assert {link for link in links if link.startswith("/fr/static/")} == set()


@pytest.mark.parametrize("path", ["/matches", "/rules", "/sign-in"])
def test_the_head_alone_has_the_length_of_the_page(client: FlaskClient, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]
    assert not head.data


def test_a_path_without_it_has_links_without_it(client: FlaskClient) -> None:
    client.set_cookie("language", "fr")
    page = client.get("/matches/1").text
    assert '<html lang="fr">' in page
    assert not [link for link in _LINK.findall(page) if link.startswith("/fr")]


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/matches/1?at=0", "/matches/1"),
        ("/?seats=2&sort=wins&page=1", "/?seats=2"),
        ("/it/?seats=2", "/it/?seats=2"),
        ("/en/matches/1", "/en/matches/1"),
    ],
)
def test_a_page_names_itself_and_the_other_languages(
    client: FlaskClient, path: str, own: str
) -> None:
    page = client.get(path, base_url="https://arena.example").text
    assert f'<link rel="canonical" href="https://arena.example{own}">' in page
    assert f'<meta property="og:url" content="https://arena.example{own}">' in page
    named = dict(_ALTERNATE.findall(page))
    assert set(named) == {*LANGUAGES, "x-default"}
    for code, url in named.items():
        answer = client.get(url, headers={"Accept-Language": "es"})
        assert answer.headers["Content-Language"] == ("es" if code == "x-default" else code)


@pytest.mark.parametrize("path", ["/notices", "/de/account", "/nowhere", "/de/matches/99"])
def test_what_is_for_one_visitor_or_no_page_is_not_for_search_engines(
    client: FlaskClient, session: Session, path: str
) -> None:
    make(session, "ana-rosa")
    sign_in(client, "ana-rosa")
    page = client.get(path).text
    assert '<meta name="robots" content="noindex">' in page
    assert "canonical" not in page
    assert not _ALTERNATE.findall(page)


@pytest.mark.parametrize("path", PLAIN)
def test_what_has_no_language_is_not_found_in_one(client: FlaskClient, path: str) -> None:
    assert client.get(f"/de{path}").status_code == 404


@pytest.mark.parametrize("path", ["/nl/matches", "/DE/matches", "/de/de/matches", "/deutsch"])
def test_other_words_are_no_languages(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_language_alone_is_the_first_page(client: FlaskClient) -> None:
    assert client.get("/de").text == client.get("/de/").text


@pytest.mark.parametrize("path", ["/de//elsewhere.example", "/de/%2Felsewhere.example"])
def test_it_leads_nowhere_else(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert 'href="//' not in answer.text


def test_forms_and_redirects_stay_in_it(client: FlaskClient, session: Session) -> None:
    asked = client.get("/de/account")
    assert asked.location == "/de/sign-in?next=/de/account"
    make(session, "ana-rosa")
    sign_in(client, "ana-rosa")
    assert client.get("/de/help").location == "/de/docs"
    assert '<html lang="de">' in client.get("/de/account").text


def test_whole_addresses_of_plain_things_have_none(app: Flask) -> None:
    with app.test_request_context(
        "/matches", environ_overrides={"SCRIPT_NAME": "/de", "santiago.language": "de"}
    ):
        assert url_for("health.healthz", _external=True) == "http://localhost/healthz"
        assert url_for("matches.listing", _external=True) == "http://localhost/de/matches"
        assert url_for("static", filename="site/sun.svg").startswith("/static/site/sun.")
