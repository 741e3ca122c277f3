"""Checks of whole games (number, time, lost lines, endings) and of each kind of decision."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Final

from google.protobuf.message import Message

from referee.clock import Clock
from referee.conformance.check import Candidate, Check, Failure
from referee.conformance.meeting import CheckGame, CheckSeat, opening
from referee.faults import Fault, FaultCode
from referee.game import Game, Luck
from referee.rules import Layout, Position
from referee.rules.moves import VERB_MASK
from referee.seats.player import Invitation
from referee.wire import bot_pb2, game_pb2

_AT_ONCE: Final = 4
_A_FEW: Final = 4  # decisions: enough to show that a game goes on


async def _plays(players: int, candidate: Candidate) -> None:
    async with CheckGame(candidate, players=players, seats=(players - 1,), number=10) as meeting:
        await meeting.play()


async def _plays_several(candidate: Candidate) -> None:
    """Begin all games before one goes on, so that none can wait for another's end."""
    async with AsyncExitStack() as stack:
        meetings = [
            await stack.enter_async_context(
                CheckGame(candidate, players=2 + n % 3, seats=(n % 2,), number=20 + n)
            )
            for n in range(min(_AT_ONCE, candidate.slots or _AT_ONCE))
        ]
        for meeting in reversed(meetings):
            await meeting.play(1)
        games = (meeting.play(_A_FEW) for meeting in meetings)
        for ending in await asyncio.gather(*games, return_exceptions=True):
            if ending is not None:
                raise ending


async def _plays_itself(candidate: Candidate) -> None:
    seats = (0, 1, 2)[: candidate.slots]
    async with CheckGame(candidate, players=3, seats=seats, number=30) as meeting:
        await meeting.play(3 * _A_FEW)


GAMES: Final = (
    *(
        Check(f"game-of-{n}", f"It plays a whole game at a table of {n}.", partial(_plays, n))
        for n in (2, 3, 4)
    ),
    Check("several-games", f"It plays {_AT_ONCE} games at once.", _plays_several),
    Check("against-itself", "It plays all seats of one game.", _plays_itself),
)


_SHORT: Final = Clock(move_limit=1.0, bank=1.0, increment=1.0)


async def _waits_for_the_start(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=40, late=candidate.pause) as meeting:
        await meeting.places[0].keep_quiet(candidate.pause)
        await meeting.play(2)


async def _waits_for_others(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=41) as meeting:
        await meeting.play(3)
        await meeting.places[0].keep_quiet(candidate.pause)
        await meeting.play(3)


async def _hurries(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=42, clock=_SHORT) as meeting:
        await meeting.play(5)


PATIENCE: Final = (
    Check("late-start", "It waits if a game starts late.", _waits_for_the_start),
    Check("slow-opponent", "It waits while others think.", _waits_for_others),
    Check("short-time", "It answers within a second if it has no more time.", _hurries),
)


_UNKNOWN_FIELD: Final = bytes([0xFA, 0x3F, 3]) + b"new"
"""Field 1023, a text."""
_QUIET: Final = 0.2


def _with_unknown_fields(request: bot_pb2.PlayRequest) -> None:
    """Add an unknown field to every message of the request, and an event with one."""
    request.events.append(game_pb2.Event())
    _add_unknown_field(request)


def _add_unknown_field(message: Message) -> None:
    message.MergeFromString(_UNKNOWN_FIELD)
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in [value] if isinstance(value, Message) else value:
                _add_unknown_field(inner)


async def _passes_over_fields(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=50, alter=_with_unknown_fields) as meeting:
        await meeting.play(_A_FEW)


async def _passes_over_messages(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=51) as meeting:
        await meeting.play(1)
        await meeting.places[0].say(_UNKNOWN_FIELD)
        await meeting.places[0].keep_quiet(_QUIET)
        await meeting.play(_A_FEW)


TOLERANCE: Final = (
    Check("unknown-fields", "It ignores unknown fields.", _passes_over_fields),
    Check("unknown-message", "It ignores unknown messages.", _passes_over_messages),
)


async def _comes_back_between(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=80) as meeting:
        await meeting.play(_A_FEW)
        await meeting.lose_line()
        await meeting.play(_A_FEW)


async def _comes_back_at_a_decision(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=81) as meeting:
        await meeting.play(_A_FEW)
        for _ in range(2):
            meeting.to_decision()
            await meeting.put()
            await meeting.lose_line()
            await meeting.play(_A_FEW)


