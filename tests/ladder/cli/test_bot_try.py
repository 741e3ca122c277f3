"""`santiago bot try`: in the sandbox of this machine, and without one."""

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.cli import bot_try
from ladder.cli.bot_try import DIFFERS
from referee.hosting.guards import Guards, guards
from referee.replay import MAGIC
from tests.conftest import missing
from tests.e2e.processes import until
from tests.ladder.cli.terminal import run

FIVE_LINES = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "decision":
        print(asked["legal"][0])
"""


@pytest.fixture(scope="module")
def cache() -> Iterator[str]:
    """A folder for copies of the runtime that sandboxes can read."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        Path(folder).chmod(0o755)
        yield folder


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text(FIVE_LINES)
    write_manifest(folder, "python3 bot.py")
    return folder


def write_manifest(folder: Path, entry: str, build: str = "", runtime: str = "lines") -> None:
    lines = ['name = "five"', 'version = "1.0"', f'runtime = "{runtime}"', f'entry = "{entry}"']
    (folder / "santiago.toml").write_text(
        "\n".join([*lines, f'build = "{build}"' if build else ""])
    )


def tried(package: Path, *options: str, cache: str) -> tuple[int, str]:
    result = run("bot", "try", str(package), *options, XDG_CACHE_HOME=cache)
    return result.exit_code, result.output


def test_a_folder_is_built_checked_and_played_with(bot: Path, cache: str) -> None:
    if guards().missing:
        missing("bubblewrap")
    code, said = tried(bot, "--games", "2", cache=cache)
    assert code == 0, said
    for sentence in (
        "Nothing to build",
        "SHA-256 ",
        "All 34 checks passed.",
        "2 games",
        "It used ",
    ):
        assert sentence in said


def test_a_build_does_not_steer_the_terminal(bot: Path, cache: str) -> None:
    if guards().missing:
        missing("bubblewrap")
    write_manifest(bot, "python3 bot.py", build="python3 -c 'print(chr(27), chr(7))'")
    code, said = tried(bot, "--no-check", "--games", "0", cache=cache)
    assert code == 0, said
    assert r"\x1b \x07" in said


PYTHON = """
import threading
from referee.bot import Bot

class Mine(Bot):
    name = "mine"

    def choose(self, decision):
        print("threads:", threading.active_count(), flush=True)
        return -1 if decision.position.turn > 3 else decision.moves[0]
"""


def test_a_bot_that_faults_in_a_game_fails_in_the_server_that_hosts_have(
    bot: Path, cache: str
) -> None:
    if guards().missing:
        missing("bubblewrap")
    (bot / "bot.py").write_text(PYTHON)
    write_manifest(bot, "bot:Mine", runtime="python")
    games = bot.parent / "games"
    options = ("--no-check", "--games", "1", "--replays", str(games))
    code, said = tried(bot, *options, cache=cache)
    assert code == 1, said
    assert "Game 1: five faulted." in said
    assert f"five did not win {games / '00001.santiago'}\n" in said
    assert (games / "00001.santiago").read_bytes().startswith(MAGIC)
    printed = said.partition("The last lines that the bot printed:\n")[2]
    assert "mine chose -1, which is not one of decision.moves" in printed
    assert printed.startswith("threads: 2 (")  # gRPC's has more


def test_a_bot_that_accepts_no_game_is_told_with_what_it_printed(bot: Path, cache: str) -> None:
    if guards().missing:
        missing("bubblewrap")
    failing = "    def __init__(self):\n        1 / 0\n\n    def choose"
    (bot / "bot.py").write_text(PYTHON.replace("    def choose", failing))
    write_manifest(bot, "bot:Mine", runtime="python")
    code, said = tried(bot, "--no-check", "--games", "1", cache=cache)
    assert code == 1
    assert said.endswith("\nZeroDivisionError: division by zero\n")


