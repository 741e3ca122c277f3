"""`santiago play`: what it prints, what it writes, and how it ends early."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ladder.command import play_report
from tests.e2e.processes import started_by, still_there, until
from tests.e2e.santiago import own_folder
from tests.ladder.command.terminal import PATIENCE, ROOT, fails, run, succeeds
from tests.ladder.local.test_strength import game

SMALL_FILES_ONLY = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from ladder.command.main import main
if __name__ == "__main__":
    main()
"""
BOTS = f"{sys.executable} -m tests.ladder.local.bots"


def test_it_compares_the_bots_and_writes_a_replay_a_game_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "replays"
    words = ["random", "greedy", "greedy", "--seats", "3", "--games", "4", "--jobs", "2"]
    result = run("play", *words, "--replays", str(folder))
    assert result.exit_code == 0
    assert sorted(file.name for file in folder.iterdir()) == [
        f"0000{n}.santiago" for n in (1, 2, 3, 4)
    ]
    succeeds("replay", "verify", *map(str, folder.iterdir()))
    assert result.stdout.startswith("4 games")
    assert "greedy against random: " in result.stdout
    assert "of 8 meetings" in result.stdout
    assert result.stderr.splitlines()[-1] == "Games: 4 of 4"


def test_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    def traces(folder: Path, seed: str) -> list[list[dict[str, object]]]:
        words = ["greedy", "greedy", "--games", "2", "--seed", seed]
        succeeds("play", *words, "--replays", str(folder))
        files = [str(folder / f"0000{n}.santiago") for n in (1, 2)]
        games = [succeeds("replay", "trace", file).splitlines() for file in files]
        return [[json.loads(line) for line in game] for game in games]

    first = traces(tmp_path / "1", "7")
    assert first == traces(tmp_path / "2", "7")
    assert first != traces(tmp_path / "3", "8")


def test_too_few_bots_for_the_table() -> None:
    told = fails("play", "random", "greedy", "--seats", "3", code=2)
    assert "A table of 3 needs 3 bots, and 2 are named." in told
    assert "santiago play random greedy random --seats 3" in told


def test_options_and_bots_that_make_no_sense(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for words, sentence, code in (
        ((), "Missing argument 'BOTS...'", 2),
        (("random", "gredy"), "'gredy' is no installed bot", 1),
        (("random", "greedy", "--seats", "5"), "Invalid value for '--seats'", 2),
        (("random", "greedy", "--games", "0"), "Invalid value for '--games'", 2),
        (("random", "greedy", "--bank", "-1"), "A clock needs", 2),
        (("random", "greedy", "--replays", str(tmp_path)), "is not empty", 2),
        (("random", "greedy", "--replays", str(tmp_path / "file")), "is a file", 2),
        (("random", "greedy", "--replays", str(tmp_path / "file" / "x")), "Not a directory", 1),
    ):
        assert sentence in fails("play", *words, code=code)


def test_a_disk_that_is_full_leaves_no_half_replay(tmp_path: Path) -> None:
    arguments = ["play", "random", "random", "--games", "5", "--replays", str(tmp_path)]
    ended = subprocess.run(
        [sys.executable, "-B", "-c", SMALL_FILES_ONLY, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE,
    )
    assert ended.returncode == 1
    assert ended.stderr == f"Error: {tmp_path}/00001.santiago: File too large\n"
    assert list(tmp_path.iterdir()) == []


@contextmanager
def endless(replays: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A tournament in the middle of very many games, and the folder of its temporary files."""
    words = ["random", f"{BOTS} quiet", "--games", "5000", "--replays", str(replays)]
    with own_folder() as temporary:
        playing = subprocess.Popen(
            [sys.executable, "-m", "ladder.command.main", "play", *words],
            env=os.environ | {"TMPDIR": str(temporary)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until(lambda: len(list(replays.glob("*.santiago"))) > 2)
        yield playing, temporary
        playing.kill()
        playing.wait(PATIENCE)


def test_what_was_played_counts_when_it_is_stopped(tmp_path: Path) -> None:
    with endless(tmp_path) as (playing, temporary):
        parts = started_by(playing.pid)
        playing.send_signal(signal.SIGINT)
        out, err = playing.communicate(timeout=PATIENCE)
        assert playing.returncode == 128 + signal.SIGINT
        assert err == ""
        assert out.startswith(f"{len(list(tmp_path.iterdir()))} of 5000 games")
        assert "quiet" in out
        until(lambda: not still_there(parts))
        assert list(temporary.iterdir()) == []


def test_when_it_is_killed_its_bots_and_helpers_end(tmp_path: Path) -> None:
    with endless(tmp_path) as (playing, temporary):
        parts = started_by(playing.pid)
        playing.kill()
        playing.communicate(timeout=PATIENCE)
        until(lambda: not still_there(parts))
        until(lambda: not list(temporary.iterdir()))


def test_the_report_says_who_faulted_and_when_games_are_too_few(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = game(1, 2, vp=(), faults=[(1, "No choice came within [1.000] s.")])
    play_report.report([lost], 1, ["ana", "luz"])
    told = capsys.readouterr().out
    assert "–" in told  # no mean of the victory points
    assert "ana against luz: 100.0% of 1 meeting; too few games to say more." in told
    assert "Game 1: luz faulted. No choice came within [1.000] s." in told


def test_the_report_of_a_clear_win(capsys: pytest.CaptureFixture[str]) -> None:
    play_report.report([game(1, 2, deal=deal) for deal in range(30)], 30, ["ana", "luz"])
    assert "Elo +∞ (95 %: +520 to +∞)" in capsys.readouterr().out
