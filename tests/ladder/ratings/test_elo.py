from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings import elo

ratings = st.integers(0, 4_000_000)
tables = st.integers(2, 4).flatmap(
    lambda seats: st.lists(
        st.tuples(ratings, st.integers(1, seats)), min_size=seats, max_size=seats
    )
)
Table = list[tuple[int, int]]
mixed_tables = st.integers(2, 4).flatmap(
    lambda seats: st.lists(
        st.tuples(ratings, st.integers(1, seats), st.booleans(), st.booleans()),
        min_size=seats,
        max_size=seats,
    )
)
MixedTable = list[tuple[int, int, bool, bool]]
"""Rating, rank, whether provisional, whether pinned."""


def changes(table: Table) -> list[int]:
    return list(elo.changes([rating for rating, _ in table], [rank for _, rank in table]))


def mixed_changes(table: MixedTable) -> list[int]:
    ratings, ranks, provisional, pinned = zip(*table, strict=True)
    return list(elo.changes(ratings, ranks, provisional, pinned))


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
    with pytest.raises(ValueError, match="one rank for each seat"):
        elo.changes([1_500_000, 1_500_000], [1])
    with pytest.raises(ValueError, match="two to four seats"):
        elo.changes([1_500_000], [1])


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


def test_a_provisional_seat_moves_a_settled_one_by_a_quarter() -> None:
    assert elo.changes([1_500_000] * 2, [1, 2], [True, False]) == (16_000, -4_000)
    assert elo.changes([1_500_000] * 3, [1, 2, 3], [True, False, False]) == (16_000, 6_000, -10_000)


def test_two_provisional_seats_move_each_other_as_ever() -> None:
    assert elo.changes([1_500_000] * 2, [1, 2], [True, True]) == (16_000, -16_000)


def test_the_anchor_stays_and_the_others_move() -> None:
    assert elo.changes([1_500_000] * 2, [1, 2], pinned=[True, False]) == (0, -16_000)


def test_the_anchor_is_never_provisional() -> None:
    assert not elo.is_provisional(0, pinned=True)
    assert elo.is_provisional(elo.PROVISIONAL - 1, pinned=False)
    assert not elo.is_provisional(elo.PROVISIONAL, pinned=False)


@given(mixed_tables, st.randoms(use_true_random=False))
def test_the_order_of_mixed_seats_makes_no_difference(table: MixedTable, rng: Random) -> None:
    order = list(range(len(table)))
    rng.shuffle(order)
    straight = mixed_changes(table)
    assert mixed_changes([table[seat] for seat in order]) == [straight[seat] for seat in order]


@given(mixed_tables)
def test_nobody_moves_more_for_a_provisional_opponent(table: MixedTable) -> None:
    """With one opponent only: at larger tables a small loss may stand beside a full win."""
    one, other = table[:2]
    settled = elo.changes([one[0], other[0]], [one[1], other[1]])
    mixed = mixed_changes([one, other])
    assert all(abs(few) <= abs(full) for few, full in zip(mixed, settled, strict=True))


@given(mixed_tables)
def test_whether_a_seat_is_pinned_makes_no_difference_to_others(table: MixedTable) -> None:
    free = mixed_changes([(rating, rank, new, False) for rating, rank, new, _ in table])
    for gain, free_gain, (*_, is_pinned) in zip(mixed_changes(table), free, table, strict=True):
        assert gain == (0 if is_pinned else free_gain)


def test_equals_move_apart_by_their_doubt_and_surprise() -> None:
    new = elo.rate([elo.NEWCOMER] * 2, [1, 2])
    assert new == (elo.Skill(1_629_552, 298_131), elo.Skill(1_370_448, 298_131))
    known = elo.rate([elo.Skill(1_500_000, 60_000)] * 2, [1, 2])
    assert known == (elo.Skill(1_509_820, 59_280), elo.Skill(1_490_180, 59_280))
