"""`santiago selfplay`, also by the independent checker of traces."""

import json
from io import BytesIO

import pytest

from tests.ladder.cli.terminal import fails, succeeds
from tests.rules.checker.stream import check_stream


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


@pytest.mark.parametrize("option", [("--players", "5"), ("--games", "0"), ("--seed", "x")])
def test_options_that_make_no_sense(option: tuple[str, str]) -> None:
    assert f"Invalid value for '{option[0]}'" in fails("selfplay", *option, code=2)
