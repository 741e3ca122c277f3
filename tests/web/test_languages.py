"""Which language a page has, and that the catalogues hold every sentence."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from babel.messages.extract import extract_from_dir
from flask.testing import FlaskClient

from web import catalogues
from web.documents import RULES
from web.languages import LANGUAGES, translated
from web.words import words_of


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Look for the site's sentences once for all languages."""
    found: dict[Any, list[Any]] = {}

    def extract(folder: Any, *how: Any, **more: Any) -> list[Any]:
        if folder not in found:
            found[folder] = list(extract_from_dir(folder, *how, **more))
        return found[folder]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogues, "extract_from_dir", extract)
        yield


@pytest.mark.parametrize("code", catalogues.TRANSLATED)
def test_a_catalogue_holds_what_the_site_says_and_is_compiled(code: str) -> None:
    assert catalogues.stale(code) == []


@pytest.mark.parametrize("code", catalogues.TRANSLATED)
def test_a_translation_has_the_fields_of_its_sentence(code: str) -> None:
    assert catalogues.mistaken(code) == []


@pytest.mark.parametrize("code", catalogues.TRANSLATED)
def test_every_sentence_is_translated(code: str) -> None:
    assert catalogues.untranslated(code) == []


@pytest.mark.parametrize("code", catalogues.TRANSLATED)
def test_faults_and_mistakes_have_a_word_each(code: str) -> None:
    """The page of a bot has a heading of both: one is against the protocol, one is bad play."""
    catalogue = catalogues.updated(code)
    fault, mistake = (catalogue.get(word) for word in ("Faults", "Mistakes"))
    assert fault
    assert mistake
    assert fault.string != mistake.string


def test_french_has_a_narrow_space_before_its_high_marks() -> None:
    """Also in the rules of the game, and before the colons that scripts and templates put in."""
    own = words_of("fr")
    texts = [RULES.joinpath("fr.md").read_text(encoding="utf-8")]
    texts += [*own.gifts.values(), *own.phrases.values(), *own.labels.values()]
    for message in catalogues.updated("fr"):
        texts += [message.string] if isinstance(message.string, str) else message.string or ()
    assert [text for text in texts if re.search(r"[ \N{NO-BREAK SPACE}][:;!?]", text)] == []
    assert own.labels["colon"] == "\N{NARROW NO-BREAK SPACE}: "


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (None, "en"),
        ("de", "de"),
        ("de-AT, en;q=0.5", "de"),
        ("nl, it;q=0.8, en;q=0.5", "it"),
        ("nl", "en"),
        ("it;q=0, es-MX;q=0.1", "es"),
        ("*", "en"),
    ],
)
def test_a_page_has_the_language_that_the_browser_wishes_for(
    client: FlaskClient, wish: str | None, code: str
) -> None:
    answer = client.get("/", headers={"Accept-Language": wish} if wish else {})
    assert f'<html lang="{code}">' in answer.text
    assert answer.headers["Content-Language"] == code
    assert {"Accept-Language", "Cookie"} <= set(answer.vary)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_switch_counts_more_than_the_browser(client: FlaskClient, code: str) -> None:
    switched = client.get(
        "/language/" + code, query_string={"next": "/matches?state=failed"}, follow_redirects=False
    )
    assert switched.status_code == 303
    assert switched.location == f"/{code}/matches?state=failed"
    for path in (switched.location, "/matches?state=failed"):
        page = client.get(path, headers={"Accept-Language": "nl, de;q=0.9"}).text
        assert f'<html lang="{code}">' in page
    assert f'lang="{code}" hreflang="{code}" rel="nofollow" aria-current="true"' in page


def test_the_switch_of_a_page_in_another_language(client: FlaskClient) -> None:
    switched = client.get("/language/de?next=/fr/matches", base_url="https://arena.example")
    assert switched.location == "/de/matches"
    assert switched.headers["Cache-Control"] == "no-store"
    cookie = set(switched.headers["Set-Cookie"].split("; "))
    assert {"language=de", "Max-Age=31536000", "Secure", "HttpOnly", "SameSite=Lax"} < cookie


def test_the_switch_is_on_every_page_and_comes_back_to_it(client: FlaskClient) -> None:
    page = client.get("/matches?state=failed").text
    for code, language in LANGUAGES.items():
        assert f"/language/{code}?next=/matches?state%3Dfailed" in page
        assert language.name in page


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "", "x"]
)
def test_the_switch_leads_nowhere_else(client: FlaskClient, target: str) -> None:
    assert client.get("/language/de", query_string={"next": target}).location == "/de/"


@pytest.mark.parametrize("code", ["nl", "DE", "de-AT", "translations"])
def test_an_unknown_language_is_refused(client: FlaskClient, code: str) -> None:
    answer = client.get(f"/language/{code}")
    assert answer.status_code == 404
    assert '<html lang="en">' in answer.text
    assert "Set-Cookie" not in answer.headers


def test_a_cookie_with_nonsense_counts_for_nothing(client: FlaskClient) -> None:
    client.set_cookie("language", "../en")
    assert '<html lang="fr">' in client.get("/", headers={"Accept-Language": "fr"}).text


def test_the_api_speaks_english(client: FlaskClient) -> None:
    client.set_cookie("language", "de")
    answer = client.get("/api/v1/matches/12", headers={"Accept-Language": "de"})
    assert answer.status_code == 404
    assert answer.json is not None
    assert answer.json["title"] == "Not found"
    assert "Content-Language" not in answer.headers


def test_outside_of_the_site_sentences_are_english() -> None:
    assert translated("an administrator") == "an administrator"


def test_the_sentences_of_notices_are_gathered() -> None:
    gathered = {message.id for message in catalogues.updated("de")}
    assert "Your password was changed with a reset link." in gathered
