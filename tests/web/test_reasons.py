"""Why versions, bots and matches do not play is stored in English, and shown in any language."""

import ast
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, render_template_string

from ladder.analyses import engine
from ladder.bots.building import NO_HOST
from ladder.casual import answering
from ladder.errors import Phrase
from ladder.model import BotState
from referee.hosting import seat
from referee.hosting.archives import BadPackage
from referee.hosting.client import DidNotStart
from referee.hosting.packages import manifest_of
from referee.seats import remote
from tests.conftest import PROJECT
from web import words
from web.languages import LANGUAGES
from web.reasons import TEMPLATES, notice, reason
from web.words.en import WORDS as ENGLISH

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


def raised() -> Iterator[str]:
    """What ends a match, a build or an analysis by these exceptions, with 7 in each field."""
    kinds = {"referee": {"Interrupted", "BuildFailed"}, "ladder": {"NotAnalysed", "OutOfBounds"}}
    for folder, raising in kinds.items():
        for file in (PROJECT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in raising:
                    yield from written(node.args[0] if node.args else None)


def written(argument: ast.expr | None) -> Iterator[str]:
    """The text of an argument, unless it comes from elsewhere."""
    match argument:
        case ast.Constant(str(text)):
            yield _FIELD.sub("7", text)
        case ast.JoinedStr(parts):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts
            )


def failed() -> Iterator[str]:
    """Why an attempt at a job failed, with 7 in each field."""
    for node in ast.walk(ast.parse((PROJECT / "ladder/jobs/runner.py").read_text())):
        match node:
            case ast.keyword("why", told):
                yield from written(told)


def annulled() -> Iterator[str]:
    """Why the ladder itself annuls a match, with 7 in each field."""
    for file in (PROJECT / "ladder").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(ast.Attribute(attr="annul"), [*_, told]):
                    yield from written(told)


def not_started() -> Iterator[str]:
    """Why a hosted bot did not start, without and with its last words."""
    over = "It started more than its 64 threads."
    for why in ((None, 0), (None, 3), (None, None), (over, 1), (seat._BANNED, 1)):
        for said in (b"", b"no rum"):
            yield str(DidNotStart(seat._why_not(why[0], why[1], 2.5), errors=said))
    for error in (b"No such file or directory", os.strerror(errno.EACCES).encode()):
        yield seat._why_not_run(b"./bot", error)


REFUSING = {"BadPackage", "TooMany", "_BadValue", "Failure", "StreamEnded"}


def refused() -> Iterator[str]:
    """What is wrong with a package, or with a bot's answers in its check, with 7 in each field."""
    for file in ("hosting/packages", "hosting/archives", "conformance/check"):
        for node in ast.walk(ast.parse((PROJECT / f"referee/{file}.py").read_text())):
            match node:
                case ast.Call(ast.Name(name), [*_, told]) if name in REFUSING:
                    yield from written(told)
                case ast.Assign([ast.Name("sentence")], told):
                    yield from written(told)


FOREIGN = "The entry point 7 is a program for another processor: compile it for Linux on 7."


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_all_that_ends_or_annuls_a_match_a_build_or_an_analysis_is_translated(
    app: Flask, language: str
) -> None:
    others = (answering._AWAY, answering._OTHER, engine._INTERRUPTED, remote._NO_GATEWAY)
    found = [*raised(), *failed(), *annulled(), *not_started(), *others, FOREIGN]
    with app.test_request_context("/", headers={"Accept-Language": language}):
        same = [text for text in found if reason(text) == text]
        assert ("another" in reason(FOREIGN)) == (language == "en")
    assert same == (found if language == "en" else [])
    phrases = [key for key in ENGLISH.phrases if re.match(r"why\.(?:build|cut|start)\b", key)]
    assert {key for key, one in words._reasons() if any(map(one.fullmatch, found))} >= {*phrases}


def wrong_manifest(unknown: str = "rum") -> str:
    """Three things that are wrong with a manifest: fields are missing, or unknown, and a name."""
    manifest = f"name = 'a/b'\nversion = '1'\n{unknown} = 1\n'salt and sea' = 1"
    with pytest.raises(BadPackage) as raised:
        manifest_of(manifest.encode())
    return raised.value.why


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_why_a_package_or_an_answer_in_a_check_is_refused_is_translated(
    app: Flask, language: str
) -> None:
    found = [text for text in refused() if not text.startswith("7 is 7: take 7")]
    assert len(found) > 25
    with app.test_request_context("/", headers={"Accept-Language": language}):
        same = [text for text in found if reason(text) == text]
        manifest = reason(wrong_manifest())
        asked = reason(
            "It sent Ping instead of choice. It had been asked for a drive decision (id 4)."
        )
    assert same == (found if language == "en" else [])
    assert "'rum'" in manifest
    assert "'a/b'" in manifest
    assert "'salt and sea'" in manifest
    english = ("Also", "take up", "runtime and entry", "'rum' and")
    for text, part in (*((manifest, part) for part in english), (asked, "instead")):
        assert (part in text) == (language == "en")


def test_also_joins_only_sentences_of_the_referee(app: Flask) -> None:
    quoted = "It cheats. Also: its author was warned."
    hostile = wrong_manifest(f'"{"rum Also: " * 1000}"')
    with app.test_request_context("/", headers={"Accept-Language": "de"}):
        assert reason(f"An admin paused it: {quoted}").endswith(quoted)
        assert "rum Also: rum" in reason(hostile)


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


def test_why_an_address_is_not_dialled_is_translated_where_a_fault_is_told(app: Flask) -> None:
    why = "2001:db8::1 is not a public internet address, so it is not dialled."
    told = '{% from "site/macros.html" import fault_said with context %}{{ fault_said(why) }}'
    with app.test_request_context("/", headers={"Accept-Language": "de"}):
        assert render_template_string(told, why=why) == (
            "<span>2001:db8::1 ist keine Adresse des offenen Internets und wird nicht "
            "angewählt.</span>"
        )


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
