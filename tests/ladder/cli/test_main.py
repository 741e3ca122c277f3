"""What all commands share: help, version, and errors as one message."""

import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NoReturn

import click
import pytest
from click import termui
from click.testing import CliRunner

from ladder.cli.commands import santiago
from ladder.cli.main import main
from ladder.cli.terminal import confirm
from referee import replay
from tests.ladder.cli.terminal import Typed, fails, run, shell, succeeds
from tests.ladder.databases import new_ladder
from tests.referee.games import DrawingBot, local_game

COMMANDS = (
    *("demo", "up", "play", "replay", "show", "selfplay"),
    *("bot", "tournament", "worker", "scheduler", "db"),
)
HELP_AND_MODULES = """
import sys
from ladder.cli.commands import santiago
santiago(["--help"], standalone_mode=False)
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_help_lists_every_command_with_its_summary() -> None:
    told = succeeds("--help")
    assert told == succeeds("-h")
    for command in COMMANDS:
        assert f"\n  {command} " in told
    assert "..." not in told.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    assert succeeds(command, "-h").startswith(f"Usage: santiago {command} ")


def test_a_part_that_python_starts_has_the_commands_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["main.py", "--help"])
    with pytest.raises(SystemExit):
        runpy.run_path(str(sys.modules["ladder.cli.main"].__file__), run_name="__main__")
    assert capsys.readouterr().out.startswith("Usage: santiago ")


def walk(group: click.Group, *words: str) -> Iterator[tuple[str, ...]]:
    for name in group.list_commands(click.Context(group)):
        yield (*words, name)
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from walk(command, *words, name)


def test_every_command_of_a_group_is_where_the_group_looks_for_it() -> None:
    found = set(walk(santiago))
    assert {("bot", "submit"), ("bot", "new"), ("replay", "download")} < found


def test_help_is_quick_since_it_imports_nothing_large() -> None:
    command = [sys.executable, "-c", HELP_AND_MODULES]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(ended.stdout.splitlines()[-1].split())
    assert not imported & {"sqlalchemy", "celery", "grpc", "rich", "alembic", "google"}
    assert not imported & {"email", "zipfile"}, "only the version needs them"


def test_the_version_says_which_build_of_the_rules_runs() -> None:
    assert succeeds("--version").startswith("santiago 0.1.0, rules: ")


def test_an_unknown_command() -> None:
    assert "No such command 'plya'" in fails("plya", code=2)


def test_ctrl_c_is_quiet_while_modules_are_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Pressed:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "ladder.cli.commands":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "ladder.cli.commands")
    monkeypatch.setattr(sys, "meta_path", [Pressed(), *sys.meta_path])
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("at_a_question", [False, True])
def test_ctrl_c_is_no_refusal(at_a_question: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    @click.command()
    def asking() -> None:
        monkeypatch.setattr(termui, "visible_prompt_func", pressed)  # the runner has its own
        (confirm if at_a_question else pressed)("Well?")

    monkeypatch.setitem(santiago.commands, "asking", asking)
    assert "Aborted" not in fails("asking", code=128 + signal.SIGINT)


@pytest.mark.parametrize(
    ("typed", "at_a_terminal", "code", "told"),
    [
        (b"y\n", True, 0, ""),
        (b"n\n", True, 1, "Aborted!\n"),
        (b"", True, 1, "Aborted!\n"),
        (b"", False, 1, "\nNobody can be asked here: add --yes to do it all the same.\nAborted!\n"),
    ],
)
def test_only_a_yes_goes_on(typed: bytes, at_a_terminal: bool, code: int, told: str) -> None:
    @click.command()
    def asking() -> None:
        confirm("Well?")
        click.echo("It goes on.")

    ended = CliRunner().invoke(asking, input=Typed(typed, at_a_terminal=at_a_terminal))
    assert (ended.exit_code, ended.stderr.lstrip("\n")) == (code, told.lstrip("\n"))
    assert ("It goes on." in ended.stdout) == (code == 0)


def test_a_part_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "ladder.cli.ratings", raising=False)
    for part in ("sqlalchemy", "flask"):
        monkeypatch.setitem(sys.modules, part, None)
    (tmp_path / "game.santiago").touch()
    for words, part in (
        (("ratings", "rebuild"), "sqlalchemy"),
        (("replay", "view", f"{tmp_path}/game.santiago"), "flask"),
    ):
        assert fails(*words) == (
            f"Error: This command needs {part}, which is not installed: "
            "pip install 'santiago-arena[ladder]'\n"
        )


def test_what_a_module_of_others_lacks_is_no_extra_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def lacking() -> None:
        exec("import no_such_part")

    monkeypatch.setitem(santiago.commands, "lacking", lacking)
    assert isinstance(run("lacking").exception, ModuleNotFoundError)


def test_a_full_disk_behind_stdout_is_one_message() -> None:
    for arguments in ("--help", "--version", "selfplay --games 3", "selfplay --games 1 --trace"):
        ended = shell(f"santiago {arguments} > /dev/full")
        assert (ended.returncode, ended.stderr) == (1, "Error: No space left on device\n")


def test_a_text_that_is_not_in_utf8_is_one_message_without_it() -> None:
    ended = shell(
        "SANTIAGO_TOKEN=$'\\xff' santiago bot join localhost:1 sample_bots.greedy:GreedyBot"
    )
    sentence = "An argument or a variable of the environment is not in utf-8."
    assert (ended.returncode, ended.stderr) == (1, f"Error: {sentence}\n")


def test_a_pipe_that_is_closed_early_ends_it_quietly() -> None:
    ended = shell('santiago selfplay --trace --games 1000 | head -1; echo "${PIPESTATUS[0]}"')
    first, code = ended.stdout.splitlines()
    assert first.startswith('{"type":"setup"')
    assert (code, ended.stderr) == ("1", "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_lacks_a_letter_of_a_name_gets_the_others(
    encoding: str, tmp_path: Path
) -> None:
    game = local_game([DrawingBot, DrawingBot])
    game.seats[0].name = "łuz"
    (tmp_path / "game.santiago").write_bytes(replay.write(game))
    runner = CliRunner(charset=encoding)
    for command in ("show", "replay verify", "replay debug --bot random --seat 0"):
        ended = runner.invoke(santiago, [*command.split(), f"{tmp_path}/game.santiago"])
        assert ended.exit_code == 0, ended.output
        assert "uz" in ended.stdout, ended.stdout


def test_an_output_of_another_kind_is_written_to_as_it_is() -> None:
    with redirect_stdout(StringIO()) as output:
        santiago(["--version"], standalone_mode=False)
    assert output.getvalue().startswith("santiago ")


def test_an_output_that_is_closed_is_as_one_that_nobody_reads() -> None:
    for script, code in (
        ("santiago selfplay --games 1 >&-", 0),
        ("santiago play random random --games 1 2>&-", 0),
        ("santiago plya >&- 2>&-", 2),
    ):
        ended = shell(script)
        assert (ended.returncode, ended.stderr) == (code, "")


def test_an_error_of_the_ladder_is_a_sentence(tmp_path: Path) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    told = run("tournament", "show", "7", DATABASE_URL=url)
    assert (told.exit_code, told.stderr) == (1, "Error: There is no tournament 7.\n")
