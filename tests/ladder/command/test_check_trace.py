"""`santiago replay check-trace`: what it says of right and of wrong traces."""

from pathlib import Path

from click.testing import CliRunner

from ladder.command.replay import replay
from ladder.command.selfplay import selfplay


def a_trace(games: int = 2) -> str:
    return CliRunner().invoke(selfplay, ["--games", str(games), "--trace"]).stdout


def test_a_right_trace_from_a_file_or_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(a_trace(), encoding="utf-8")
    told = CliRunner().invoke(replay, ["check-trace", str(file)])
    assert told.exit_code == 0
    assert told.stdout.startswith(f"{file}: right. 2 games, ")
    piped = CliRunner().invoke(replay, ["check-trace", "-"], input=a_trace(3))
    assert piped.stdout.startswith("<stdin>: right. 3 games, ")


def test_a_wrong_trace_is_told_by_its_first_wrong_line() -> None:
    lines = a_trace().splitlines(keepends=True)
    lines[9] = lines[9].replace('"value":2', '"value":3')
    told = CliRunner().invoke(replay, ["check-trace", "-"], input="".join(lines))
    assert told.exit_code == 1
    assert (
        "<stdin>: Line 10 of the trace is wrong: state.value is 3 and should be 2." in told.stderr
    )


def test_bytes_that_are_no_text_are_told_too() -> None:
    told = CliRunner().invoke(replay, ["check-trace", "-"], input=b"\xff\xfe\n\x00")
    assert told.exit_code == 1
    assert "Line 1 of the trace is wrong: it is not JSON that can be read" in told.stderr
