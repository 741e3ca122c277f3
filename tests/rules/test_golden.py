"""Golden playthroughs: whole games and rare corners as a person can read them, kept in golden/.

A change of the rules shows there line by line. `make test ARGS="tests/rules --regenerate-golden"`
writes the files anew; what it changed is reviewed in the diff.
"""

from pathlib import Path
from random import Random

import pytest

from referee.rules import Layout, Position
from tests.rules.corners import CORNERS
from tests.rules.playthrough import at_random, playthrough

GOLDEN = Path(__file__).parent / "golden"
SEEDS = {2: 60, 3: 225, 4: 86}  # short games in which every kind of move is chosen


def whole_game(players: int) -> str:
    """A game of random choices."""
    luck = Random(SEEDS[players])
    position = Position.start(Layout.shuffled(luck), players)
    lines = [f"A whole game of {players} players, in which every choice is random.", ""]
    return "\n".join([*lines, *playthrough(position, at_random(position, luck))]) + "\n"


def corner(name: str) -> str:
    """The scenes of a corner, one after the other."""
    told = []
    for scene in CORNERS[name]:
        lines = playthrough(scene.start(), scene.choices)
        told.append("\n".join([scene.about, "", *lines]) + "\n")
    return f"\n{'-' * 80}\n".join(told)


def compare(name: str, told: str, regenerate: bool) -> None:
    file = GOLDEN / f"{name}.txt"
    if regenerate:
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == told, (
        f"{file.name} tells another game; if the new one is right, run pytest --regenerate-golden"
    )


@pytest.mark.parametrize("players", SEEDS)
def test_whole_games(players: int, regenerate_golden: bool) -> None:
    compare(f"{players}-players", whole_game(players), regenerate_golden)


@pytest.mark.parametrize("name", CORNERS)
def test_corners(name: str, regenerate_golden: bool) -> None:
    compare(name, corner(name), regenerate_golden)


@pytest.mark.parametrize("name", CORNERS)
def test_every_choice_of_a_corner_is_played(name: str) -> None:
    for scene in CORNERS[name]:
        left = iter(scene.choices)
        list(playthrough(scene.start(), left))
        assert not list(left), scene.about


def test_the_lines_of_a_turn_are_a_positions_text() -> None:
    first, *lines = (GOLDEN / "4-players.txt").read_text(encoding="utf-8").splitlines()[2:]
    for at, line in enumerate(lines):
        if line.startswith("turn="):
            text = " ".join([first, lines[0], line, lines[at + 1]])
            assert str(Position.parse(text)) == text


def test_no_file_is_left_over() -> None:
    names = {*CORNERS, *(f"{players}-players" for players in SEEDS)}
    assert {file.stem for file in GOLDEN.iterdir()} == names


def test_whole_games_hold_every_kind_of_move() -> None:
    verbs = "drive take own use give visit convert swap serve clear buy sell raise lower ship"
    wanted = {*verbs.split(), "silence", "deliver", "deliver wood", "exclude", "sell wood", "pass"}
    games = "\n".join(whole_game(players) for players in SEEDS)
    chosen = [line for line in games.splitlines() if line.startswith("    ")]
    for verb in wanted:
        assert any(line.split(":")[0].strip().startswith(verb) for line in chosen), verb
