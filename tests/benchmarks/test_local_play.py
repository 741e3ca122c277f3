"""Games between bots in one process are nearly all rules and bots."""

import pytest

from benchmarks.local_play import LIMIT, measured


@pytest.mark.parametrize("seats", [2, 4])
def test_little_is_spent_outside_rules_and_bots(seats: int) -> None:
    figure = measured(seats, windows=10)
    assert 0 < figure.rules_and_bots < figure.all
    assert figure.outside <= LIMIT
