from random import Random

import pytest

from sample_bots.greedy import GreedyBot, lead
from sample_bots.random_bot import RandomBot
from tests.rules.table import player, table
from tests.sample_bots.games import choice, pairwise_score


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_random(seats: int) -> None:
    """By moves that are legal, each of them; so are those of random."""
    assert pairwise_score(GreedyBot(), RandomBot(Random(1)), seats, games=4) >= 0.9


@pytest.mark.parametrize("others", [1, 2, 3])
def test_what_one_is_ahead_the_others_are_behind(others: int) -> None:
    position = table(player(rum=3, vp=5), *[player(sugar=1)] * others)
    leads = [lead(position, seat) for seat in range(position.players)]
    assert leads[0] > 5
    assert sum(leads) == pytest.approx(0)


def test_it_delivers_the_four_units_that_the_ship_pays_best() -> None:
    position = table(
        player(citrus=4, wood=1),
        player(sugar=1),
        demand="sugar:1,citrus:4,tobacco:0,rum:1",
        value=4,
        phase="deliver",
        round="0,1",
    )
    assert choice(GreedyBot(), position) == "deliver citrus 4"


def test_it_takes_vp_rather_than_pass() -> None:
    position = table(
        player(on="cafe", rum=1, cigars=1),
        player(),
        car="maria",
        phase="function",
        function="cafe",
        demand="sugar:2,citrus:1,tobacco:1,rum:0",
    )
    assert choice(GreedyBot(), position) == "serve rum cigars"


@pytest.mark.parametrize(("turn", "chosen"), [(119, "lower"), (121, "pass")])
def test_it_lowers_the_value_of_what_only_the_other_can_deliver(turn: int, chosen: str) -> None:
    """In a long game it does not: two that lower it would play until turn 300 (H7)."""
    position = table(
        player(on="harbour-office"),
        player(rum=2, citrus=2),
        car="pedro",
        value=3,
        phase="function",
        function="harbour-office",
        demand="sugar:2,citrus:2,tobacco:0,rum:2",
        turn=turn,
    )
    assert choice(GreedyBot(), position) == chosen


def test_it_clears_the_die_that_only_the_other_can_fill() -> None:
    position = table(
        player(on="customs", sugar=2),
        player(rum=2),
        car="jose",
        value=3,
        phase="function",
        function="customs",
        demand="sugar:2,citrus:0,tobacco:1,rum:2",
    )
    assert choice(GreedyBot(), position) == "clear rum"
