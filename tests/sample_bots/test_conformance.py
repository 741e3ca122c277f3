"""The sample bots and the kits keep to the protocol, in whatever language they are written."""

import json
import re
from pathlib import Path

import pytest

from ladder.cli import starters
from tests.conftest import PROJECT
from tests.ladder.cli.terminal import run
from tests.sample_bots.checking import OF_THE_BOT, QUICK, passes

# What is built and installed first takes its time on a busy machine.
pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("forked_python")]


def test_a_bot_of_the_kit() -> None:
    passes("random")


@pytest.mark.parametrize("bot", ["greedy", "planner"])
def test_the_other_bots_of_the_kit(bot: str) -> None:
    passes(bot, *OF_THE_BOT, **QUICK)


def test_the_kit_for_node(node_project: Path) -> None:
    passes(f"node {node_project}/bot.js")


def test_a_bare_bot_in_cpp(cpp_bot: Path) -> None:
    passes(str(cpp_bot))


def test_a_new_project_for_node(
    node_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("bot", "new", "my-bot", "--language", "node").exit_code == 0
    for name in ("package.json", "package-lock.json"):  # so npm installs the same
        assert (tmp_path / "my-bot" / name).read_text() == (node_project / name).read_text()
    (tmp_path / "my-bot" / "node_modules").symlink_to(node_project / "node_modules")
    passes("node my-bot/bot.js", *OF_THE_BOT)


def test_the_bot_in_node_plays_sensibly(node_project: Path) -> None:
    """Better than chance, by far: 7 of 8 games would be luck once in 28 runs."""
    result = run("play", "random", f"node {node_project}/bot.js", "--games", "8", "--seed", "1")
    assert result.exit_code == 0
    (wins,) = re.findall(r"^│ node +│ +(\d)/8 │", result.stdout, re.M)
    assert int(wins) >= 7


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((PROJECT / "sample_bots/node/package-lock.json").read_text())
    packages = [package for path, package in lock["packages"].items() if path]
    assert packages
    assert all("resolved" not in package and package["integrity"] for package in packages)


def test_a_name_that_is_taken_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    for name, sentence in (
        ("taken", "The folder taken exists: choose another name, or remove it."),
        ("../up", "'../up' cannot be the name of a new bot: take up to 40 small letters"),
    ):
        result = run("bot", "new", name)
        assert result.exit_code == 1
        assert sentence in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_project_that_cannot_be_written_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [(Path("bot"), "a file"), (Path("bot", "py"), "has no room below a file")]
    monkeypatch.setattr(starters, "project", lambda *_: files)
    with pytest.raises(FileExistsError):
        starters.write_project("my-bot", "python", tmp_path)
    assert list(tmp_path.iterdir()) == []
