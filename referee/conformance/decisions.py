"""Each kind of decision, asked for in the middle of a game that the bot is told from the start."""

from functools import partial
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check
from referee.conformance.moments import Moment, longest, moments
from referee.conformance.place import Place

_KINDS: Final = {
    "drive": "how far it drives",
    "visit": "to which building its pawn goes",
    "function": "how it uses each of the buildings",
    "deliver": "what it delivers to the ship",
    "pick": "what it takes from Pablo",
    "lawyer": "what it does at Alonso's",
    "tribute": "what it gives to El Zorro",
    "demand": "which good the ship does not want",
}


async def _decides(kind: str, candidate: Candidate) -> None:
    for moment in moments():
        if moment.position.kind == kind:
            await _ask(candidate, moment)


async def _chooses_among_many(candidate: Candidate) -> None:
    await _ask(candidate, longest())


async def _ask(candidate: Candidate, moment: Moment) -> None:
    place = Place(candidate, moment.opening(candidate.clock))
    try:
        await place.accept(resumed=True)
        await place.ask(moment.position, moment.events, moment.decision_id)
    finally:
        await place.hang_up()


DECISIONS: Final = (
    *(Check(kind, f"It chooses {what}.", partial(_decides, kind)) for kind, what in _KINDS.items()),
    Check("many-moves", "It chooses among a hundred legal moves.", _chooses_among_many),
)
