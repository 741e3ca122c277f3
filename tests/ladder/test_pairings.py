from collections import Counter
from itertools import combinations, permutations
from math import comb, factorial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import Refused
from ladder.pairings import TABLE_SIZES, PlannedDeal, round_robin

sizes = st.sampled_from(TABLE_SIZES)


def behind(table: tuple[int, ...]) -> list[tuple[int, int]]:
    """Every bot and the one that moves before it."""
    return [(bot, table[seat - 1]) for seat, bot in enumerate(table)]


def matches(planned: tuple[PlannedDeal, ...]) -> list[tuple[int, ...]]:
    return [table for deal in planned for table in deal.matches]


@given(sizes, st.integers(0, 3), st.integers(1, 3), st.integers())
def test_every_combination_plays_every_deal(seats: int, more: int, deals: int, seed: int) -> None:
    bots = range(seats + more)
    planned = round_robin(bots, seats=seats, deals=deals, rng=Random(seed))
    played = Counter(tuple(sorted(deal.matches[0])) for deal in planned)
    assert played == dict.fromkeys(combinations(bots, seats), deals)


@given(sizes, st.integers(0, 2), st.integers())
def test_in_a_deal_every_bot_has_every_seat_once(seats: int, more: int, seed: int) -> None:
    for deal in round_robin(range(seats + more), seats=seats, deals=2, rng=Random(seed)):
        assert len(deal.matches) == seats
        for seat in range(seats):
            assert {table[seat] for table in deal.matches} == set(deal.matches[0])


@given(sizes, st.integers())
def test_in_a_deal_the_cyclic_order_stays(seats: int, seed: int) -> None:
    (deal,) = round_robin(range(seats), seats=seats, deals=1, rng=Random(seed))
    assert len({frozenset(behind(table)) for table in deal.matches}) == 1


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_every_bot_meets_every_other_equally_often(seats: int) -> None:
    tables = matches(round_robin(range(6), seats=seats, deals=2, rng=Random(1)))
    met = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    assert set(met.values()) == {2 * seats * comb(4, seats - 2)}


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_every_bot_sits_behind_every_other_equally_often(seats: int) -> None:
    deals = factorial(seats - 1)  # once through all cyclic orders
    tables = matches(round_robin(range(5), seats=seats, deals=deals, rng=Random(2)))
    before = Counter(pair for table in tables for pair in behind(table))
    assert set(before) == set(permutations(range(5), 2))
    assert len(set(before.values())) == 1


def test_a_cyclic_order_is_drawn_anew_for_each_deal() -> None:
    planned = round_robin(range(4), seats=4, deals=6, rng=Random(3))
    assert len({frozenset(behind(deal.matches[0])) for deal in planned}) == 6


def test_each_round_has_every_combination_once_in_an_order_of_its_own() -> None:
    planned = round_robin(range(5), seats=3, deals=2, rng=Random(4))
    combined = [tuple(sorted(deal.matches[0])) for deal in planned]
    assert len(set(combined[:10])) == len(set(combined[10:])) == 10
    assert combined[:10] != combined[10:]


def test_layouts_differ_and_the_same_luck_gives_the_same_tournament() -> None:
    planned = round_robin(range(4), seats=2, deals=5, rng=Random(5))
    assert len({deal.layout_seed for deal in planned}) == 30
    assert planned == round_robin(range(4), seats=2, deals=5, rng=Random(5))


@pytest.mark.parametrize(
    ("bots", "seats", "deals", "why"),
    [
        ([1, 2], 3, 1, "at least 3 bots, not 2"),
        ([1, 2], 5, 1, "2, 3 or 4 seats, not 5"),
        ([1, 2, 1], 2, 1, "named twice"),
        ([1, 2], 2, 0, "give 1 or more"),
    ],
)
def test_what_makes_no_tournament(bots: list[int], seats: int, deals: int, why: str) -> None:
    with pytest.raises(Refused, match=why):
        round_robin(bots, seats=seats, deals=deals, rng=Random(6))
