"""Random games, in which nothing may happen that the game cannot have."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from random import Random

import pytest

from referee.rules import Layout, Position, move_text, parse_move, roll_dice
from referee.rules.pieces import GOODS, PLAIN_GOODS
from referee.rules.playouts import trace_out
from referee.rules.trace import (
    Line,
    decision_line,
    result_line,
    roll_line,
    setup_line,
    state_json,
)
from tests.rules.checker.stream import check_stream

Dice = Callable[[Random], tuple[int, ...]]


def heavy_zero(luck: Random) -> tuple[int, ...]:
    """Dice loaded towards 0, so that the rare rulings come up."""
    return tuple(die if luck.random() < 0.25 else 0 for die in roll_dice(luck))


DICE = [roll_dice, heavy_zero]


def moments(players: int, seed: int, dice: Dice, luck: Random) -> Iterator[Position]:
    """A game of random choices, forced moves one by one: the same position at every moment."""
    position = Position.start(Layout.shuffled(Random(seed)), players)
    while not position.is_over:
        yield position
        if position.legal_moves:
            position.step(luck.choice(position.legal_moves))
        else:
            position.roll(dice(luck))
    yield position


def all_games(each: int = 40) -> Iterator[Position]:
    """Every moment of games of two, three and four, half of them with loaded dice."""
    for players in (2, 3, 4):
        for seed in range(each):
            yield from moments(players, seed, DICE[seed % 2], Random(100 * players + seed))


def test_invariants_of_every_moment() -> None:
    for position in all_games():
        state = state_json(position)
        players = state["players"]
        for good in GOODS:
            held = [one["goods"][good] for one in players]
            assert min(held) >= 0
            assert state["supply"][good] + sum(held) == 8
        for seat, one in enumerate(players):
            assert one["markers"] + list(state["owners"].values()).count(seat) == 3
            assert one["markers"] >= 0
            assert one["pesos"] >= 0
            assert one["vp"] >= 0
        pawns = [one["pawn"] for one in players if one["pawn"]]
        assert len(set(pawns)) == len(pawns)
        assert 2 <= state["value"] <= 4
        assert 1 <= state["ship"] <= 7
        assert 0 <= state["turn"] <= 300
        assert 0 <= state["car"] <= 9
        assert len(state["demand"]) in (0, 4)
        highest = dict.fromkeys(PLAIN_GOODS, 3) | {"citrus": 4}
        assert all(0 <= left <= highest[good] for good, left in state["demand"].items())


def test_whoever_decides_has_legal_moves_that_differ_and_whose_texts_can_be_read() -> None:
    for position in all_games():
        moves = position.legal_moves
        assert bool(moves) == (position.kind not in ("roll", "over"))
        assert len(set(moves)) == len(moves)
        assert [parse_move(move_text(move)) for move in moves] == list(moves)


def test_every_moment_can_be_written_and_read() -> None:
    for position in all_games(each=8):
        again = Position.parse(str(position))
        assert again == position
        assert str(again) == str(position)
        assert again.legal_moves == position.legal_moves


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_copy_is_independent_and_steps_make_up_apply(players: int) -> None:
    luck = Random(players)
    for position in moments(players, 77, roll_dice, luck):
        before = position.cells[:]
        for move in position.legal_moves[:3]:
            whole, stepped = position.copy(), position.copy()
            whole.apply(move)
            stepped.step(move)
            while len(stepped.legal_moves) == 1:
                stepped.step(stepped.legal_moves[0])
            assert stepped == whole
            assert stepped.legal_moves == whole.legal_moves
        assert position.cells == before


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


def trace(players: int, seed: int, dice: Dice) -> Iterator[Line]:
    """As `trace_out`, with dice of any kind."""
    luck = Random(seed)
    position = Position.start(Layout.shuffled(luck), players)
    yield setup_line(position.layout, players)
    while (outcome := position.outcome()) is None:
        if position.legal_moves:
            move = luck.choice(position.legal_moves)
            yield decision_line(position, move)
            position.apply(move)
        else:
            faces = dice(luck)
            yield roll_line(position.seat, faces)
            position.roll(faces)
    yield result_line(position, outcome)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("dice", DICE)
def test_the_independent_checker_finds_nothing_wrong(players: int, dice: Dice) -> None:
    games = 12
    lines = [line for seed in range(games) for line in trace(players, seed, dice)]
    assert check_stream(json.dumps(line).encode() for line in lines) == (games, len(lines))


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
