"""Which games a local tournament plays."""

from collections import Counter
from itertools import islice
from math import factorial
from random import Random

import pytest

from ladder.errors import Refused
from ladder.local.plan import Pairing, PlannedGame, games_of, plan


def planned(
    entrants: int,
    seats: int,
    games: int,
    seed: int = 1,
    pairing: Pairing = Pairing.ROUND_ROBIN,
    *,
    shared_dice: bool = False,
) -> list[PlannedGame]:
    drawn = plan(entrants, seats, Random(seed), pairing, shared_dice=shared_dice)
    return list(islice(drawn, games))


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


def test_a_longer_tournament_begins_like_a_shorter_one() -> None:
    assert planned(4, 3, 100)[:30] == planned(4, 3, 30)


def test_deals_may_share_their_dice() -> None:
    games = planned(3, 3, 60, shared_dice=True)
    assert len({game.dice_seed for game in games}) == len({game.deal for game in games}) == 20
    assert all(game.shared_dice for game in games)


def test_in_a_gauntlet_the_first_one_sits_at_every_table() -> None:
    games = planned(4, 3, games_of(4, 3, Pairing.GAUNTLET, 5), pairing=Pairing.GAUNTLET)
    assert len(games) == 3 * 3 * 5
    assert all(0 in game.entrants for game in games)
    assert set(Counter(frozenset(game.entrants) for game in games).values()) == {15}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_duel_both_sit_equally_often_at_every_seat_of_a_deal(seats: int) -> None:
    size = games_of(2, seats, Pairing.DUEL, 1)
    games = planned(2, seats, 10 * size, pairing=Pairing.DUEL)
    for start in range(0, len(games), size):
        deal = games[start : start + size]
        assert len({game.layout for game in deal}) == len({game.deal for game in deal}) == 1
        for seat in range(seats):
            sitting = Counter(game.entrants[seat] for game in deal)
            assert sitting[0] == sitting[1] == size / 2


def test_four_seats_of_a_duel_come_in_both_orders_around_the_table() -> None:
    games = planned(2, 4, 400, pairing=Pairing.DUEL)
    assert {game.entrants for game in games} >= {(0, 0, 1, 1), (0, 1, 0, 1)}


@pytest.mark.parametrize(("entrants", "seats", "games"), [(2, 2, 6), (4, 2, 36), (4, 3, 36)])
def test_how_many_games_some_deals_have(entrants: int, seats: int, games: int) -> None:
    assert games_of(entrants, seats, Pairing.ROUND_ROBIN, 3) == games


def test_too_few_entrants() -> None:
    with pytest.raises(Refused, match="at least 4 bots, not 3"):
        planned(3, 4, 10)
