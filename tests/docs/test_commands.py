"""Every `santiago` command that a page names is one, with these options."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ladder.cli.commands import santiago
from tests.docs.pages import DOCS

PAGES = sorted([*DOCS.glob("*.md"), DOCS.parent / "README.md"])
_IN_TEXT = re.compile(r"`(?:\S*/)?santiago ([^`]+)`")
_ON_A_LINE = re.compile(
    r"^(?: {4}|\s*- run: )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?santiago (.+)", re.M
)
_TYPED = re.compile(r"\s+# .*|\s[|>&]+\s.*")


def commands(page: Path) -> Iterator[str]:
    """What follows `santiago` in code spans, and on the lines of blocks."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for typed in (*_IN_TEXT.findall(text), *_ON_A_LINE.findall(text)):
        yield _TYPED.sub("", typed)


def unknown(typed: str) -> Iterator[str]:
    """The words of a command line that name no command and no option."""
    command: click.Command = santiago
    words = shlex.split(typed)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words.pop(0).rstrip(","))
        if found is None:
            yield typed
            return
        command = found
    context = click.Context(command, help_option_names=["-h", "--help"])
    known = {option for param in command.get_params(context) for option in param.opts}
    yield from (word for word in words if re.match(r"--?\w", word) and word not in known)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_it_names_what_there_is(page: Path) -> None:
    assert {typed: wrong for typed in commands(page) if (wrong := [*unknown(typed)])} == {}


def test_it_finds_what_there_is_not() -> None:
    assert [*unknown("bot new my-bot --language node")] == []
    assert [*unknown("bot news my-bot")] == ["bot news my-bot"]
    assert [*unknown("play greedy random --game 5 -x")] == ["--game", "-x"]
