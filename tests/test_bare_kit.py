"""The kit, installed bare into an empty environment: it plays, and says what it lacks."""

import io
import json
import os
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import wheels
from tests.wheels import KIT, THEIRS
from web import downloads

RUNTIMES = ["lines", "native", "node", "python"]
WITHOUT_EXTRA = {
    *("play", "replay", "replay debug", "replay verify", "replay view", "show", "selfplay"),
    *("bot", "bot new", "bot serve", "bot check", "bot join", "bot token", "bot pack", "bot try"),
}
EXTRAS = {"host": "hosting"} | dict.fromkeys(
    (
        *("submit", "retry", "status", "log", "pause", "resume", "retire", "withdraw"),
        *("open-to-people", "close-to-people"),
        *("gateway-token", "challenge", "download"),
        *("tournament", "match"),
    ),
    "client",
)
HELP = """
import contextlib, io, json, click
from ladder.cli.commands import santiago

def walk(group, words):
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        yield (*words, name)
        with contextlib.suppress(ModuleNotFoundError):
            command = group.get_command(ctx, name)
            if isinstance(command, click.Group):
                yield from walk(command, (*words, name))

told = {}
for words in walk(santiago, ()):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            santiago([*words, "--help"], standalone_mode=False)
    except click.ClickException as error:
        told[" ".join(words)] = error.message
    else:
        told[" ".join(words)] = ""
print(json.dumps(told))
"""
"""Asks every command for its help; prints what is missing, by command."""
LINES_BOT = """
import json, sys
for line in sys.stdin:
    decision = json.loads(line)
    if decision["type"] == "decision":
        print(decision["legal"][0], flush=True)
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that has the kit and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    wheel = folder / downloads.kit_name()
    wheel.write_bytes(downloads.files()[wheel.name].data)
    return wheels.install(folder, str(wheel))


def test_the_site_serves_the_wheel_that_a_build_makes(tmp_path: Path) -> None:
    kit = downloads.files()[downloads.kit_name()]
    with (
        zipfile.ZipFile(wheels.build(tmp_path / "wheel")) as built,
        zipfile.ZipFile(io.BytesIO(kit.data)) as served,
    ):
        assert sorted(served.namelist()) == sorted(built.namelist())
        (about,) = {name.partition("/")[0] for name in built.namelist() if ".dist-info" in name}
        written = {f"{about}/{name}" for name in ("METADATA", "RECORD", "WHEEL")}
        for name in set(built.namelist()) - written:
            assert served.read(name) == built.read(name), name


def run(bare: Path, words: Sequence[str], folder: Path) -> str:
    """Run a program of the environment there; return what it printed."""
    environ = {"PATH": f"{bare}:/usr/bin:/bin", "HOME": str(folder), "TMPDIR": "/tmp"}
    ended = subprocess.run(
        [bare / words[0], *words[1:]],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_it_brings_four_packages_and_what_they_need(bare: Path, tmp_path: Path) -> None:
    names = (
        "from importlib.metadata import distributions as d; print(*{x.name.lower() for x in d()})"
    )
    found = run(bare, ("python", "-c", names), tmp_path).split()
    assert sorted(name.replace("_", "-") for name in found) == sorted(
        ("santiago-arena", *KIT, *THEIRS)
    )


def test_a_new_bot_plays_a_game_and_passes_every_check(bare: Path, tmp_path: Path) -> None:
    run(bare, ("santiago", "bot", "new", "mine"), tmp_path)
    folder = tmp_path / "mine"
    words = ("random", "python bot.py", "--games", "2", "--replays", "games")
    assert "mine" in run(bare, ("santiago", "play", *words), folder)
    replay = str(next((folder / "games").glob("*.santiago")))
    assert "right. Ranks: " in run(bare, ("santiago", "replay", "verify", replay), folder)
    checked = run(bare, ("santiago", "bot", "check", "python bot.py", "--pause", "0.05"), folder)
    assert checked.splitlines()[-1].endswith("checks passed.")


def test_a_program_that_reads_lines_plays_a_game(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(LINES_BOT)
    words = ("random", "lines:python bot.py", "--games", "2")
    played = run(bare, ("santiago", "play", *words), tmp_path)
    assert "bot" in played
    assert "faulted" not in played


def test_an_installed_bot_takes_no_module_of_the_current_folder(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("raise ImportError")
    checked = run(bare, ("santiago", "bot", "check", "random", "--only", "describe"), tmp_path)
    assert checked.splitlines()[-1] == "All 2 checks passed."


def test_packages_can_be_made_where_the_kit_is_bare(bare: Path, tmp_path: Path) -> None:
    names = "from referee.hosting.runtime import installed; print(*sorted(installed()))"
    assert run(bare, ("python", "-c", names), tmp_path).split() == RUNTIMES


def test_every_other_command_names_the_extra_to_install(bare: Path, tmp_path: Path) -> None:
    told = json.loads(run(bare, ("python", "-c", HELP), tmp_path))
    assert {command for command, sentence in told.items() if not sentence} >= WITHOUT_EXTRA
    for command, sentence in told.items():
        extra = EXTRAS.get(command.rpartition(" ")[2], "ladder")
        assert not sentence or sentence.endswith(f"pip install 'santiago-arena[{extra}]'"), command
    assert told["up"] == (
        "This command needs sqlalchemy, which is not installed: "
        "pip install 'santiago-arena[ladder]'"
    )
    assert told["bot submit"].startswith("This command needs httpx, ")


def test_the_viewer_of_replays_needs_the_ladder(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "a.santiago").touch()
    ended = subprocess.run(
        [bare / "santiago", "replay", "view", tmp_path / "a.santiago"],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.endswith(": pip install 'santiago-arena[ladder]'\n")


def test_a_bot_that_lacks_a_package_of_its_own_is_told_so(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import sqlalchemy\n")
    ended = subprocess.run(
        [bare / "santiago", "bot", "serve", "bot:Mine"],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "sqlalchemy" in ended.stderr
    assert "santiago-arena" not in ended.stderr
