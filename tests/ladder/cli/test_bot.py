"""`santiago bot check` and `santiago bot serve` as their users see them."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from referee.processes import BotProcess
from referee.seats.description import describe
from tests.forking import Forked
from tests.ladder.cli.terminal import TIMEOUT, fails, run, succeeds

pytestmark = pytest.mark.usefixtures("forked_python")
FAULTY = "python -m referee.serving tests.referee.games:FaultyBot"
QUICK = ("--pause", "0.05")


def test_a_good_bot_passes_line_by_line() -> None:
    lines = succeeds("bot", "check", "random", *QUICK).splitlines()
    assert lines[-1] == "All 35 checks passed."
    assert lines[0].startswith("ok         start ")
    assert all(line.startswith("ok  ") for line in lines[:-1])
    assert "ok         tribute                 It chooses what it gives to El Zorro." in lines


def test_a_bot_that_crashes_is_told_where() -> None:
    result = run("bot", "check", FAULTY, *QUICK)
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    broken = lines.index("FAILED stays It keeps the stream open until the game is over.")
    assert lines[broken + 1].startswith("closed: It ended the stream with an error (UNKNOWN: Arith")
    end = next(n for n, line in enumerate(lines) if "checks failed" in line)
    assert lines[end + 1].startswith(
        "First mend: stays - closed: It ended the stream with an error"
    )
    told = [line for line in lines[:end] if "ArithmeticError" in line]
    assert [line.partition(":")[0] for line in told] == ["The game broke off before", "closed"]
    assert lines[broken - 2].startswith("not tried in-time"), "and no other for this reason"
    assert any(line.endswith("(as above, at stays)") for line in lines[broken + 2 : end])
    assert "The last lines that the bot printed:" in lines
    assert "ArithmeticError: no idea" in lines


def test_json_is_one_object_and_the_exit_code_is_the_same() -> None:
    only = [word for name in ("describe", "stays", "game-of-2") for word in ("--only", name)]
    result = run("bot", "check", FAULTY, "--json", *only, *QUICK)
    report = json.loads(result.stdout)
    assert (result.exit_code, report["passed"], report["bot"]) == (1, False, FAULTY)
    by_name = {check["name"]: check for check in report["checks"]}
    assert by_name["describe"]["state"] == "passed"
    assert (by_name["stays"]["state"], by_name["stays"]["code"]) == ("failed", "closed")
    assert by_name["game-of-2"]["told"].startswith("It ended the stream with an error")


def test_a_command_that_starts_no_bot() -> None:
    result = run("bot", "check", 'python -c "print(1 / 0)"', *QUICK)
    assert result.exit_code == 1
    assert result.stdout.startswith("FAILED     start ")
    assert "ended with exit code 1 before it listened on" in result.stdout
    assert result.stdout.count("not tried ") == 1, "all others for the same reason"
    assert "ZeroDivisionError: division by zero" in result.stdout


def test_a_bot_that_ends_in_a_game() -> None:
    crashing = f"{sys.executable} -m tests.ladder.local.bots crashing"
    result = run("bot", "check", crashing, "--only", "drive", *QUICK)
    assert result.exit_code == 1
    assert "The bot ended with exit code 3." in result.stdout.splitlines()


def test_once_a_bot_has_ended_no_check_is_tried() -> None:
    crashing = f"{sys.executable} -m tests.ladder.local.bots crashing"
    only = ("--only", "drive", "--only", "visit", "--only", "game-of-2")
    result = run("bot", "check", crashing, *only, *QUICK)
    assert result.exit_code == 1
    _, failed, _, left_out, told, count, *end = result.stdout.splitlines()
    assert failed.startswith("FAILED     drive ")
    assert left_out.startswith("not tried  visit ")
    assert told.strip() == "First mend drive."
    assert count == "1 of 4 checks failed, 2 were not tried."
    assert end[0] == "The bot ended with exit code 3."


def test_a_bot_that_ends_when_it_describes_itself(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text(
        "import os, socket\nlistener = socket.socket(socket.AF_UNIX)\n"
        "listener.bind(os.environ['SANTIAGO_ADDRESS'].removeprefix('unix:'))\nlistener.listen()\n"
        "while not listener.accept()[0].recv(1): pass\nos._exit(3)\n"
    )
    result = run("bot", "check", f"{sys.executable} {tmp_path}/ends.py", *QUICK)
    assert result.exit_code == 1
    started, failed, told, *_ = result.stdout.splitlines()
    assert started.startswith("ok         start ")
    assert failed.startswith("FAILED     describe ")
    assert told.endswith("ended with exit code 3 when it was asked to describe itself (Describe).")


def test_only_the_checks_that_are_named() -> None:
    lines = succeeds("bot", "check", "random", "--only", "tribute", "--only", "legal-index", *QUICK)
    made = [line.split()[1] for line in lines.splitlines()]
    assert made == ["start", "legal-index", "tribute", "3"]  # "All 3 checks passed."


def test_no_check_of_that_name() -> None:
    told = fails("bot", "check", "random", "--only", "drive", "--only", "driving", code=2)
    assert "no check is called driving. There are: start, describe, accept, in-time, " in told


def test_a_bot_that_runs_is_checked_at_its_address(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/bot"
    command = ["python", "-m", "referee.serving", "sample_bots.random_bot:RandomBot"]
    with BotProcess(command, address) as process:
        process.wait_until_ready()
        assert "All 34 checks passed." in succeeds("bot", "check", address, *QUICK)


@pytest.mark.parametrize("word", ["greedi", "'"])
def test_a_word_that_means_no_bot(word: str) -> None:
    assert fails("bot", "check", word).startswith(f"Error: {word!r} is not ")


def test_a_bot_in_the_folder_where_one_is_can_be_served(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from referee.bot import Bot\nclass Mine(Bot):\n    name = 'mine'\n"
    )
    address = f"unix:{tmp_path}/bot"
    serve = ("ladder.cli.main", "bot", "serve", "mine:Mine", "--address", address)
    with Forked(*serve, env=os.environ, cwd=tmp_path) as process:
        assert describe(address, TIMEOUT).name == "mine"
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 0


def test_a_program_that_prints_moves_can_be_served(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/bot"
    word = "lines:python -c pass"
    serve = ("ladder.cli.main", "bot", "serve", word, "--address", address)
    with Forked(*serve, env=os.environ, cwd=tmp_path) as process:
        assert describe(address, TIMEOUT).name == "python"
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == 0


def test_what_a_bot_raises_when_it_is_imported_is_told_from_its_own_line_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lacks_bracket.py").write_text("def choose(:")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    told = fails("bot", "serve", "lacks_bracket:Any").splitlines()
    assert told[0] == "Error: lacks_bracket cannot be imported:"
    assert told[1].endswith('lacks_bracket.py", line 1')
    assert told[-1] == "SyntaxError: invalid syntax"
    (tmp_path / "lacks_weights.py").write_text("x = 1\nopen('weights.npz')")
    told = fails("bot", "serve", "lacks_weights:Any").splitlines()
    assert told[0] == "Error: lacks_weights cannot be imported:"
    assert told[2].endswith('lacks_weights.py", line 2, in <module>')
    assert told[-1].endswith("No such file or directory: 'weights.npz'")
    (tmp_path / "misspells.py").write_text("from random import chioce")
    told = fails("bot", "serve", "misspells:Any").splitlines()
    assert told[2].endswith('misspells.py", line 1, in <module>')
    (tmp_path / "needs_more.py").write_text("raise ModuleNotFoundError('Install rum.')")
    told = fails("bot", "serve", "needs_more:Any").splitlines()
    assert told[2].endswith('needs_more.py", line 1, in <module>')


def test_what_cannot_be_served() -> None:
    assert "'nothing:Here' names no bot" in fails("bot", "serve", "nothing:Here")
    for word, sentence in (
        ("lines:python 'x", 'Error: "python \'x" is not a command: No closing quotation.'),
        (
            "nothing",
            "Error: 'nothing' is not an installed bot (greedy, planner, random, turquino); ",
        ),
        ("lines:", "Error: 'lines:' needs a command, such as 'lines:python3 bot.py'."),
    ):
        assert fails("bot", "serve", word).startswith(sentence)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:99999", "127.0.0.1:0", ":0.0.0.0", "0.0.0.0", "\udcff:1", "unix:/tmp/\udcff"],
)
def test_where_nothing_can_be_served(address: str) -> None:
    result = run("bot", "serve", "sample_bots.greedy:GreedyBot", "--address", address)
    assert result.exit_code == 1
    assert f"{address!r} is no address to listen on: give HOST:PORT, with a port of 1" in (
        result.output
    )
