"""Errors say their sentence in English, and carry what it takes to say it in another language."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ladder
from ladder.errors import Invalid, NotFound, Phrase, Refused, TooMany

_ROOT = Path(ladder.__file__).parents[1]
_ON_THE_COMMAND_LINE_ALONE = ("ladder/cli", "ladder/local", "web/api")
_PLACES = {
    **dict.fromkeys(("Forbidden", "NotFound", "NotSignedIn", "Phrase", "Refused", "TooMany"), 0),
    "Invalid": 1,
    "notify": 2,
}
"""Where each error takes its template, and a notice."""


def test_an_error_fills_in_its_fields() -> None:
    error = Refused("%(bot)s is already %(state)s", bot="ana", state=Phrase("paused"))
    assert str(error) == "ana is already paused"
    assert error.template == "%(bot)s is already %(state)s"
    assert error.fields == {"bot": "ana", "state": "paused"}


def test_an_error_without_fields_says_its_sentence_as_it_is() -> None:
    assert str(NotFound("50 % of %(it)s")) == "50 % of %(it)s"


def test_a_phrase_is_its_english_words_and_what_they_were_made_of() -> None:
    phrase = Phrase("%(state)s in %(times)s matches", state=Phrase("paused"), times=5)
    assert phrase == "paused in 5 matches"
    assert phrase.template == "%(state)s in %(times)s matches"
    assert phrase.fields == {"state": "paused", "times": 5}
    assert Phrase("95 %").template == Phrase("95 %") == "95 %"


def test_what_is_wrong_and_how_long_to_wait() -> None:
    wrong = Invalid("deals", "%(field)s can be %(least)s", field=Phrase("deals"), least=1)
    assert (wrong.field, str(wrong)) == ("deals", "deals can be 1")
    often = TooMany("try again in %(seconds)s s", 7, seconds=7)
    assert (often.retry_after, str(often)) == (7, "try again in 7 s")


@pytest.mark.parametrize("folder", ["ladder", "web"])
def test_whatever_the_site_shows_can_be_translated(folder: str) -> None:
    built = [
        f"{file.relative_to(_ROOT)}:{call.lineno}"
        for file in sorted((_ROOT / folder).rglob("*.py"))
        if not str(file.relative_to(_ROOT)).startswith(_ON_THE_COMMAND_LINE_ALONE)
        for call, sentence in _raised(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(sentence, (ast.JoinedStr, ast.BinOp))
    ]
    assert built == [], "a template with fields, please, no finished sentence: see ladder.errors"


def _raised(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The errors and notices that a module makes, each with its sentence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            place = _PLACES.get(node.func.id)
            if place is not None and len(node.args) > place:
                yield node, node.args[place]
