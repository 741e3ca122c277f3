"""What is looked for in catalogues: all sentences, and the fields, elements and signs of them."""

from pathlib import Path

import pytest
from babel.messages import Catalog, Message

from web import catalogues
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


@pytest.fixture
def sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences of a site whose catalogues are in the test's own folder."""
    found = ["A game"]

    def gathered(code: str) -> Catalog:
        catalogue = Catalog(code, fuzzy=False)
        for sentence in found:
            catalogue.add(sentence)
        return catalogue

    monkeypatch.setattr(catalogues, "_FOLDER", tmp_path)
    monkeypatch.setattr(catalogues, "gathered", gathered)
    return found


def says(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints; nothing if all is right."""
    with pytest.raises(SystemExit) as ended:
        catalogues.main([*arguments, "de"])
    printed = capsys.readouterr().out
    assert ended.value.code == bool(printed)
    return printed


def test_what_a_catalogue_lacks_is_told_until_it_is_whole(
    sentences: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    po, mo = (tmp_path / "de" / "LC_MESSAGES" / f"messages{suffix}" for suffix in (".po", ".mo"))
    assert says(capsys, "--check").startswith("de: there are no catalogues")
    assert says(capsys) == ""
    assert says(capsys, "--check") == "de: not translated: 'A game'\n"
    written = po.read_text()
    po.write_text(written.replace('"A game"\nmsgstr ""', '"A game"\nmsgstr "Ein Spiel"'))
    assert "messages.mo was not made from messages.po" in says(capsys, "--check")
    assert says(capsys) == ""
    assert says(capsys, "--check") == ""
    po.write_text(f"{po.read_text()}\n\n")
    assert "messages.po is not as make translations leaves it" in says(capsys, "--check")
    sentences.append("Another one")
    assert "not in the catalogue: 'Another one'" in says(capsys, "--check")
    assert says(capsys) == ""
    po.write_text(po.read_text().replace('msgid "A game"', '#, fuzzy\nmsgid "A game"'))
    assert "in doubt: 'A game'" in says(capsys, "--check")
    mo.unlink()
    assert "there are no catalogues" in says(capsys, "--check")


def test_a_language_without_catalogue_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"^Error: xx: there are "):
        catalogues.main(["xx"])
