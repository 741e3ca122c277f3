"""Games between bots in one process are nearly all rules and bots."""

import sys
from collections.abc import Callable
from itertools import islice
from random import Random
from types import FrameType

import pytest

from benchmarks.local_play import bare_game, decisions_of, hasty_entrant, measured
from ladder.local.tournament import plan, play_game
from referee.clock import Clock


@pytest.mark.parametrize("seats", [2, 4])
def test_little_is_called_outside_rules_and_bots(seats: int) -> None:
    """Calls are counted, not seconds: they are the same on every machine."""
    hasty = hasty_entrant()
    games = list(islice(plan(seats, seats, Random(5)), 2))
    decisions = sum(decisions_of(game, hasty) for game in games)
    whole = calls(lambda: [play_game(game, [hasty] * seats, Clock()) for game in games])
    bare = calls(lambda: [bare_game(game) for game in games])
    assert 0 < bare < whole
    assert (whole - bare) / decisions <= 30


def test_the_benchmark_measures_games() -> None:
    figure = measured(2, windows=1)
    assert figure.rules_and_bots > 0
    assert figure.all > 0
    assert figure.outside == figure.all - figure.rules_and_bots


def calls(work: Callable[[], object]) -> int:
    """Return how many Python functions are called."""
    called = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal called
        called += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return called
