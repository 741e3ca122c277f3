"""A small version of `python -m benchmarks calibration`; its seeds are fixed."""

from math import sqrt

import pytest

from benchmarks import calibration
from benchmarks._worlds import full_world, plain_world
from benchmarks.calibration import Draw, coverage

LEAGUES, BOTS, DEALS = 16, 10, 20
REPLAYS = 20  # from which the truth of a league is told: nine tenths of the cost


@pytest.mark.parametrize(
    ("draw", "size"), [(plain_world, 3), *((full_world, size) for size in (2, 3, 4))]
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    draw: Draw, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right interval fails here once in some ten thousand choices of the seeds, by four
    standard errors; one that is too short by a third holds 81 % and fails nearly always."""
    monkeypatch.setattr(calibration, "_REPLAYS", REPLAYS)
    found = coverage(draw, size, leagues=LEAGUES, bots=BOTS, deals=DEALS)
    error = max(found.error, sqrt(0.95 * 0.05 / (LEAGUES * BOTS)))
    assert found.inside > 0.95 - 4 * error
    assert found.inside < 1  # nor do they hold everything
