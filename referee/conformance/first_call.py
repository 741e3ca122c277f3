"""The first call ever to a bot of a stranger's: one dial, and a proof before there is a second."""

from functools import partial
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure, Why
from referee.conformance.meeting import Meeting
from referee.seats.description import NotDescribed, told_version

_GAME: Final = 3


async def _answers(version: str, candidate: Candidate) -> None:
    """Accepts a game, which takes the proof; only then it is asked for its version."""
    async with Meeting(candidate, number=_GAME):
        pass
    try:
        told = await told_version(candidate.address, candidate.ways)
    except NotDescribed as error:
        raise Failure(Why.NO_DESCRIPTION, str(error)) from None
    if told != version:
        sentence = f"It says that it is version {told}; version {version} was submitted."
        raise Failure(Why.NO_DESCRIPTION, sentence)


def first_call(version: str) -> Check:
    """To be made before all others. Where it fails, nothing is dialled again."""
    return Check(
        "first-call",
        "Called once, it accepts a game, proves its secret, and is the version that was submitted.",
        partial(_answers, version),
        essential=True,
    )
