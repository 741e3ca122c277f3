"""The first call ever to a bot of a stranger's: there is no second one before it gave its proof."""

from functools import partial
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure, Why
from referee.conformance.meeting import Meeting
from referee.conformance.stream import Ended
from referee.seats.description import NotDescribed, told_version

_GAME: Final = 3


async def _answers(version: str, candidate: Candidate) -> None:
    """Accepts a game, which takes the proof; only then it is asked for its version."""
    await _accepts(candidate)
    try:
        told = await told_version(candidate.address, candidate.ways)
    except NotDescribed as error:
        raise Failure(Why.NO_DESCRIPTION, str(error)) from None
    if told != version:
        sentence = (
            f"It says that it is version {told}; version {version} was submitted. "
            f"Submit it as version {told}, or start the one that says {version}."
        )
        raise Failure(Why.OTHER_VERSION, sentence)


async def _accepts(candidate: Candidate) -> None:
    try:
        async with Meeting(candidate, number=_GAME):
            pass
    except Ended as ended:
        if ended.refused:
            raise Failure(ended.why, f"{_NOBODY} {ended.sentence}") from None
        if ended.why is Why.LINE_LOST:
            hint = candidate.ways.hint(candidate.address)
            raise Failure(ended.why, f"{ended.sentence} At {candidate.address}: {hint}") from None
        raise


_NOBODY: Final = (
    "Nobody listens there. Start the bot, wait until it says that it is waiting for games, "
    "and then submit it."
)


def first_call(version: str) -> Check:
    """To be made before all others. Where it fails, nothing is dialled again."""
    return Check(
        "first-call",
        "Called once, it accepts a game, proves its secret, and is the version that was submitted.",
        partial(_answers, version),
        essential=True,
    )
