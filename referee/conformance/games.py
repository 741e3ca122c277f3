"""Whole games, and several at once."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check
from referee.conformance.meeting import Meeting

_AT_ONCE: Final = 4
_DECISIONS: Final = 4


async def _plays(players: int, candidate: Candidate) -> None:
    async with Meeting(candidate, players=players, seats=(players - 1,), number=10) as meeting:
        await meeting.play()


async def _plays_several(candidate: Candidate) -> None:
    """All games have begun before one goes on, so none can wait for another's end."""
    async with AsyncExitStack() as stack:
        meetings = [
            await stack.enter_async_context(
                Meeting(candidate, players=2 + n % 3, seats=(n % 2,), number=20 + n)
            )
            for n in range(min(_AT_ONCE, candidate.slots or _AT_ONCE))
        ]
        for meeting in reversed(meetings):
            await meeting.play(1)
        games = (meeting.play(_DECISIONS) for meeting in meetings)
        for ending in await asyncio.gather(*games, return_exceptions=True):
            if ending is not None:
                raise ending


async def _plays_itself(candidate: Candidate) -> None:
    seats = (0, 1, 2)[: candidate.slots]
    async with Meeting(candidate, players=3, seats=seats, number=30) as meeting:
        await meeting.play(3 * _DECISIONS)


GAMES: Final = (
    *(
        Check(f"game-of-{n}", f"It plays a whole game at a table of {n}.", partial(_plays, n))
        for n in (2, 3, 4)
    ),
    Check("several-games", f"It plays {_AT_ONCE} games at once.", _plays_several),
    Check("against-itself", "It plays all seats of one game.", _plays_itself),
)