def test_a_bot_has_as_long_to_start_as_on_a_host(bot: Path, cache: str) -> None:
    if guards().missing:
        missing("bubblewrap")
    (bot / "bot.py").write_text("import time\nprint('loads', flush=True)\ntime.sleep(999)\n")
    write_manifest(bot, "bot.py", runtime="python")
    code, said = tried(bot, "--start-up", "3", cache=cache)
    assert code == 1
    assert (
        "The bot did not listen on SANTIAGO_ADDRESS within its start-up time of 3 s.\nloads\n"
        in said
    )


@pytest.mark.parametrize("options", [(), ("--no-check",)])
def test_why_a_bot_does_not_start_is_told_once(
    options: tuple[str, ...], bot: Path, cache: str
) -> None:
    if guards().missing:
        missing("bubblewrap")
    (bot / "bot.py").write_text("import sys\nprint('loads')\nsys.exit('I do not want.')\n")
    write_manifest(bot, "bot.py", runtime="python")
    code, said = tried(bot, *options, cache=cache)
    assert code == 1
    assert "it ended with exit code 1 before it listened." in said
    assert said.endswith("\nloads\nI do not want.\n")
    assert said.count("I do not want.") == 1


@pytest.mark.parametrize(
    ("entry", "advice"), [("./bot", "such as ./bot.\n"), ("bin/bot", "`chmod +x` allows it.\n")]
)
def test_what_to_do_for_a_program_that_cannot_be_run(
    entry: str, advice: str, bot: Path, cache: str
) -> None:
    if guards().missing:
        missing("bubblewrap")
    (bot / "bin").mkdir()
    (bot / "bin" / "bot").write_text("#!/bin/sh\n")
    write_manifest(bot, entry, runtime="native")
    code, said = tried(bot, cache=cache)
    assert code == 1
    assert f"The bot did not start: '{entry}' can't be run: " in said
    assert said.endswith(advice)
    assert "bwrap" not in said


def test_a_bot_that_does_not_play(bot: Path, cache: str) -> None:
    if guards().missing:
        missing("bubblewrap")
    write_manifest(bot, "no-such-program")
    code, said = tried(bot, "--no-check", cache=cache)
    assert code == 1
    assert "it ended with exit code 1 before it listened" in said
    assert "'no-such-program' is not a program that can be started here" in said


def test_a_file_that_is_no_package_is_named(bot: Path, cache: str) -> None:
    code, said = tried(bot / "bot.py", cache=cache)
    assert code == 1
    assert f"{bot / 'bot.py'} would be refused:\n  It is neither a .zip nor a .tar.gz.\n" in said
    assert "`santiago bot pack FOLDER` makes a package" in said
    (bot / "santiago.toml").unlink()
    code, said = tried(bot, cache=cache)
    assert code == 1
    assert f"{bot} would be refused:\n  It has no santiago.toml" in said


