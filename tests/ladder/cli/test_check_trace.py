"""`santiago replay check-trace`: what it says of right and of wrong traces."""

from pathlib import Path

from referee import replay
from tests.ladder.cli.terminal import fails, shell, succeeds
from tests.referee.games import DrawingBot, local_game


def test_a_right_trace_from_a_pipe() -> None:
    told = shell("santiago selfplay --games 2 --trace | santiago replay check-trace -")
    assert told.returncode == 0
    assert told.stdout.startswith("The trace is right. Games: 2, choices: ")


def test_a_wrong_trace_is_told_by_its_first_wrong_line(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    lines = succeeds("selfplay", "--trace").splitlines(keepends=True)
    lines[9] = lines[9].replace('"value":2', '"value":3')
    file.write_text("".join(lines), encoding="utf-8")
    told = fails("replay", "check-trace", str(file))
    assert "Line 10 of the trace is wrong: state.value is 3 and should be 2." in told


def test_a_file_that_is_no_text_is_told_too(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\xff\xfe\n\x00")
    told = fails("replay", "check-trace", str(file))
    assert "Line 1 of the trace is wrong: it is not JSON that can be read" in told


def test_who_gives_a_replay_is_told_what_checks_it(tmp_path: Path) -> None:
    file = tmp_path / "game.santiago"
    file.write_bytes(replay.write(local_game([DrawingBot, DrawingBot])))
    told = fails("replay", "check-trace", str(file))
    assert "game.santiago is a replay file, not a trace: `santiago replay verify` checks" in told
