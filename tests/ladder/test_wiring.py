"""What follows from a match is set in each process that may end one."""

import pytest

from ladder.bots import availability
from ladder.matches import states


def test_follow_ups_are_those_of_the_ladder() -> None:
    assert states.follow_ups().rated is availability.conduct


def test_a_process_that_is_not_wired_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_set", [])
    with pytest.raises(RuntimeError, match=r"has not imported ladder\.wiring"):
        states.follow_ups()
