"""Ranks at a table where seats may have faulted."""

from collections.abc import Sequence

import pytest

from referee.rules import Score
from referee.rules.scoring import table_ranks


def scores(*ranks: int) -> tuple[Score, ...]:
    return tuple(Score(seat, 20, 0, 3, rank) for seat, rank in enumerate(ranks))


@pytest.mark.parametrize(
    ("ranks_by_the_rules", "faulted", "ranks"),
    [
        ((2, 1, 3), [], (2, 1, 3)),
        ((1, 1, 3), [], (1, 1, 3)),
        ((2, 1, 3), [1], (1, 3, 2)),  # the best by the rules has faulted
        ((1, 2, 2, 4), [0], (4, 1, 1, 3)),
        ((1, 2, 3, 4), [0, 1], (4, 3, 1, 2)),  # a later fault ranks above an earlier one
        ((1, 2, 3, 4), [1, 0], (3, 4, 1, 2)),
    ],
)
def test_a_finished_game(
    ranks_by_the_rules: Sequence[int], faulted: list[int], ranks: tuple[int, ...]
) -> None:
    assert table_ranks(len(ranks), faulted, scores(*ranks_by_the_rules)) == ranks


@pytest.mark.parametrize(
    ("faulted", "absent", "ranks"),
    [([1], 1, (1, 3, 2)), ([1, 3], 2, (1, 3, 2, 3)), ([3, 0], 1, (3, 1, 2, 4))],
)
def test_absent_seats_share_the_last_rank(
    faulted: list[int], absent: int, ranks: tuple[int, ...]
) -> None:
    game = scores(*range(1, 1 + len(ranks)))
    assert table_ranks(len(ranks), faulted, game, absent=absent) == ranks


@pytest.mark.parametrize(
    ("faulted", "ranks"), [([0], (2, 1)), ([2, 0], (2, 1, 3)), ([3, 0, 1], (3, 2, 1, 4))]
)
def test_a_forfeit(faulted: list[int], ranks: tuple[int, ...]) -> None:
    assert table_ranks(len(ranks), faulted, ()) == ranks
