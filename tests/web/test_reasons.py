"""Why versions, bots and matches do not play is stored in English, and shown in any language."""

import re
from pathlib import Path

import pytest
from flask import Flask

from ladder.bots.building import NO_HOST
from ladder.errors import Phrase
from ladder.model import BotState
from tests.conftest import PROJECT
from web.languages import LANGUAGES
from web.reasons import TEMPLATES, notice, reason

_FIELD = re.compile(r"%\((\w+)\)s")
_ANY = r"(?:%\(\w+\)s|\{[^}]+\}| )+"  # of a template, or of a formatted string
_MADE_OF = "x: 5% of {y}"


def code(folder: Path) -> str:
    """The sources, with strings in parts joined."""
    text = "\n".join(file.read_text() for file in sorted(folder.rglob("*.py")))
    return re.sub(r'"\s*\n\s*f?"', "", text)


def test_each_is_one_of_the_ladder() -> None:
    ladder = code(PROJECT / "ladder")
    for template in TEMPLATES:
        made = _ANY.join(re.escape(part) for part in re.split(r"%\(\w+\)s", template))
        made = re.sub("|".join(BotState), lambda state: f"(?:{state[0]}|{_ANY})", made)
        assert re.search(made, ladder), template


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_what_was_made_of_it_is_told_in_the_language_of_the_page(app: Flask, language: str) -> None:
    with app.test_request_context("/", headers={"Accept-Language": language}):
        for template in (*TEMPLATES, str(NO_HOST)):
            stored = template % dict.fromkeys(_FIELD.findall(template), _MADE_OF)
            assert (reason(stored) == stored) == (language == "en"), template
            assert reason(stored).count(_MADE_OF) >= bool(_FIELD.search(template)), template
        assert reason("It sang, 100% of %(x)s.") == "It sang, 100% of %(x)s."


def test_a_fault_within_it_is_translated_too(app: Flask) -> None:
    fault = "No choice came within 5 s."
    with app.test_request_context("/", headers={"Accept-Language": "de"}):
        told = reason(f"It faulted in its trial, match 7: {fault}")
    assert told.endswith("7 einen Fehler: Innerhalb von 5 s kam keine Wahl.")


def test_why_a_bot_was_not_reached_is_translated_in_its_notice(app: Flask) -> None:
    template = "%(bot)s could not be reached: %(why)s"
    with app.test_request_context("/", headers={"Accept-Language": "es"}):
        told = notice(Phrase(template, bot="ada", why="it did not accept the game within 2.5 s."))
        waits = notice(Phrase(template, bot="ada", why=Phrase("A tournament waits for it.")))
    assert told.endswith("no aceptó la partida en 2,5 s.")
    assert "A tournament waits" not in waits


def test_what_a_bot_says_may_look_like_a_part_of_the_sentence(app: Flask) -> None:
    fault = "The bot failed: ValueError: no rum"
    with app.test_request_context("/", headers={"Accept-Language": "de"}):
        told = reason(f"It faulted in its trial, match 7: {fault}")
    assert told.endswith("7 einen Fehler: Der Bot ist gescheitert: ValueError: no rum")


def test_a_reason_within_it_is_translated_too(app: Flask) -> None:
    lost = "its worker sent no more heartbeats"
    given_up = f"interrupted 5 times, 3 times alone; the last time because {lost}"
    with app.test_request_context("/", headers={"Accept-Language": "de"}):
        told = reason(f"Its trial match could not be played: {given_up}.")
    assert told == (
        "Die Probepartie konnte nicht gespielt werden: 5-mal unterbrochen, davon 3-mal allein; "
        "zuletzt: Ihr Worker gab kein Lebenszeichen mehr."
    )
