from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, strategies as st

from ladder.contests.formats import swiss_round
from ladder.contests.pairings import PlannedDeal, Table
from ladder.ratings.elo import TABLE_SIZES
from tests.ladder.contests.balance import around
from tests.ladder.contests.effort import calls

sizes = st.sampled_from(TABLE_SIZES)


def played(bots: int, seats: int, rounds: int, seed: int = 1) -> list[list[Table]]:
    """The tables of rounds in which the bot of the lower number always wins."""
    rng, past, points = Random(seed), list[list[Table]](), Counter(range(bots))
    points.subtract(range(bots))
    for _ in range(rounds):
        best_first = sorted(set(points.values()), reverse=True)
        ranks = {bot: 1 + best_first.index(score) for bot, score in points.items()}
        planned = swiss_round(ranks, seats=seats, deals=1, past=past, rng=rng)
        past.append([deal.matches[0] for deal in planned])
        for table in past[-1]:
            points.update({bot: sum(bot < other for other in table) for bot in table})
    return past


def meetings(past: list[list[Table]]) -> Counter[tuple[int, int]]:
    return Counter(pair for tables in past for table in tables for pair in pairs(table))


def pairs(table: Table) -> Iterator[tuple[int, int]]:
    return combinations(sorted(table), 2)


@pytest.mark.parametrize(
    ("bots", "seats", "rounds"), [(8, 2, 5), (16, 2, 6), (24, 3, 5), (16, 4, 3), (40, 4, 6)]
)
def test_nobody_meets_again_where_that_can_be(bots: int, seats: int, rounds: int) -> None:
    assert set(meetings(played(bots, seats, rounds)).values()) == {1}


def test_where_all_have_met_those_meet_again_who_met_least() -> None:
    assert set(meetings(played(4, 2, 6)).values()) == {2}


def test_equals_sit_together() -> None:
    ranks = {bot: 1 + bot // 4 for bot in range(12)}
    planned = swiss_round(ranks, seats=4, deals=1, past=[], rng=Random(2))
    assert sorted(sorted(deal.matches[0]) for deal in planned) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


@given(sizes, st.integers(0, 8), st.integers(1, 6), st.integers())
def test_all_sit_out_in_turn(seats: int, more: int, rounds: int, seed: int) -> None:
    bots = seats + more
    past = played(bots, seats, rounds, seed)
    rounds_of = Counter(bot for tables in past for table in tables for bot in table)
    counts = [rounds_of[bot] for bot in range(bots)]
    assert max(counts) - min(counts) <= 1
    assert all(len(tables) == bots // seats for tables in past)
    assert all(len(set(table)) == seats for tables in past for table in tables)


def test_of_those_whose_turn_it_is_the_last_sit_out() -> None:
    ranks = {bot: bot + 1 for bot in range(6)}
    past: list[list[Table]] = [[(0, 1, 2, 4)]]  # 3 and 5 sat out
    planned = swiss_round(ranks, seats=4, deals=1, past=past, rng=Random(3))
    assert sorted(planned[0].matches[0]) == [0, 1, 3, 5]


def test_each_table_plays_its_deals_in_different_orders() -> None:
    planned = swiss_round(dict.fromkeys(range(8), 1), seats=4, deals=3, past=[], rng=Random(4))
    by_table: dict[tuple[int, ...], list[PlannedDeal]] = {}
    for deal in planned:
        by_table.setdefault(tuple(sorted(deal.matches[0])), []).append(deal)
    assert [len(deals) for deals in by_table.values()] == [3, 3]
    for deals in by_table.values():
        behind = Counter(pair for deal in deals for pair in around(deal.matches[0]))
        assert max(behind.values()) <= 2
        assert all(len(deal.matches) == 4 for deal in deals)


def test_the_order_remembers_who_sat_behind_whom() -> None:
    ranks = dict.fromkeys(range(3), 1)
    first = swiss_round(ranks, seats=3, deals=1, past=[], rng=Random(5))[0].matches[0]
    then = swiss_round(ranks, seats=3, deals=1, past=[[first]], rng=Random(5))[0].matches[0]
    assert not set(around(first)) & set(around(then))


def test_the_first_round_is_by_chance_and_the_same_luck_gives_the_same_round() -> None:
    ranks = dict.fromkeys(range(12), 1)
    rounds = [swiss_round(ranks, seats=3, deals=1, past=[], rng=Random(seed)) for seed in (6, 6, 7)]
    assert rounds[0] == rounds[1] != rounds[2]


def test_where_few_ways_without_repeats_are_left_the_search_takes_no_long_time() -> None:
    past, ranks = played(48, 4, 11), dict.fromkeys(range(48), 1)
    effort = calls(lambda: swiss_round(ranks, seats=4, deals=1, past=past, rng=Random(1)))
    assert effort < 2_000_000
