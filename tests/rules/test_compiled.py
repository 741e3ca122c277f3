"""The compiled core plays as the Python source that it was made of, and finds the same chances."""

import hashlib
import os
import platform
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
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
from referee.engine import network, prices, priors, stored
from referee.engine.evaluation import rank_chances, shares
from referee.engine.search import Search
from referee.rules import CORE, Layout, Position, RulesError, move_text, trace
from referee.rules.cells import OVER, PHASE
from referee.rules.playouts import play_each, playouts, roll_dice, roll_heavy_zero, trace_out
from referee.rules.trace_reading import read_trace
from sample_bots.planner.search import Tree
from sample_bots.turquino import TurquinoBot
import json
print(CORE, file=sys.stderr)


def seen(position):
    names = "phase", "building", "active", "turn", "value", "car", "demand", "dice", "excluded"
    print(repr(position), *(getattr(position, name) for name in (*names, "supply")))
    print([position.is_silenced(citizen) for citizen in range(9)])
    print([position.owner(building) for building in range(12)])
    for seat in range(position.players):
        print(position.in_round(seat), position.pawn(seat), position.markers(seat))
        print(position.pesos(seat), position.vp(seat), position.goods(seat))


def refused(wrong, *arguments):
    try:
        wrong(*arguments)
    except (RulesError, ValueError) as error:
        print(type(error).__name__, error)


for players in (2, 3, 4):
    rng = Random(players)
    for _ in range(2):
        position = Position.start(Layout.shuffled(rng), players)
        for line in trace_out(position, rng):
            print(json.dumps(line))
            assert Position.parse(str(position)) == position
            assert pickle.loads(pickle.dumps(position)) == deepcopy(position) == position
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
        print(tree.is_settled)
        for _ in range(4):
            tree.grow()
        search = Search(position, rng)
        search.think(2)
        search.think_of_each(2)
        print(tree.best_move, search.moves(), shares(position, 1.2))
        print(search.best_move, len(search.decisions(2)))
        print(rank_chances(position, 1.2, (1,)), rank_chances(position, 0.9, (), search.shares))
        without = Search(position, rng, (1,))
        without.think(2)
        print(without.moves(), shares(position, 1.2, (1,)))
        print(rank_chances(position, 1.2, (1,), without.shares))
        print([priors.unpacked(pair) for pair in priors.rows(position, position.legal_moves)])
        position.play(move_text(tree.best_move))
    for faulted in (), (1,), (0, 1):
        print(rank_chances(position, 1.2, faulted), shares(position, 1.2, faulted))
    position = Position.start(Layout.shuffled(rng), players)
    print(*playouts(position, 30, rng))
    while not position.is_over:
        seen(position)
        if position.legal_moves:
            text = move_text(rng.choice(position.legal_moves))
            refused(position.roll, (1, 1, 1, 1, 1))
            position.step(position.parse_move(text))
        else:
            refused(position.roll, (1, 2, 3))
            refused(position.roll, (9, 9, 9, 9, 9))
            position.roll(roll_heavy_zero(rng))
        refused(position.play, "pass")
        refused(position.play, "drive far")
        if position.turn == 20 and position.kind == "drive":
            position = Position.parse(str(position).replace("turn=20 ", "turn=296 "))
    print(position.outcome(), position.scores())
    games = [Position.start(Layout.shuffled(rng), players) for _ in range(9)]
    for game in games:
        game.roll(roll_dice(rng))
    over = []
    while not over:
        moves = [rng.choice(game.legal_moves) for game in games]
        over = play_each(games, moves, [rng] * len(games))
    print(over, *games)
    early = Position.start(Layout.shuffled(rng), players)
    early.roll(roll_dice(rng))
    prices.use_table(players, prices.table(players)[::-1])
    print(Search(early, rng).moves())
    prices.forget()
refused(Position.start, early.layout, 5)
refused(Layout, early.layout.citizens[1:], early.layout.buildings)
refused(Layout, early.layout.citizens, early.layout.buildings[1:])
refused(move_text, 31)
rows = network.unpack(stored.own(network.WEIGHTS))
print(rows)
network.use(network.pack([row[::-1] for row in rows]))
print(shares(early))
network.forget()
print(shares(early))
refused(network.use, stored.pack([1, 2, -3]))
refused(priors.use, stored.pack([1, 2, -3]))
priors.forget()
print(Search(early, rng).moves())
early.cells[PHASE] = OVER
print(shares(early), rank_chances(early), rank_chances(early, 1.0, (2,)))
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
    return run.stderr.strip(), hashlib.sha256(run.stdout.encode()).hexdigest()


def test_both_cores_play_the_same_games(compiled: Path) -> None:
    """Turquino's games among them, whose traces are checked line by line as they are read."""
    source_core, source_games = played(ROOT)
    compiled_core, compiled_games = played(compiled)
    assert (source_core, compiled_core) == ("pure Python", "compiled")
    assert source_games == compiled_games


def test_each_product_is_rounded_before_something_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python does; else gcc makes one instruction of both, on x86 if it is told that it may."""
    if shutil.which("gcc") is None:
        missing("gcc")
    extension = SimpleNamespace(extra_compile_args=[])
    monkeypatch.setenv("SANTIAGO_COMPILE", "1")
    monkeypatch.setattr("mypyc.build.mypycify", lambda *_, **__: [extension])
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    runpy.run_path(str(ROOT / "setup.py"))
    assert "fmadd" in assembly()
    assert "fmadd" not in assembly(*extension.extra_compile_args)


def assembly(*flags: str) -> str:
    """What gcc makes of a product to which something is added."""
    may = ["-mfma"] if platform.machine() == "x86_64" else []
    source = "double sum(double a, double b, double c) { return a * b + c; }"
    command = ["gcc", "-O3", *may, *flags, "-S", "-x", "c", "-", "-o", "-"]
    return subprocess.run(command, input=source, capture_output=True, check=True, text=True).stdout
