"""`santiago show` on positions, lines of the standard input, and replays."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from click.testing import CliRunner

from ladder.cli import games
from ladder.cli.commands import santiago
from referee import replay
from referee.rules import InvalidPosition, InvalidTrace, Position
from referee.rules.trace_reading import read_trace
from tests.ladder.cli.terminal import fails, run, succeeds
from tests.referee.games import DrawingBot, local_game
from tests.rules.checker.stream import check_stream
from tests.rules.table import player, table

LINE = str(table(player(pesos=17), player(), car="pablo"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A replay of `bot-0` and `bot-1`."""
    path = tmp_path_factory.mktemp("replays") / "game.santiago"
    path.write_bytes(replay.write(local_game([DrawingBot, DrawingBot])))
    return str(path)


def test_a_position_with_and_without_quotes() -> None:
    drawn = succeeds("show", LINE)
    assert drawn == succeeds("show", *LINE.split())
    assert "p0 drives on from stop 8:\n  drive 1 to 18" in drawn
    assert "\x1b" not in drawn


def test_positions_from_the_standard_input() -> None:
    ended = CliRunner().invoke(santiago, ["show", "-"], input=f"{LINE}\n\n{LINE}\n")
    assert ended.exit_code == 0
    assert ended.stdout.count("Turn 13: p0 ") == 2


def test_a_standard_input_without_positions() -> None:
    for typed in ("", "\n \n"):
        ended = run("show", "-", typed=typed)
        assert ended.exit_code == 1
        assert ended.stderr == "Error: There is no position in the standard input.\n"


class Endless(TextIOWrapper):
    """A file of zeros without a line end, of which nothing but pieces of some size can be read."""

    def __init__(self) -> None:
        super().__init__(BytesIO())

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        assert 0 < size <= 2**20
        return "\0" * size


def test_an_input_without_an_end_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Endless())
    with pytest.raises(InvalidPosition, match="at most 2000 characters"):
        list(games._found(("-",), None))
    with pytest.raises(InvalidTrace, match="has more than 1000000 characters"):
        next(read_trace(games._lines_of_trace(Endless())))


def test_a_moment_of_a_replay(file: str) -> None:
    assert "Setup" in succeeds("show", file, "--at", "0")
    assert "p1 bot-1 rolls the dice" in succeeds("show", file, "--at", "0")
    assert "p1 bot-1 excludes a good" in succeeds("show", file, "--at", "1")
    assert "The game is over" in succeeds("show", file)


def test_steps_are_those_of_the_viewer(file: str) -> None:
    shown = replay.frames(replay.read(Path(file).read_bytes()))["frames"]
    steps = len(shown) - 2  # it starts with a frame before the first step and ends with one more
    for step in (0, 7, steps):
        position = Position.parse(succeeds("show", file, "--at", str(step), "--text"))
        state = shown[step]["state"]
        assert (position.turn, position.car) == (state["turn"], state["car"])
    end = str(steps + 1)  # the last moment of an analysis
    assert succeeds("show", file, "--at", end) == succeeds("show", file)
    told = fails("show", file, "--at", str(steps + 2))
    assert told == f"Error: {file} has {steps} steps, so --at {steps + 2} is too far.\n"


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    damaged = tmp_path / "turn=1.santiago"
    damaged.write_bytes(b"rum")
    assert f"{damaged}: This is not a replay" in fails("show", str(damaged))
    assert "nothing.santiago: No such file" in fails("show", "nothing.santiago")
    assert "The position lacks" in fails("show", "turn=1")
    assert "one replay file" in fails("show", "one.santiago", "two.santiago", code=2)
    assert "one replay file" in fails("show", LINE, "--at", "3", code=2)
    assert "Missing argument" in fails("show", code=2)


@pytest.mark.parametrize("players", ["2", "3", "4"])
@pytest.mark.parametrize("dice", ["fair", "heavy-zero"])
def test_traces_are_right_by_the_independent_checker(players: str, dice: str) -> None:
    options = ["--players", players, "--dice", dice, "--games", "20", "--seed", "5"]
    trace = succeeds("selfplay", *options, "--trace")
    games, lines = check_stream(BytesIO(trace.encode()))
    assert (games, lines) == (20, trace.count("\n"))
    assert json.loads(trace.partition("\n")[0])["players"] == int(players)


def test_the_same_seed_gives_the_same_games() -> None:
    def trace(seed: str) -> str:
        return succeeds("selfplay", "--games", "2", "--trace", "--seed", seed)

    assert trace("1") == trace("1")
    assert trace("1") != trace("2")


@pytest.mark.parametrize("dice", ["fair", "heavy-zero"])
def test_without_a_trace_a_line_a_game(dice: str) -> None:
    options = ["--players", "2", "--games", "3", "--dice", dice]
    lines = succeeds("selfplay", *options).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["game 1", "game 2", "game 3"]
    assert len(lines[0].partition("VP by seat ")[2].split()) == 2


@pytest.mark.parametrize("option", [("--players", "5"), ("--games", "0"), ("--seed", "-1")])
def test_options_that_make_no_sense(option: tuple[str, str]) -> None:
    assert f"Invalid value for '{option[0]}'" in fails("selfplay", *option, code=2)


def test_no_position_at_all() -> None:
    assert "POSITION is empty" in fails("show", "", code=2)
