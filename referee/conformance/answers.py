"""The first decisions of one game, judged from each side that a choice has."""

from functools import partial
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure, NotReached, Why
from referee.conformance.meeting import Meeting

_DECISIONS: Final = 8
_QUIET: Final = 0.2
_SIDES: Final = (
    ("in-time", (Why.TIMEOUT,), "It answers each decision within its time."),
    ("message", (Why.PROTOCOL,), "It sends messages of the protocol, and those that are due."),
    ("message-size", (Why.TOO_LONG,), "It sends no message that is longer than 64 KB."),
    ("decision-id", (Why.WRONG_DECISION,), "Its choice repeats the id of the decision."),
    ("legal-index", (Why.ILLEGAL_INDEX,), "Its choice is the index of a legal move."),
    ("one-answer", (Why.SECOND_ANSWER,), "It answers once, and sends nothing unasked."),
    ("stays", (Why.CLOSED, Why.LINE_LOST), "It keeps the stream open until the game is over."),
)


class _Rehearsal:
    """The beginning of a game, played when it is first asked for."""

    def __init__(self) -> None:
        self._played = False
        self._failure: Failure | None = None

    async def judge(self, faults: tuple[Why, ...], candidate: Candidate) -> None:
        """Raises what went wrong where it is one of the faults, else NotReached."""
        if not self._played:
            self._failure = await _rehearse(candidate)
            self._played = True
        if self._failure is None:
            return
        if self._failure.why in faults:
            raise self._failure
        raise NotReached(f"The game broke off before: {self._failure.sentence}")


async def _rehearse(candidate: Candidate) -> Failure | None:
    """The candidate sits at the seat that rolls first, and so decides from the setup on."""
    try:
        async with Meeting(candidate, seats=(1,), number=2) as meeting:
            await meeting.play(_DECISIONS)
            await meeting.places[1].keep_quiet(_QUIET)
    except Failure as failure:
        return failure
    return None


def answers() -> tuple[Check, ...]:
    """One check a side. They share one game, so make them anew for each candidate."""
    rehearsal = _Rehearsal()
    return tuple(
        Check(name, sentence, partial(rehearsal.judge, faults), essential=name == "in-time")
        for name, faults, sentence in _SIDES
    )
