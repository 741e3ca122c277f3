from collections import Counter

import pytest

from referee.replay import trace, tributes
from tests.referee.games import DrawingBot, FaultyBot, local_game


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_who_gave_to_whom_is_as_the_trace_tells(seats: int) -> None:
    replay = local_game([DrawingBot] * seats)
    told = Counter(
        (line["state"]["active"], line["seat"])
        for line in trace(replay)
        if line["type"] == "decision" and line["kind"] == "tribute"
    )
    assert tributes(replay) == tuple(
        (taker, giver, number) for (taker, giver), number in sorted(told.items())
    )
    assert told


def test_nobody_gives_after_a_forfeit() -> None:
    replay = local_game([FaultyBot, DrawingBot])
    assert tributes(replay) == ()
