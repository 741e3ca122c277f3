"""Time: a bot that has to wait, and one that has little."""

import asyncio
from typing import Final

from referee.clock import Clock
from referee.conformance.candidate import Candidate
from referee.conformance.check import Check
from referee.conformance.meeting import Meeting

_SHORT: Final = Clock(move_limit=1.0, bank=1.0, increment=1.0)


async def _waits_for_the_start(candidate: Candidate) -> None:
    async with Meeting(candidate, number=40, late=candidate.pause) as meeting:
        await meeting.places[0].keep_quiet(candidate.pause)
        await meeting.play(2)


async def _waits_for_others(candidate: Candidate) -> None:
    async with Meeting(candidate, number=41) as meeting:
        await meeting.play(3)
        await asyncio.sleep(candidate.pause)
        await meeting.play(3)


async def _hurries(candidate: Candidate) -> None:
    async with Meeting(candidate, number=42, clock=_SHORT) as meeting:
        await meeting.play(5)


PATIENCE: Final = (
    Check("late-start", "It waits where a game starts late.", _waits_for_the_start),
    Check("slow-opponent", "It waits while others think.", _waits_for_others),
    Check("short-time", "It answers within a second where it has no more.", _hurries),
)
