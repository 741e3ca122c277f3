"""`santiago play`: what it prints, what it writes, and how it ends early."""

import csv
import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ladder.cli import play_report
from ladder.local import tournament
from tests.e2e.processes import started_by, still_there, until
from tests.e2e.santiago import own_folder
from tests.forking import Forked
from tests.ladder.cli.terminal import ROOT, TIMEOUT, fails, run, succeeds

pytestmark = pytest.mark.usefixtures("forked_python", "quick_bots")
SMALL_FILES_ONLY = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from ladder.cli.main import main
if __name__ == "__main__":
    main()
"""
BOTS = "python -m tests.ladder.local.bots"


class _Here(ThreadPoolExecutor):
    """Plays in the test's process: another takes longer to start than most of them play."""

    def __init__(self, jobs: int, *_: object, **__: object) -> None:
        super().__init__(jobs)


@pytest.fixture
def _played_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For tests of what is played; others start the processes that play."""
    monkeypatch.setattr(tournament, "ProcessPoolExecutor", _Here)
    yield
    tournament._runner().close()
    tournament._runner.cache_clear()


played_here = pytest.mark.usefixtures("_played_here")


def test_it_compares_the_bots_and_writes_a_replay_a_game_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "replays"
    words = ["random", "greedy", "greedy", "--seats", "3", "--games", "2", "--jobs", "2"]
    result = run("play", *words, "--replays", str(folder))
    assert result.exit_code == 0
    assert sorted(file.name for file in folder.iterdir()) == ["00001.santiago", "00002.santiago"]
    succeeds("replay", "verify", *map(str, folder.iterdir()))
    assert result.stdout.startswith("2 games")
    assert re.search(r"greedy beats random at \d of 4 meetings", result.stdout)
    assert result.stderr.splitlines()[-1] == "Games: 2 of 2"


@played_here
def test_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    def traced(folder: Path, seed: str) -> list[dict[str, object]]:
        words = ["quiet", "quiet", "--games", "1", "--seed", seed]
        succeeds("play", *words, "--replays", str(folder))
        trace = succeeds("replay", "trace", str(folder / "00001.santiago"))
        return [json.loads(line) for line in trace.splitlines()]

    first = traced(tmp_path / "1", "7")
    assert first == traced(tmp_path / "2", "7")
    assert first != traced(tmp_path / "3", "8")


@played_here
def test_the_same_seed_and_shared_dice_repeat_games_of_bots_that_send_nonces(
    tmp_path: Path,
) -> None:
    def rolls(folder: Path, *more: str) -> list[str]:
        words = ["quiet", f"{BOTS} quiet", "--games", "1", "--seed", "7", *more]
        succeeds("play", *words, "--replays", str(folder))
        trace = succeeds("replay", "trace", str(folder / "00001.santiago")).splitlines()
        return [line for line in trace if '"type":"roll"' in line]

    shared = rolls(tmp_path / "1", "--shared-dice")
    assert shared == rolls(tmp_path / "2", "--shared-dice")
    assert shared != rolls(tmp_path / "3"), "by the nonces, too"


@played_here
def test_it_names_the_games_that_a_bot_did_not_win(tmp_path: Path) -> None:
    folder = tmp_path / "my games"
    out = succeeds("play", "raising", "random", "--games", "7", "--replays", str(folder))
    files = " ".join(f"'{folder}/0000{n}.santiago'" for n in range(1, 6))
    assert out.splitlines()[-1] == f"raising did not win {files} and 2 more"


def test_a_folder_that_is_not_empty_has_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "00001.santiago").touch()
    (tmp_path / "games-2").mkdir()
    told = fails("play", "random", "greedy", "--replays", str(tmp_path / "games"), code=2)
    assert f"such as --replays {tmp_path}/games-3, or remove the old one first." in told
    told = fails("play", "random", "greedy", "--replays", f"{tmp_path}/games/..", code=2)
    assert f"such as --replays {tmp_path}/games/../games-3, or remove" in told


def test_what_bots_print_and_nothing_of_grpc_when_they_are_late(tmp_path: Path) -> None:
    words = ["random", f"{BOTS} silent", "--games", "3", "--move-limit", "0.5"]
    result = run("play", *words, "--bot-output", str(tmp_path / "out"))
    assert (result.exit_code, result.stderr) == (
        0,
        "".join(f"Games: {n} of 3\n" for n in (1, 2, 3)),
    )
    (file,) = (tmp_path / "out").iterdir()
    assert re.fullmatch(r"2-[\w.-]+tests.ladder.local.bots-silent\.log", file.name)
    lines = file.read_text().splitlines()
    assert sum(line.startswith("I shall think about these ") for line in lines) >= 3


def test_a_bot_whose_process_ends_is_told_by_its_own_words() -> None:
    result = run("play", "random", f"{BOTS} leaving", "--games", "2", "--move-limit", "0.5")
    assert result.exit_code == 1
    assert f"The bot '{BOTS} leaving' ended with exit code 3. Its last words:" in result.stderr
    assert "I am off." in result.stderr


@pytest.mark.parametrize("command", [("play", "random"), ("bot", "check")])
def test_a_bot_that_never_listens_is_waited_for_by_the_start_up_time(
    command: tuple[str, ...],
) -> None:
    result = run(*command, "sleep 999", "--start-up", "0.25")
    assert result.exit_code == 1
    assert re.search(r"does not listen on unix:\S+ after 0\.5 s: it has to", result.output)


def test_after_a_fault_one_reads_what_the_bot_printed(tmp_path: Path) -> None:
    words = ["random", f"{BOTS} silent", "--games", "1", "--move-limit", "0.5"]
    hint = "With --bot-output FOLDER you can read all that the bots printed."
    _, printed = run("play", *words).stdout.split("\nsilent printed last:\n")
    assert "\n  I shall think about these " in printed
    assert printed.endswith(f"{hint}\n")
    assert hint not in run("play", *words, "--bot-output", str(tmp_path)).output


def test_of_a_bot_named_twice_one_reads_what_the_process_printed_that_faulted(
    tmp_path: Path,
) -> None:
    words = [f"{BOTS} silent", f"{BOTS} silent", "random", "--seats", "2", "--games", "1"]
    once = [*words, "--move-limit", "0.5", "--seed", "1", "--log", str(tmp_path / "log")]
    _, printed = run("play", *once).stdout.split("\nsilent printed last:\n")
    assert "\n  I shall think about these " in printed
    assert "printed last" not in run("play", *once).output, "nothing was played"


@played_here
def test_a_gauntlet_of_deals(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ["random", "quiet", f"{BOTS} named other", "--gauntlet", "--deals", "2"]
    out = succeeds("play", *words, "--log", str(log))
    assert out.startswith("8 games")
    _, *games = map(json.loads, log.read_text().splitlines())
    assert len(games) == 8
    assert all(0 in line["entrants"] for line in games)
    assert re.search(r"\bquiet (beats|and) random|random (beats|and) quiet\b", out)
    assert not re.search(r"\bquiet (beats|and) other|other (beats|and) quiet\b", out)


@played_here
@pytest.mark.parametrize(("seats", "size"), [(2, 2), (3, 6), (4, 4)])
def test_a_sequential_test_ends_when_it_knows(seats: int, size: int, tmp_path: Path) -> None:
    file = tmp_path / "told.json"
    words = ["raising", "random", "--sprt", "0", "400", "--seats", str(seats), "--seed", "1"]
    out = succeeds("play", *words, "--json", str(file))
    assert "SPRT: raising is nearer to +0 Elo than to +400 (H0)" in out
    told = json.loads(file.read_text())
    assert told["test"]["verdict"] == "H0"
    assert told["games"] >= told["test"]["deals"] * size > 0


@played_here
def test_json_and_csv(tmp_path: Path) -> None:
    words = ["random", "quiet", "--games", "4"]
    files = [str(tmp_path / name) for name in ("told.json", "told.csv")]
    succeeds("play", *words, "--json", files[0], "--csv", files[1])
    told = json.loads(Path(files[0]).read_text())
    rows = list(csv.DictReader(StringIO(Path(files[1]).read_text())))
    assert [bot["name"] for bot in told["bots"]] == [row["bot"] for row in rows]
    for bot, row in zip(told["bots"], rows, strict=True):
        assert float(row["score"]) == bot["score"]
        assert int(row["games_seat_0"]) == bot["by_seat"]["0"]["games"] == 2
        assert int(row["games"]) == bot["wins"]["games"] == 4
    assert told["pairs"][0]["meetings"] == 4


def test_a_dash_prints_nothing_else_to_the_standard_output(tmp_path: Path) -> None:
    words = ["random", f"{BOTS} crashing", "--games", "1"]
    told = run("play", *words, "--json", "-", "--csv", str(tmp_path / "told.csv"))
    assert json.loads(told.stdout)["games"] == 1
    assert told.stdout.endswith("}\n"), "as in a file"
    assert "With --bot-output FOLDER you can read" in told.stderr
    assert run("play", *words[:1] * 2, "--games", "1", "--csv", "-").stdout.startswith("bot,elo,")


@played_here
def test_an_output_that_is_closed_loses_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(play_report, "print_report", closed)
    files = [tmp_path / name for name in ("told.json", "told.csv")]
    words = ("random", "quiet", "--games", "2", "--json", str(files[0]), "--csv", str(files[1]))
    assert run("play", *words).exit_code == 1
    assert all(file.read_text() for file in files)


@played_here
def test_a_file_that_cannot_be_written_loses_nothing_else(tmp_path: Path) -> None:
    file, folder = tmp_path / "told.csv", tmp_path / "told.json.part"
    folder.mkdir()
    words = ("random", "quiet", "--games", "2", "--csv", str(file))
    result = run("play", *words, "--json", str(tmp_path / "told.json"))
    assert result.exit_code == 1
    assert result.stdout.startswith("2 games")
    assert "told.json: Is a directory" in result.stderr
    assert file.read_text()


def test_too_few_bots_for_the_table() -> None:
    told = fails("play", "random", "greedy", "--seats", "3", code=2)
    assert "A table of 3 needs 3 bots, not 2." in told
    assert "santiago play random greedy random --seats 3" in told


def test_options_and_bots_that_make_no_sense(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for words, sentence, code in (
        ((), "Missing argument 'BOTS...'", 2),
        (("random", "gredy"), "'gredy' is not an installed bot", 1),
        (("random", "greedy", "--seats", "5"), "Invalid value for '--seats'", 2),
        (("random", "greedy", "--games", "0"), "Invalid value for '--games'", 2),
        (("random", "greedy", "--seed", "-1"), "Invalid value for '--seed'", 2),
        (("random", "greedy", "--games", "1000001"), "These are 1,000,001 games; one run", 2),
        (("random", "greedy", "--deals", "1000000"), "These are 2,000,000 games; one run", 2),
        (("random", "greedy", "--bank", "-1"), "A clock needs", 2),
        (("random", "greedy", "--games", "2", "--deals", "1"), "say the same", 2),
        (("random", "greedy", "--sprt", "5", "0"), "the smaller Elo first", 2),
        (("random", "greedy", "--sprt", "-1e9", "1e9"), "Elo from -4000 to 4000", 2),
        (("random", "greedy", "--sprt", "0", "inf"), "Elo from -4000 to 4000", 2),
        (("random", "random", "--sprt", "0", "5"), "compares two different bots", 2),
        (("random", "greedy", "random", "--sprt", "0", "5"), "compares two different bots", 2),
        (("random", "greedy", "--sprt", "0", "5", "--gauntlet"), "compares two different", 2),
        (("random", "greedy", "--log", "-"), "it needs a file, not `-`", 2),
        (("random", "greedy", "--log", "/dev/null"), "it needs a file, not `/dev/null`", 2),
        (("random", "greedy", "--log", ""), "The name of a file to be written is empty", 2),
        (("random", "greedy", "--json", ""), "The name of a file to be written is empty", 2),
        (("random", "greedy", "--json", "-", "--csv", "-"), "Only one output can go to -", 2),
        (("random", "greedy", "--json", "x", "--log", "./x"), "Only one output can go to x", 2),
        (("random", "greedy", "--json", str(tmp_path / "no" / "x")), "no is no folder", 2),
        (("random", "greedy", "--replays", str(tmp_path)), "is not empty", 2),
        (("random", "greedy", "--replays", str(tmp_path / "file")), "is a file", 2),
        (("random", "greedy", "--replays", str(tmp_path / "file" / "x")), "Not a directory", 1),
    ):
        assert sentence in fails("play", *words, code=code)


def test_a_folder_that_takes_no_file_is_told_before_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (tmp_path, os.W_OK))
    for _ in ("there is none", "there is one"):
        told = fails("play", "random", "greedy", "--json", str(tmp_path / "x"), code=2)
        assert f"You may not write into {tmp_path}, so not {tmp_path}/x either." in told
        (tmp_path / "x").touch()
    succeeds("play", "random", "random", "--games", "2", "--log", str(tmp_path / "x"))


def test_a_disk_that_is_full_leaves_no_half_replay(tmp_path: Path) -> None:
    arguments = ["play", "random", "random", "--games", "5", "--replays", str(tmp_path)]
    ended = subprocess.run(
        [sys.executable, "-B", "-c", SMALL_FILES_ONLY, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=TIMEOUT,
    )
    assert ended.returncode == 1
    first = rf"Error: {tmp_path}/0000\d\.santiago: File too large\n"  # of those played at once
    assert re.fullmatch(first, ended.stderr)
    assert list(tmp_path.iterdir()) == []


@contextmanager
def endless(replays: Path, *more: str) -> Iterator[tuple[Forked, Path]]:
    """A tournament in the middle of very many games, and the folder of its temporary files."""
    words = ["random", f"{BOTS} quiet", "--games", "5000", "--replays", str(replays), *more]
    with own_folder() as temporary:
        environ = os.environ | {"TMPDIR": str(temporary)}
        with Forked("ladder.cli.main", "play", *words, env=environ, piped=True) as playing:
            until(lambda: len(list(replays.glob("*.santiago"))) > 2)
            yield playing, temporary


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_was_played_counts_when_all_its_processes_are_stopped(
    number: signal.Signals, tmp_path: Path
) -> None:
    log, replays = tmp_path / "log", tmp_path / "replays"
    replays.mkdir()
    with endless(replays, "--log", str(log)) as (playing, temporary):
        parts = started_by(playing.pid)
        os.killpg(playing.pid, number)
        out, err = playing.communicate(timeout=TIMEOUT)
        assert playing.returncode == 128 + number
        assert err == ""
        assert out.startswith(f"{len(list(replays.iterdir()))} of 5000 games")
        assert "quiet" in out
        assert f"The same command goes on from here, by {log}." in out
        until(lambda: not still_there(parts))
        assert list(temporary.iterdir()) == []


@played_here
def test_ctrl_c_is_blocked_while_the_processes_that_play_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submit, blocked = _Here.submit, list[bool]()

    def noting(pool: _Here, *given: Any, **named: Any) -> Future[Any]:
        blocked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        return submit(pool, *given, **named)

    monkeypatch.setattr(_Here, "submit", noting)
    succeeds("play", "quiet", "quiet", "--games", "3")
    assert blocked == [True] * 3
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_when_it_is_killed_its_bots_and_helpers_end(tmp_path: Path) -> None:
    with endless(tmp_path) as (playing, temporary):
        parts = started_by(playing.pid)
        playing.kill()
        playing.communicate(timeout=TIMEOUT)
        until(lambda: not still_there(parts))
        until(lambda: not list(temporary.iterdir()))


def test_it_goes_on_by_its_log_after_it_was_killed(tmp_path: Path) -> None:
    log, replays = tmp_path / "log", tmp_path / "replays"
    replays.mkdir()
    with endless(replays, "--log", str(log)) as (playing, _):
        until(lambda: log.read_text().count("\n") > 3)
        playing.kill()
        playing.communicate(timeout=TIMEOUT)
    before = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(before) + before[-1][:20])  # the next line, torn
    words = ["random", f"{BOTS} quiet", "--games", "12", "--log", str(log)]
    out = succeeds("play", *words, "--replays", str(replays))
    after = log.read_bytes().splitlines(keepends=True)
    assert after[: len(before)] == before
    numbers = [json.loads(line)["game"] for line in after[1:]]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert out.startswith(f"{max(12, len(numbers))} games")
    assert {f"{number:05}.santiago" for number in numbers} <= {f.name for f in replays.iterdir()}


@played_here
def test_a_log_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    words = ["play", "quiet", "quiet", "--seed", "4"]
    logs = [tmp_path / "one", tmp_path / "two"]
    succeeds(*words, "--games", "2", "--log", str(logs[0]))
    for games in ("1", "2"):
        succeeds(*words, "--games", games, "--log", str(logs[1]))
    one, two = ([json.loads(line) for line in log.read_text().splitlines()] for log in logs)
    for lines in (one, two):
        lines.sort(key=lambda line: line.get("game", 0))  # the game that ends first stands first
        for line in lines:
            line.pop("think", None)
    assert one == two
    assert succeeds("play", "quiet", "quiet", "--games", "2", "--log", str(logs[1]))