LINES: Final = (
    Check("line-back", "After a lost connection, it continues the same game.", _comes_back_between),
    Check(
        "line-back-mid-decision",
        "If the connection is lost while it thinks, it answers the same decision again.",
        _comes_back_at_a_decision,
    ),
)


_HUNG_UP: Final = 12
NOT_MEANT: Final = "This is only the check of how a fault is taken."
"""The sentence of a fault that the bot did not commit."""


async def _ends(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=60) as meeting:
        await meeting.play()
        for ending in await meeting.end():
            if not ending.in_order:
                raise Failure(ending.why, f"At the end of the game: {ending.sentence}")


async def _hears_of_a_fault(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=61) as meeting:
        await meeting.play(_A_FEW)
        fault = Fault(0, FaultCode.TIMEOUT, NOT_MEANT)
        await meeting.places[0].part(
            bot_pb2.PlayRequest(fault=fault.message()), meeting.game.events
        )
    await _plays_again(candidate)


async def _outlives_a_hang_up(candidate: Candidate) -> None:
    for number in range(_HUNG_UP):
        async with CheckGame(candidate, number=70 + number) as meeting:
            meeting.to_decision()
            await meeting.put()
    await _plays_again(candidate)


async def _plays_again(candidate: Candidate) -> None:
    async with CheckGame(candidate, number=62) as meeting:
        await meeting.play(_A_FEW)


ENDINGS: Final = (
    Check("game-end", "It does not answer the end of the game, and closes the stream.", _ends),
    Check(
        "fault",
        "After a fault message, it closes the stream and plays the next game.",
        _hears_of_a_fault,
    ),
    Check(
        "hang-up",
        "If the referee closes the connection, it plays the next game.",
        _outlives_a_hang_up,
    ),
)


_KINDS: Final = {
    "drive": "how far it drives",
    "visit": "the building that its pawn goes to",
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
class _SampleDecision:
    """A decision in the middle of a game."""

    game: int
    seed: bytes
    position: Position
    events: tuple[game_pb2.Event, ...]
    """All that has happened before."""
    decision_id: int

    def opening(self, clock: Clock) -> Invitation:
        """Return the invitation of the seat that decides."""
        position = self.position
        match_id = f"moment-{self.game}-{self.decision_id}"
        return opening(match_id, position.seat, position.players, position.layout, self.seed, clock)


@cache
def _moments() -> tuple[_SampleDecision, ...]:
    """Return a moment for each kind of decision, size of table and set of legal verbs."""
    by_kind: dict[tuple[str, int, frozenset[int]], _SampleDecision] = {}
    for moment in _played():
        position = moment.position
        verbs = frozenset(move & VERB_MASK for move in position.legal_moves)
        by_kind.setdefault((position.kind, position.players, verbs), moment)
    return tuple(by_kind.values())


@cache
def _longest() -> _SampleDecision:
    """Return the moment with the most legal moves."""
    return max(_played(), key=lambda moment: len(moment.position.legal_moves))


def _played() -> Iterator[_SampleDecision]:
    """Yield every decision of some random games at 2, 3 and 4 seats, the same in every run."""
    for number in range(_GAMES):
        rng = Random(_SEED + number)
        layout, seed, players = Layout.shuffled(rng), rng.randbytes(32), 2 + number % 3
        game = Game(Position.start(layout, players), Luck(seed, 1, [b""] * players))
        decision_id = 1
        while game.run_to_decision():
            yield _SampleDecision(
                number, seed, game.position.copy(), tuple(game.events), decision_id
            )
            game.choose(rng.choice(game.position.legal_moves))
            decision_id += 1


async def _decides(kind: str, candidate: Candidate) -> None:
    for moment in _moments():
        if moment.position.kind == kind:
            await _ask(candidate, moment)


async def _chooses_among_many(candidate: Candidate) -> None:
    await _ask(candidate, _longest())


async def _ask(candidate: Candidate, moment: _SampleDecision) -> None:
    place = CheckSeat(candidate, moment.opening(candidate.clock))
    try:
        await place.accept(resumed=True)
        await place.ask(moment.position, moment.events, moment.decision_id)
    finally:
        await place.hang_up()


DECISIONS: Final = (
    *(Check(kind, f"It chooses {what}.", partial(_decides, kind)) for kind, what in _KINDS.items()),
    Check("many-moves", "It chooses among a hundred legal moves.", _chooses_among_many),
)
