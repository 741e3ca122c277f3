"""The rules page: one file for each language that has been written."""

import pytest
from flask.testing import FlaskClient

from web.documents import RULES, parsed
from web.languages import LANGUAGES
from web.words import words_of

_WRITTEN = {file.stem for file in RULES.glob("*.md")}


def test_rules_are_written_in_languages_of_the_site_and_in_english() -> None:
    assert "en" in _WRITTEN
    assert LANGUAGES.keys() >= _WRITTEN


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_rules_are_in_the_language_of_the_page_or_say_that_they_are_not(
    client: FlaskClient, code: str
) -> None:
    page = client.get("/rules", headers={"Accept-Language": code}).text
    told = code if code in _WRITTEN else "en"
    assert f'<html lang="{code}">' in page
    assert f'<article class="document" lang="{told}">' in page
    assert str(parsed(RULES / f"{told}.md").body) in page


_FIRST_ROLL = {
    "en": "to the right of the one who begins rolls for the first ship",
    "de": "für das erste Schiff würfelt, wer rechts vom Startspieler sitzt",
    "es": "para el primer barco tira quien se sienta a la derecha del jugador inicial",
    "fr": "pour le premier navire, c’est le joueur à droite du premier joueur qui lance les dés",
    "it": "per la prima nave tira chi siede alla destra del primo giocatore",
}
_AT_MOST = {
    "en": "at most",
    "de": "höchstens",
    "es": "como mucho",
    "fr": "au plus",
    "it": "al massimo",
}


@pytest.mark.parametrize("code", sorted(_WRITTEN))
def test_the_rules_name_what_takes_no_wood_who_rolls_first_and_the_most_delivered(
    code: str,
) -> None:
    page = (RULES / f"{code}.md").read_text(encoding="utf-8")
    told = " ".join(page.split())
    names = words_of(code).names
    rows = {row.split("|")[1].strip(): row.lower() for row in page.splitlines() if row[:1] == "|"}
    for building in ("black-market", "trading-office"):
        assert names["wood"].lower() in rows[names[building]]
    assert _FIRST_ROLL[code] in told
    assert f", {_AT_MOST[code]} " in told


def test_the_rules_are_linked_from_every_page(client: FlaskClient) -> None:
    assert '<a href="/rules">' in client.get("/").text
