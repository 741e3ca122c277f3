"""A line that breaks and comes back: the same game goes on."""

from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check
from referee.conformance.meeting import Meeting

_DECISIONS: Final = 4


async def _comes_back_between(candidate: Candidate) -> None:
    async with Meeting(candidate, number=80) as meeting:
        await meeting.play(_DECISIONS)
        await meeting.lose_line()
        await meeting.play(_DECISIONS)


async def _comes_back_at_a_decision(candidate: Candidate) -> None:
    async with Meeting(candidate, number=81) as meeting:
        await meeting.play(_DECISIONS)
        for _ in range(2):
            meeting.to_decision()
            await meeting.put()
            await meeting.lose_line()
            await meeting.play(_DECISIONS)


LINES: Final = (
    Check("line-back", "After a lost line it goes on with the same game.", _comes_back_between),
    Check(
        "line-back-mid-decision",
        "A line lost while it thinks: it answers the same decision again.",
        _comes_back_at_a_decision,
    ),
)
