"""The search values every legal move, finds what is plainly best, and keeps its tree."""

from random import Random

import pytest

from referee.engine.priors import gain, rows
from referee.engine.search import Search
from referee.engine.worth import quick_shares
from referee.rules import Layout, Position, move_text, roll_dice
from referee.rules.cells import PHASE, ROLL
from tests.referee.engine.tables import hard_to_see, last_delivery, rich


def _start(players: int) -> Position:
    position = Position.start(Layout.shuffled(Random(7)), players)
    position.roll(roll_dice(Random(3)))
    return position


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_same_generator_and_looks_give_the_same_values(players: int) -> None:
    once, again = Search(_start(players), Random(1)), Search(_start(players), Random(1))
    once.think(60)
    for _ in range(6):
        again.think(10)
    assert once.moves() == again.moves()
    assert once.looks == 60


def test_moves_outside_of_the_candidates_have_values_too() -> None:
    position = rich()
    search = Search(position, Random(1))
    search.think(30)
    values = search.moves()
    assert {value.move for value in values} == set(position.legal_moves)
    assert all(sum(value.shares) == pytest.approx(1) for value in values)


def test_the_best_move_comes_first_and_none_is_worth_more() -> None:
    position = rich()
    search = Search(position, Random(1))
    search.think(200)
    best, *others = search.moves()
    assert best.move == search.best_move
    own = [value.shares[position.seat] for value in others]
    assert max(own) <= best.shares[position.seat]
    assert own == sorted(own, reverse=True)


def test_a_line_is_legal_and_ends_before_dice_fall() -> None:
    position = rich()
    search = Search(position, Random(1))
    search.think(400)
    best = search.moves()[0]
    assert best.line
    for move in (best.move, *best.line):
        assert position.cells[PHASE] != ROLL
        assert move in position.legal_moves
        position.apply(move)


def test_it_takes_the_move_that_wins_the_game() -> None:
    search = Search(last_delivery(), Random(1))
    search.think(20)
    assert move_text(search.best_move) == "deliver sugar 1"
    assert search.moves()[0].shares[0] == 1.0


def test_it_keeps_what_it_knows_of_the_position_that_comes() -> None:
    position = rich()
    search = Search(position, Random(1))
    search.think(300)
    position.apply(search.best_move)
    assert search.follow(position)
    assert 0 < search.looks < 300
    assert {value.move for value in search.moves()} == set(position.legal_moves)


def test_what_it_forgets_grows_anew() -> None:
    search = Search(rich(), Random(1))
    search.think(300)
    values, many = search.moves(), len(search.decisions(2))
    search.forget(10)
    left = search.decisions(2)
    assert 1 < len(left) < many / 2
    assert all(node.visits >= 10 for node in left)
    assert [(value.move, value.shares) for value in search.moves()] == [
        (value.move, value.shares) for value in values
    ]
    search.think(300)
    assert search.looks == 600
    assert len(search.decisions(2)) > many


def test_it_does_not_follow_to_a_position_that_it_has_not() -> None:
    search = Search(rich(), Random(1))
    search.think(20)
    before = search.moves()
    assert not search.follow(_start(2))
    assert search.moves() == before


def test_an_unlooked_move_has_the_quick_value_and_its_prior() -> None:
    position = _start(3)
    after = position.copy()
    search = Search(position, Random(1))
    first = search.moves()[0]
    after.apply(first.move)
    [pair] = rows(position, (first.move,))
    assert first.shares == quick_shares(after, position.seat, gain(pair))[:3]


def test_it_tells_where_a_seat_decides_in_its_tree() -> None:
    search = Search(_start(2), Random(1))
    search.think(100)
    nodes = search.decisions(20)
    assert len(nodes) > 1
    for node in nodes:
        assert node.visits >= 20
        assert node.position is not None
        assert {child.move for child in node.children} <= set(node.position.legal_moves)


def test_a_move_that_seemed_bad_at_first_is_known_once_it_was_looked_at() -> None:
    position = hard_to_see()
    search = Search(position, Random(1))
    search.think(400)
    best, second = search.moves()[:2]
    assert best.shares[0] - second.shares[0] > 0.1
    search.think_of_each(100)
    values = search.moves()
    assert all(value.looks >= 100 for value in values)
    assert values[0].shares[0] - values[1].shares[0] < 0.1
