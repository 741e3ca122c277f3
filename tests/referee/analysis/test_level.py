"""How well a game is played, and how sure chances are in it."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from referee.analysis.chances import Level
from referee.engine.search import Search
from referee.rules import Layout, Move, Position, roll_dice

Choose = Callable[[Position, Random], Move]
_DECISIONS = 60


def _by_chance(position: Position, rng: Random) -> Move:
    return rng.choice(position.legal_moves)


def _by_search(position: Position, rng: Random) -> Move:
    search = Search(position, rng)
    search.think(4)
    return search.best_move


def _level(choosers: Sequence[Choose], *, faulted: Sequence[int] = ()) -> Level:
    """Play a part of a game, one chooser a seat; seats that have faulted are not judged."""
    rng = Random(5)
    position = Position.start(Layout.shuffled(rng), len(choosers))
    level = Level(len(choosers))
    for seat in faulted:
        level.fault(seat)
    decisions = 0
    while decisions < _DECISIONS:
        moves = position.legal_moves
        if not moves:
            position.roll(roll_dice(rng))
            continue
        move = moves[0]
        if len(moves) > 1:
            decisions += 1
            move = choosers[position.seat](position, rng)
            if position.seat not in faulted:
                level.add(position, move)
        position.apply(move)
    return level


@pytest.mark.parametrize("players", [2, 3, 4])
def test_chances_are_more_certain_the_better_the_players_are(players: int) -> None:
    good, bad = _level([_by_search] * players), _level([_by_chance] * players)
    assert max(good.wasted) < 0.4 < 0.5 < min(bad.wasted)
    assert bad.certainty < 0.7
    assert 1.1 < good.certainty < 1.4


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_best_player_counts(players: int) -> None:
    level = _level([_by_search, *[_by_chance] * (players - 1)])
    assert level.wasted[0] == min(level.wasted)
    assert level.certainty >= 1.0


def test_a_bot_that_faulted_makes_the_others_no_better() -> None:
    level = _level([_by_chance] * 3, faulted=[1])
    assert level.wasted[1] < 0.4 < min(level.wasted[0], level.wasted[2])
    assert level.certainty < 0.8


def test_a_game_is_played_as_usual_until_it_shows_otherwise() -> None:
    assert Level(3).certainty == 1.0


def test_the_same_decisions_give_the_same_level() -> None:
    assert _level([_by_search] * 3).wasted == _level([_by_search] * 3).wasted
