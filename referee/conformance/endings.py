"""How a game ends for a bot, in order and otherwise."""

from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure
from referee.conformance.meeting import Meeting
from referee.faults import Fault, FaultCode
from referee.wire import bot_pb2

_DECISIONS: Final = 3
_HUNG_UP: Final = 12
NOT_MEANT: Final = "This is only the check of how a fault is taken."
"""What a bot is told of a fault that it did not make."""


async def _ends(candidate: Candidate) -> None:
    async with Meeting(candidate, number=60) as meeting:
        await meeting.play()
        for ending in await meeting.end():
            if not ending.in_order:
                raise Failure(ending.why, f"At the end of the game: {ending.sentence}")


async def _hears_of_a_fault(candidate: Candidate) -> None:
    async with Meeting(candidate, number=61) as meeting:
        await meeting.play(_DECISIONS)
        fault = Fault(0, FaultCode.TIMEOUT, NOT_MEANT)
        await meeting.places[0].part(
            bot_pb2.PlayRequest(fault=fault.message()), meeting.game.events
        )
    await _plays_again(candidate)


async def _outlives_a_hang_up(candidate: Candidate) -> None:
    for number in range(_HUNG_UP):
        async with Meeting(candidate, number=70 + number) as meeting:
            meeting.to_decision()
            await meeting.put()
    await _plays_again(candidate)


async def _plays_again(candidate: Candidate) -> None:
    async with Meeting(candidate, number=62) as meeting:
        await meeting.play(_DECISIONS)


ENDINGS: Final = (
    Check("game-end", "It takes the game's end without an answer, and closes.", _ends),
    Check("fault", "Told of a fault it closes, and plays the next game.", _hears_of_a_fault),
    Check("hang-up", "Where the referee hangs up it plays the next game.", _outlives_a_hang_up),
)
