"""Which games a local tournament plays."""

from collections import Counter
from math import factorial
from random import Random

import pytest

from ladder.errors import Refused
from ladder.local.tournament import PlannedGame, plan


def planned(entrants: int, seats: int, games: int, seed: int = 1) -> list[PlannedGame]:
    return list(plan(entrants, seats, games, Random(seed)))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_games_are_numbered_and_as_many_as_wanted(seats: int) -> None:
    for games in (1, 7, 25):
        assert [game.number for game in planned(4, seats, games)] == list(range(1, games + 1))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_deal_everybody_sits_everywhere_on_one_layout(seats: int) -> None:
    games = planned(4, seats, 6 * seats)
    for start in range(0, len(games), seats):
        deal = games[start : start + seats]
        assert len({game.deal for game in deal}) == 1
        assert len({game.layout for game in deal}) == 1
        for seat in range(seats):
            assert {game.entrants[seat] for game in deal} == set(deal[0].entrants)


def test_deals_differ_in_layout_and_games_in_dice() -> None:
    games = planned(3, 3, 60)
    assert len({game.layout for game in games}) == len({game.deal for game in games}) == 20
    assert len({game.dice_seed for game in games}) == 60
    assert {len(game.dice_seed) for game in games} == {32}


def test_every_combination_plays_equally_often() -> None:
    tables = Counter(frozenset(game.entrants) for game in planned(4, 2, 6 * 2 * 5))
    assert len(tables) == 6
    assert set(tables.values()) == {10}


def test_every_order_around_the_table_comes_equally_often() -> None:
    def turned(order: tuple[int, ...]) -> tuple[int, ...]:
        start = order.index(0)
        return order[start:] + order[:start]

    orders = Counter(turned(game.entrants) for game in planned(4, 4, 4 * 3 * factorial(3)))
    assert len(orders) == factorial(3)
    assert set(orders.values()) == {12}


def test_the_same_seed_gives_the_same_plan() -> None:
    assert planned(3, 2, 20) == planned(3, 2, 20)
    assert planned(3, 2, 20) != planned(3, 2, 20, seed=2)


def test_too_few_entrants() -> None:
    with pytest.raises(Refused, match="at least 4 bots, not 3"):
        planned(3, 4, 10)
