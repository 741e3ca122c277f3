"""Search over bots, authors, tournaments and matches; an author's page; head to head."""

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.bots.authors import MOST_BOTS
from tests.ladder.league import NewBot, add_bots
from tests.web.arena import play_next, register, tournament


@pytest.fixture(autouse=True)
def _arena(session: Session) -> None:
    bots = register(session, ["ana", "anabel", "luz"])
    play_next(session, tournament(session, [bots[0], bots[2]], name="Copa Habana"))


def found(client: FlaskClient, text: str) -> set[str]:
    """The addresses that a search leads to."""
    page = client.get("/search", query_string={"q": text}).text
    main = page[page.index("<main") : page.index("</main")]
    return set(re.findall(r'href="(/[^"?]+)"', main))


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        ("ana", {"/bots/1", "/bots/2", "/tournaments/1"}),  # of just this name is only one
        ("an", {"/bots/1", "/bots/2", "/tournaments/1"}),
        ("HABANA", {"/tournaments/1"}),
        ("compay", {"/bots/1", "/bots/2", "/bots/3", "/authors/1"}),
        ("ana vs luz", {"/bots/1/against/3"}),
        ("ana vs ana", set()),
        ("ana vs nobody", set()),
        ("1", {"/matches/1", "/bots/1", "/bots/3"}),
        ("99", set()),
        ("<b>", set()),
        ("", set()),
    ],
)
def test_it_leads_to(client: FlaskClient, text: str, leads_to: set[str]) -> None:
    assert found(client, text) == leads_to


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/search", "#1"),
        ("/search", "match 1"),
        ("/search", "Match #1"),
        ("/de/search", "Partie 1"),
        ("/de/search", "match 1"),
        ("/es/search", "partida 1"),
        ("/fr/search", "match 1"),
        ("/it/search", "PARTITA #1"),
    ],
)
def test_a_match_is_found_by_its_title(client: FlaskClient, path: str, text: str) -> None:
    page = client.get(path, query_string={"q": text}).text
    assert re.search(r'href="(/\w\w)?/matches/1"', page)


@pytest.mark.parametrize("text", ["bot 1", "match 1 1", "match", "1 match", "1#1"])
def test_other_words_beside_a_number_find_no_match(client: FlaskClient, text: str) -> None:
    assert "/matches/1" not in found(client, text)


def test_every_page_leads_to_it(client: FlaskClient) -> None:
    assert 'href="/search"' in client.get("/").text


def test_an_author_has_a_page_with_bots_and_matches(client: FlaskClient) -> None:
    assert '<a href="/authors/1">compay</a>' in client.get("/bots/1").text
    page = client.get("/authors/1").text
    for address in ("/bots/1", "/bots/2", "/bots/3", "/matches/1"):
        assert f'href="{address}"' in page
    assert client.get("/authors/2").status_code == 404


def test_the_page_of_an_author_counts_all_bots(client: FlaskClient, session: Session) -> None:
    new = [NewBot(f"bot-{n}", "compay", "unix:/nowhere") for n in range(MOST_BOTS - 3)]
    add_bots(session, new)
    session.commit()
    page = client.get("/authors/1").text
    assert "100 bots ·" in page
    assert "The newest 100 bots." not in page
    add_bots(session, [NewBot("one-more", "compay", "unix:/nowhere")])
    session.commit()
    page = client.get("/authors/1").text
    assert "101 bots ·" in page
    assert "The newest 100 bots." in page


def test_two_bots_head_to_head(client: FlaskClient) -> None:
    assert 'href="/bots/1/against/3"' in client.get("/bots/1").text
    page = client.get("/bots/1/against/3").text
    assert 'href="/matches/1"' in page
    assert 'href="/bots/3/against/1"' in page
    assert "1 game" in page
    assert 'href="/matches/1"' not in client.get("/bots/1/against/3?seats=4").text
    assert "have not met" in client.get("/bots/1/against/2").text
    assert client.get("/bots/1/against/1").status_code == 404
    assert client.get("/bots/1/against/77").status_code == 404
