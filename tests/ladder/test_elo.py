from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder import elo

ratings = st.integers(0, 4_000_000)
tables = st.integers(2, 4).flatmap(
    lambda seats: st.lists(
        st.tuples(ratings, st.integers(1, seats)), min_size=seats, max_size=seats
    )
)
Table = list[tuple[int, int]]


def changes(table: Table) -> list[int]:
    return list(elo.changes([rating for rating, _ in table], [rank for _, rank in table]))


def test_equals_win_and_lose_half_of_k() -> None:
    assert elo.changes([1_500_000, 1_500_000], [1, 2]) == (16_000, -16_000)


def test_a_tie_of_equals_changes_nothing() -> None:
    assert elo.changes([1_500_000] * 4, [1, 1, 1, 1]) == (0, 0, 0, 0)


def test_400_points_are_odds_of_ten_to_one() -> None:
    assert elo.expected(1_900_000, 1_500_000) == pytest.approx(10 / 11)
    assert elo.changes([1_900_000, 1_500_000], [1, 2]) == (2_909, -2_909)


def test_four_equals_share_what_the_pairs_bring() -> None:
    assert elo.changes([1_500_000] * 4, [1, 2, 3, 4]) == (15_999, 5_333, -5_333, -15_999)


def test_a_table_needs_a_rating_and_a_rank_for_each_seat() -> None:
    with pytest.raises(ValueError, match="one of each a seat"):
        elo.changes([1_500_000, 1_500_000], [1])


@given(tables)
def test_changes_sum_to_zero(table: Table) -> None:
    assert sum(changes(table)) == 0


@given(tables)
def test_nobody_moves_by_more_than_k(table: Table) -> None:
    assert all(abs(change) <= elo.K + len(table) for change in changes(table))


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_seats_makes_no_difference(table: Table, rng: Random) -> None:
    order = list(range(len(table)))
    rng.shuffle(order)
    straight = changes(table)
    assert changes([table[seat] for seat in order]) == [straight[seat] for seat in order]


@given(tables)
def test_sole_winners_never_lose_points_and_sole_losers_never_win_any(table: Table) -> None:
    ranks = [rank for _, rank in table]
    for (_, rank), change in zip(table, changes(table), strict=True):
        if ranks.count(rank) == 1 and rank == min(ranks):
            assert change >= 0
        if ranks.count(rank) == 1 and rank == max(ranks):
            assert change <= 0


@given(tables, st.integers(1, 500_000))
def test_only_the_differences_of_ratings_count(table: Table, shift: int) -> None:
    assert changes(table) == changes([(rating + shift, rank) for rating, rank in table])