def test_what_killed_runs_have_left_goes_when_no_run_is_under_way(
    bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "santiago" / "runs"
    of_killed = runs / "killed" / "blobs"
    of_killed.mkdir(parents=True)

    def goes_on(uids: range) -> Guards:
        assert of_killed.exists() == is_locked
        assert len(list(runs.iterdir())) == 1 + is_locked
        return Guards(missing="Install bubblewrap.")

    monkeypatch.setattr(bot_try, "guards", goes_on)
    options = ("--no-check", "--games", "0")
    with (tmp_path / "santiago" / "runs.lock").open("w") as lock:
        for is_locked in (True, False):
            fcntl.flock(lock, fcntl.LOCK_SH if is_locked else fcntl.LOCK_UN)
            code, said = tried(bot, *options, cache=str(tmp_path))
            assert code == 0, said
            assert of_killed.exists() == is_locked
    assert list(runs.iterdir()) == []


def test_a_killed_run_leaves_no_folder_of_sockets(bot: Path, cache: str) -> None:
    if guards().missing:
        missing("bubblewrap")
    write_manifest(bot, "bot.py", runtime="python")
    (bot / "bot.py").write_text("import time\ntime.sleep(60)\n")
    command = [sys.executable, "-P", "-m", "ladder.cli.main", "bot", "try", str(bot)]
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        temporary = Path(folder)
        variables = os.environ | {"TMPDIR": folder, "XDG_CACHE_HOME": cache}
        with subprocess.Popen(command, env=variables) as trying:
            try:
                until(lambda: any(temporary.glob("*/host")))
            finally:
                trying.kill()
        until(lambda: not any(temporary.iterdir()))


def test_a_machine_without_sandboxes(
    bot: Path, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried_with: list[range] = []

    def none(uids: range) -> Guards:
        tried_with.append(uids)
        return Guards(missing="Install bubblewrap.")

    monkeypatch.setattr(bot_try, "guards", none)
    monkeypatch.setenv("SANTIAGO_SANDBOX_UIDS", "900001-900002")
    write_manifest(bot, "python3 made/bot.py", build="mkdir made && mv bot.py made")
    code, said = tried(bot, "--no-check", "--games", "2", cache=cache)
    assert code == 0, said
    assert tried_with == [range(900_001, 900_003)]
    assert "This machine has no sandbox. Install bubblewrap." in said
    assert all(sentence in said for sentence in DIFFERS)
    assert "Built twice, with the same bytes." in said
    assert "2 games" in said
    folder = tmp_path / "host"
    folder.mkdir()
    monkeypatch.setenv("SANTIAGO_HOST_FOLDER", str(folder))
    write_manifest(bot, "python3 bot.py")
    code, said = tried(bot, "--no-check", "--games", "0", cache=str(tmp_path / "cache"))
    assert code == 0, said
    assert said.splitlines()[-1].startswith("Built: ")
    assert not (tmp_path / "cache").exists(), "the folder of hosts serves"
    write_manifest(bot, "python3 bot.py", build="echo oh && exit 3")
    code, said = tried(bot, "--no-check", cache=cache)
    assert code == 1
    assert "\noh\n" in said
    assert "The build step ended with exit code 3." in said


PRINTS_WITHOUT_END = """
import os, time
os.write(2, bytes(9 << 20))
while os.fstat(2).st_size > 1 << 20:
    time.sleep(0.01)
"""


def test_without_a_sandbox_the_log_of_a_bot_stays_short(
    bot: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot waits for that before it reads its first line."""
    monkeypatch.setattr(bot_try, "guards", lambda _: Guards(missing="Install bubblewrap."))
    (bot / "bot.py").write_text(PRINTS_WITHOUT_END + FIVE_LINES)
    code, said = tried(bot, "--no-check", "--games", "1", "--start-up", "60", cache=cache)
    assert code == 0, said


def test_without_a_sandbox_a_bot_has_twice_the_start_up_time_to_listen(
    bot: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_try, "guards", lambda _: Guards(missing="Install bubblewrap."))
    write_manifest(bot, "sleep 999", runtime="native")
    code, said = tried(bot, "--no-check", "--start-up", "0.25", cache=cache)
    assert code == 1
    assert " after 0.5 s: it has to listen where SANTIAGO_ADDRESS says." in said


LEAVES = """
import os
from referee.bot import Bot

class Mine(Bot):
    name = "mine"

    def choose(self, decision):
        os._exit(3)
"""


@pytest.mark.parametrize("sandboxed", [True, False])
def test_once_a_bot_has_ended_no_check_is_tried(
    sandboxed: bool, bot: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sandboxed and guards().missing:
        missing("bubblewrap")
    if not sandboxed:
        monkeypatch.setattr(bot_try, "guards", lambda _: Guards(missing="Install bubblewrap."))
    (bot / "bot.py").write_text(LEAVES)
    write_manifest(bot, "bot:Mine", runtime="python")
    code, said = tried(bot, cache=cache)
    assert code == 1
    assert "\n1 of 34 checks failed, 31 were not tried.\n" in said
