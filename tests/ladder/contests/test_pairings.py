from itertools import combinations, islice
from random import Random

from ladder.contests.pairings import endless_deals, gauntlet_tables, round_robin_tables
from tests.ladder.contests.balance import around


def test_a_cyclic_order_is_drawn_anew_for_each_deal() -> None:
    planned = islice(endless_deals([(0, 1, 2, 3)], Random(3)), 6)
    assert len({frozenset(around(deal.matches[0])) for deal in planned}) == 6


def test_each_round_has_every_combination_once_in_an_order_of_its_own() -> None:
    planned = islice(endless_deals(round_robin_tables(range(5), seats=3), Random(4)), 20)
    combined = [tuple(sorted(deal.matches[0])) for deal in planned]
    assert sorted(combined[:10]) == sorted(combined[10:]) == list(combinations(range(5), 3))
    assert combined[:10] != combined[10:]


def test_the_tables_of_a_gauntlet_all_have_the_first() -> None:
    assert gauntlet_tables([7, 1, 2, 3], seats=3) == [(7, 1, 2), (7, 1, 3), (7, 2, 3)]
