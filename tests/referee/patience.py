"""Tests in which time runs out, on a machine that may be busy."""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

import pytest

from referee.clock import Clock
from referee.errors import Interrupted, Unreachable
from referee.ways import Ways
from tests.referee.games import match_of, play

BRIEF = Clock(start_up=0.5)
"""For bots that do not accept a game."""
_ENOUGH = Clock(start_up=10.0)
_ATTEMPTS = 6
_P = ParamSpec("_P")


def judged_again(test: Callable[_P, Awaitable[None]]) -> Callable[_P, Awaitable[None]]:
    """Where the referee was too busy to judge a time-out the test is made again."""

    @wraps(test)
    async def tried(*given: _P.args, **named: _P.kwargs) -> None:
        for _ in range(_ATTEMPTS - 1):
            with suppress(Interrupted):
                return await test(*given, **named)
        return await test(*given, **named)

    return tried


async def unreachable(addresses: Sequence[str], said: str, ways: Ways | None = None) -> Unreachable:
    """Why there is no match between these bots, which has to be `said`.

    Where a busy machine found out something else in the little time that bots have, they get more.
    """
    for clock in (BRIEF, _ENOUGH):
        with pytest.raises((Unreachable, Interrupted)) as caught:
            await play(match_of(addresses, clock), ways=ways)
        if isinstance(caught.value, Unreachable) and re.search(said, str(caught.value)):
            return caught.value
    raise caught.value
