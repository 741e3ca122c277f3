"""The compiled core plays as the Python source that it was made of, and finds the same chances."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests import wheels
from tests.conftest import missing

ROOT = Path(__file__).parents[2]
PLAY = """
import pickle
import sys
from copy import deepcopy
from itertools import count
from random import Random
from referee.bot import Decision
from referee.rules import CORE, Layout, Position
from referee.engine.evaluation import rank_chances, shares
from referee.engine.search import Search
from referee.rules import trace
from referee.rules.playouts import play_each, roll_dice, trace_out
from referee.rules.trace_reading import read_trace
from sample_bots.planner.search import Tree
from sample_bots.turquino import TurquinoBot
import json
print(CORE, file=sys.stderr)
for players in (2, 3, 4):
    rng = Random(players)
    for _ in range(2):
        position = Position.start(Layout.shuffled(rng), players)
        for line in trace_out(position, rng):
            print(json.dumps(line), Position.parse(str(position)) == position)
            print(pickle.loads(pickle.dumps(position)) == deepcopy(position) == position)
    position = Position.start(Layout.shuffled(rng), players)
    bot = TurquinoBot(seconds=1, rng=rng, clock=count().__next__)
    lines = [trace.setup_line(position.layout, players)]
    while not position.is_over:
        if position.legal_moves:
            move = bot.choose(Decision(position.copy(), position.seat, 10.0, 60.0))
            lines.append(trace.decision_line(position, move))
            position.apply(move)
        else:
            dice = roll_dice(rng)
            lines.append(trace.roll_line(position.seat, dice))
            position.roll(dice)
    lines.append(trace.result_line(position, position.outcome()))
    written = [json.dumps(line) for line in lines]
    print(len(list(read_trace(written))), *written)
    position = Position.start(Layout.shuffled(rng), players)
    while not position.is_over:
        if not position.legal_moves:
            position.roll(roll_dice(rng))
            continue
        tree = Tree(position, rng)
        for _ in range(4):
            tree.grow()
        search = Search(position, rng)
        search.think(2)
        search.think_of_each(2)
        print(tree.best_move, search.moves(), shares(position, 1.2))
        print(rank_chances(position, 1.2, (1,)), rank_chances(position, 0.9, (), search.shares))
        position.apply(tree.best_move)
    games = [Position.start(Layout.shuffled(rng), players) for _ in range(9)]
    for game in games:
        game.roll(roll_dice(rng))
    over = []
    while not over:
        moves = [rng.choice(game.legal_moves) for game in games]
        over = play_each(games, moves, [rng] * len(games))
    print(over, *games)
"""


# The wheel is built for longer on a busy machine.
pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of a wheel whose core is compiled."""
    if shutil.which("gcc") is None:
        missing("gcc")
    folder = tmp_path_factory.mktemp("wheel")
    none = {"MYPYC_OPT_LEVEL": "0", "MYPYC_DEBUG_LEVEL": "0", "CFLAGS": "-g0"}
    wheel = wheels.build(folder, SANTIAGO_COMPILE="1", **none)
    ZipFile(wheel).extractall(folder / "packages")
    return folder / "packages"


def played(python_path: Path) -> tuple[str, str]:
    """Which core played, and the hash of all that it printed."""
    run = subprocess.run(
        [sys.executable, "-P", "-c", PLAY],
        env=os.environ | {"PYTHONPATH": str(python_path)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert "False" not in run.stdout
    return run.stderr.strip(), hashlib.sha256(run.stdout.encode()).hexdigest()


def test_both_cores_play_the_same_games(compiled: Path) -> None:
    """Turquino's games among them, whose traces are checked line by line as they are read."""
    source_core, source_games = played(ROOT)
    compiled_core, compiled_games = played(compiled)
    assert (source_core, compiled_core) == ("pure Python", "compiled")
    assert source_games == compiled_games
