"""Checks of each kind of decision, in the middle of games that were played at random.

The games are the same in every run; the bot gets each from the start.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Final

from referee.clock import Clock
from referee.conformance.check import Candidate, Check
from referee.conformance.meeting import Place, opening
from referee.dice import Luck
from referee.game import Game
from referee.rules import Layout, Position
from referee.rules.moves import VERB_MASK
from referee.seats.player import Invitation
from referee.wire import game_pb2

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

_GAMES: Final = 9
_SEED: Final = 300


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision in the middle of a game."""

    game: int
    seed: bytes
    position: Position
    events: tuple[game_pb2.Event, ...]
    """All that has happened before."""
    decision_id: int

    def opening(self, clock: Clock) -> Invitation:
        """How the seat that decides is invited to the game."""
        position = self.position
        match_id = f"moment-{self.game}-{self.decision_id}"
        return opening(match_id, position.seat, position.players, position.layout, self.seed, clock)


@cache
def moments() -> tuple[Moment, ...]:
    """For each kind of decision at each size of table, one for each set of verbs on offer."""
    found: dict[tuple[str, int, frozenset[int]], Moment] = {}
    for moment in _played():
        position = moment.position
        verbs = frozenset(move & VERB_MASK for move in position.legal_moves)
        found.setdefault((position.kind, position.players, verbs), moment)
    return tuple(found.values())


@cache
def longest() -> Moment:
    """The moment with the most legal moves."""
    return max(_played(), key=lambda moment: len(moment.position.legal_moves))


def _played() -> Iterator[Moment]:
    """Every decision of some games at 2, 3 and 4 seats. A moment's events are those so far."""
    for number in range(_GAMES):
        rng = Random(_SEED + number)
        layout, seed, players = Layout.shuffled(rng), rng.randbytes(32), 2 + number % 3
        game = Game(Position.start(layout, players), Luck(seed, 1, [b""] * players))
        decision_id = 1
        while game.run_to_decision():
            yield Moment(number, seed, game.position.copy(), tuple(game.events), decision_id)
            game.choose(rng.choice(game.position.legal_moves))
            decision_id += 1


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
