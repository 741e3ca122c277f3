"""Random games, in which nothing may happen that the game cannot have."""

import json
import os
import re
import subprocess
import sys
from random import Random

import pytest

from referee.rules import Layout, Position, parse_move
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.playouts import roll_heavy_zero, trace_out
from tests.rules.soak import play_batch


def test_nothing_is_wrong_at_any_moment_of_many_games() -> None:
    """A small soak; `make soak` plays a hundred thousand games."""
    report = play_batch(range(120))
    assert report.wrong is None
    assert set(report.endings) == {"ships", "turns"}


def test_a_broken_invariant_is_told_with_the_game_that_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.rules.invariants.HIGHEST_FACE", dict.fromkeys(PLAIN_GOODS, 2))
    report = play_batch(range(60, 90))
    assert report.wrong is not None
    told = re.match(r"Game (\d+), in (.*):\n", report.wrong)
    assert told is not None
    assert int(told[1]) == 60 + report.endings.total()
    assert re.search(r"demand=\S*:[34]", str(Position.parse(told[2])))
    assert "HIGHEST_FACE" in report.wrong


@pytest.mark.parametrize("players", [2, 3, 4])
def test_h7_idle_players_come_to_an_end(players: int) -> None:
    """Nobody delivers, whoever can lowers the value, the ship is never sent off on purpose."""
    position = Position.start(Layout.shuffled(Random(1)), players)
    wishes = [parse_move(text) for text in ("drive 1", "lower", "visit harbour-office", "pass")]
    while not position.is_over:
        moves = position.legal_moves
        if moves:
            position.apply(next((wish for wish in wishes if wish in moves), moves[0]))
        else:
            position.roll((1, 1, 1, 1, 1))
    outcome = position.outcome()
    assert outcome is not None
    assert position.turn <= 300
    assert outcome.reason.value == ("turns" if position.turn == 300 else "ships")


def test_heavy_zero_brings_up_rolls_of_zeros_alone() -> None:
    luck = Random(1)
    rolls = [roll_heavy_zero(luck) for _ in range(100)]
    assert rolls.count((0, 0, 0, 0, 0)) > 20
    assert {die for roll in rolls for die in roll} == {0, 1, 2, 3, 4}


ONE_GAME = """
import json, random
from referee.rules import Layout, Position
from referee.rules.playouts import trace_out
luck = random.Random(2024)
for line in trace_out(Position.start(Layout.shuffled(luck), 3), luck):
    print(json.dumps(line))
"""


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_same_seed_gives_the_same_game_in_any_process(hash_seed: str) -> None:
    luck = Random(2024)
    here = list(trace_out(Position.start(Layout.shuffled(luck), 3), luck))
    run = subprocess.run(
        [sys.executable, "-c", ONE_GAME],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert [json.loads(line) for line in run.stdout.splitlines()] == here
