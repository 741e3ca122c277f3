"""The page about uploads: its bots play, its packages are right, its recipes can be read."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

from referee.hosting.packages import read
from referee.hosting.runtime import installed
from referee.hosting.settings import HostSettings
from tests.conftest import missing
from tests.docs.pages import DOCS, blocks, type_into_shell
from tests.ladder.cli.terminal import succeeds

PAGE = "upload-a-bot.md"
TEXT = (DOCS / PAGE).read_text()


def shell(word: str) -> list[str]:
    """The lines of the shell block that holds a word."""
    block = next(b for b in blocks(PAGE) if b.language == "sh" and word in b.text)
    return block.text.splitlines()


def test_the_four_steps_lead_to_a_package_that_was_tried(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        missing("bubblewrap")
    said = [type_into_shell(line, tmp_path) for line in shell("bot pack")]
    assert said[2].startswith("my-bot-1.zip: my-bot 1 for python, ")
    assert re.search(r"^All \d+ checks passed\.$", said[3], re.M)
    assert read(tmp_path / "my-bot-1.zip").entry == "bot:MyBot"


def test_a_bot_in_cpp_is_compiled_in_a_sandbox(tmp_path: Path) -> None:
    for program, part in (("c++", "g++"), ("bwrap", "bubblewrap")):
        if shutil.which(program) is None:
            missing(part)
    type_into_shell("santiago bot new my-bot --language cpp", tmp_path)
    said = type_into_shell("santiago bot try my-bot --games 4 --no-check", tmp_path)
    assert "faulted" not in said


def test_the_example_and_the_table_know_the_runtimes() -> None:
    first = next(block.text for block in blocks(PAGE) if block.language == "toml")
    assert tomllib.loads(first)["runtime"] in installed()
    rows = re.findall(r"^\| `(\w+)` \| [`a]", TEXT, re.M)
    assert set(rows) - {"runtime"} == set(installed())


def test_the_limits_are_those_of_a_host() -> None:
    host = HostSettings()
    assert f"| memory | {host.memory_mb} MB" in TEXT
    assert f"| processes and threads | {host.threads} |" in TEXT
    assert f"{host.package_mb} MB, {host.unpacked_mb} MB unpacked" in TEXT
    assert f"{host.package_files:,} files" in TEXT


@pytest.mark.parametrize("recipe", [b.text for b in blocks(PAGE) if b.language == "yaml"])
def test_a_recipe_for_ci_uses_commands_and_options_that_there_are(recipe: str) -> None:
    assert yaml.safe_load(recipe)
    commands = re.findall(r"^ *- (?:run: )?santiago (bot \w+) (.*)$", recipe, re.M)
    assert [command for command, _ in commands] == ["bot check", "bot submit"]
    for command, words in commands:
        told = succeeds(*command.split(), "--help")
        assert all(word in told for word in shlex.split(words) if word.startswith("--"))


def test_the_recipe_for_curl_names_what_the_api_takes() -> None:
    contract = (DOCS.parent / "tests/web/api/contract.txt").read_text()
    path = re.search(r'\$SANTIAGO_SITE/api/v1(/\S+?)"', TEXT)
    assert path is not None
    assert path[1] in contract
    assert "--form package=@" in TEXT
