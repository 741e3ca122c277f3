"""What follows from a match is set in each process that may end one."""

import pytest

from ladder.contests.tournaments import lifecycle
from ladder.matches import follow_ups


def test_follow_ups_are_those_of_the_ladder() -> None:
    assert follow_ups.follow_ups().round_over is lifecycle.round_over


def test_a_process_that_is_not_wired_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_ups, "_set", [])
    with pytest.raises(RuntimeError, match=r"has not imported ladder\.wiring"):
        follow_ups.follow_ups()
