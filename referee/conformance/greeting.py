"""The first words: who the bot is, and whether it will play."""

import asyncio
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure, Why
from referee.conformance.meeting import Meeting
from referee.errors import InvalidBot
from referee.seats.description import describe

DESCRIBE_WITHIN: Final = 10.0
_QUIET: Final = 0.2


async def _describes(candidate: Candidate) -> None:
    try:
        await asyncio.to_thread(describe, candidate.address, DESCRIBE_WITHIN, candidate.ways)
    except InvalidBot as error:
        raise Failure(Why.NO_DESCRIPTION, str(error)) from None


async def _accepts(candidate: Candidate) -> None:
    async with Meeting(candidate) as meeting:
        await meeting.places[0].keep_quiet(_QUIET)


GREETING: Final = (
    Check("describe", "It says who it is, in the version of the protocol.", _describes, True),
    Check("accept", "It accepts a game, and then waits to be asked.", _accepts, True),
)
LAST_WORD: Final = (Check("still-there", "After all of this it still says who it is.", _describes),)
