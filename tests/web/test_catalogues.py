"""What is looked for in translations: the fields, elements and signs of their sentences."""

import pytest
from babel.messages import Message

from web.catalogues import problems

_MANY = ("%(num)s game of %(bot)s", "%(num)s games of %(bot)s")


@pytest.mark.parametrize(
    ("sentence", "translation"),
    [
        ("Match %(match)s", "Partie %(match)s"),
        ('<a href="%(url)s">Here</a>: %(when)s', '%(when)s: <a href="%(url)s">hier</a>'),
        ("95 %% of all", "von allen 95 %%"),
        (_MANY, ("ein Spiel von %(bot)s", "%(num)s Spiele von %(bot)s")),
    ],
)
def test_a_translation_that_fits(
    sentence: str | tuple[str, str], translation: str | tuple[str, str]
) -> None:
    assert list(problems(Message(sentence, translation))) == []


@pytest.mark.parametrize(
    ("sentence", "translation", "problem"),
    [
        ("Match %(match)s", "Partie", "fields match"),
        ("Match %(match)s", "Partie %(partie)s", "fields match"),
        ("Match %(match)s", "Partie %(match) s", "fields match"),
        ("A game", "%(num)s Spiele", "fields (none)"),
        ("<b>All</b> of it", "alles", "elements </b> <b>"),
        ('<a href="%(url)s">All</a>', '<a href="%(url)s" onclick="x">alle</a>', "elements </a>"),
        ("95 %% of all", "95 % von allen", "per cent sign"),
        (_MANY, ("ein Spiel von %(bot)s", "Spiele von %(bot)s"), "fields bot, num"),
        (_MANY, ("ein Spiel", "%(num)s Spiele von %(bot)s"), "fields bot, num"),
    ],
)
def test_a_translation_that_does_not(
    sentence: str | tuple[str, str], translation: str | tuple[str, str], problem: str
) -> None:
    assert any(problem in one for one in problems(Message(sentence, translation)))
