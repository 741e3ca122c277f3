"""Errors say their sentence in English, and carry what it takes to say it in another language."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ladder
from ladder.errors import Forbidden, Invalid, NotFound, NotSignedIn, Phrase, Refused, TooMany

_ROOT = Path(ladder.__file__).parents[1]
_ON_THE_COMMAND_LINE_ALONE = ("ladder/command", "ladder/local", "web/api")
_PLACES = {
    **dict.fromkeys((Forbidden, NotFound, NotSignedIn, Refused, TooMany), 0),
    Invalid: 1,
}
"""Where each error takes its template."""


def test_an_error_fills_in_its_fields() -> None:
    error = Refused("%(bot)s is %(state)s already", bot="ana", state=Phrase("paused"))
    assert str(error) == "ana is paused already"
    assert error.template == "%(bot)s is %(state)s already"
    assert error.fields == {"bot": "ana", "state": "paused"}


def test_an_error_without_fields_says_its_sentence_as_it_is() -> None:
    assert str(NotFound("50 % of %(it)s")) == "50 % of %(it)s"


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
    """The errors that a module makes, each with its sentence."""
    places = {error.__name__: place for error, place in _PLACES.items()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            place = places.get(node.func.id)
            if place is not None and len(node.args) > place:
                yield node, node.args[place]
