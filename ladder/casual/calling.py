"""Call the bots of a casual game, and let them move until a person has to choose."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

from ladder import seating
from ladder.bots.hosts import Hosts
from ladder.casual import playing, record
from ladder.casual.record import ATTEMPT, Stored
from ladder.jobs.kinds import Attempt
from ladder.matches.results import Written
from ladder.matches.tables import Player
from ladder.seating import TableHost
from referee.clock import Clock
from referee.errors import Interrupted, Unreachable
from referee.faults import Fault, SeatFault
from referee.game import Game, commitment
from referee.seats.player import Allowance, Invitation, SeatPlayer
from referee.ways import Ways

ENOUGH: Final = 60.0
"""Seconds after which a run is stored, and another one goes on: a longer one would be lost."""
_BARRED: Final = "it plays no more."


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """The right to have bots answer in a game: the game so far, and its bots by seat.

    None stands for a bot that may not be called any more.
    """

    held: Attempt
    game: Stored
    decisions: int
    bots: Mapping[int, Player | None]


@dataclass(frozen=True, slots=True)
class Answers:
    """The game after the bots' moves, the nonces of all seats, and what hosted bots wrote."""

    game: Game
    nonces: tuple[bytes, ...]
    written: tuple[Written, ...] = ()


class Unanswered(seating.NotPlayed):
    """A call of which no move came; it tells the nonces of those who accepted the game, too."""

    def __init__(
        self,
        why: Unreachable | Interrupted,
        nonces: Sequence[bytes | None],
        written: Sequence[Written],
    ) -> None:
        super().__init__(why, written)
        self.nonces = nonces


async def answers(claim: AnswerClaim, hosts: Hosts) -> Answers:
    """Return the game after the bots' moves. Hosted bots play at one of `hosts`.

    Raises Unanswered.
    """
    called = _Called(claim, Ways.from_environment())
    present = [player for player in claim.bots.values() if player is not None]
    try:
        async with seating.place(present, hosts) as called.place:
            try:
                result = await _played(claim, called)
            finally:
                await called.hang_up()
    except (Unreachable, Interrupted) as error:
        raise Unanswered(error, called.nonces, called.written()) from error
    return replace(result, written=called.written())


async def _played(claim: AnswerClaim, called: "_Called") -> Answers:
    began = monotonic()
    nonces = await called.accepted()
    game = record.rebuilt(replace(claim.game, nonces=nonces))
    while playing.goes_on(game, claim.bots) and game.run_to_decision():
        seat = game.position.seat
        if seat not in claim.bots:
            break
        if seat in game.faulted:
            game.choose_for_absent()
            continue
        try:
            await called.ask(game, seat)
        except Unreachable:
            if record.entries_of(game) == claim.game.entries:
                raise
            break  # what the others did counts; the next run begins with this seat
        if monotonic() - began > ENOUGH:
            break
    return Answers(game, nonces)


@dataclass(slots=True)
class _Called:
    """The bots that were called for one run of moves."""

    claim: AnswerClaim
    ways: Ways
    place: TableHost | None = None
    seats: dict[int, SeatPlayer] = field(default_factory=dict)
    nonces: list[bytes | None] = field(init=False)
    """Those of the seats; None for who has not accepted the game yet."""

    def __post_init__(self) -> None:
        self.nonces = list(self.claim.game.nonces)

    async def accepted(self) -> tuple[bytes, ...]:
        """Have all bots accept the game that have not yet; return the nonces of all seats.

        Raises Unreachable for the first one that does not, once all were asked.
        """
        missing: list[Unreachable] = []
        for seat, nonce in enumerate(self.nonces):
            if nonce is None:
                try:
                    self.nonces[seat] = await self._call(seat)
                except Unreachable as error:
                    missing.append(error)
        if missing:
            raise missing[0]
        return tuple(nonce or b"" for nonce in self.nonces)

    async def ask(self, game: Game, seat: int) -> None:
        """Have a bot choose, or fault."""
        if seat not in self.seats:
            await self._call(seat, resumed=True)
        number = record.decisions_of(game) + 1
        limit = min(self.claim.game.clock.move_limit, Clock().move_limit)
        try:
            answer = await self.seats[seat].decide(game, number, Allowance(limit, limit))
        except SeatFault as caught:
            fault = Fault(seat, caught.code, caught.sentence, caught.received)
            game.fault(fault)
            self.seats[seat].dismiss(game, fault)
            return
        game.choose(answer.move, answer.think, 0.0, answer.cpu)

    def written(self) -> tuple[Written, ...]:
        """Return what hosted bots have written, once they have been left."""
        return seating.written(
            [self.seats.get(seat) for seat in range(len(self.claim.game.nonces))]
        )

    async def hang_up(self) -> None:
        """Leave all bots."""
        await asyncio.gather(*(seat.leave() for seat in self.seats.values()))

    async def _call(self, seat: int, *, resumed: bool = False) -> bytes:
        player = self.claim.bots[seat]
        if player is None:
            raise Unreachable(seat, _BARRED)
        called = await seating.player_of(seat, player, self.ways, self.place)
        self.seats[seat] = called
        return await called.accept(_invitation(self.claim.game, seat, resumed=resumed))


def _invitation(game: Stored, seat: int, *, resumed: bool) -> Invitation:
    return Invitation(
        match_id=game.match_id,
        attempt=ATTEMPT,
        seat=seat,
        players=len(game.nonces),
        layout=game.layout,
        clock=game.clock,
        dice_commitment=commitment(game.dice_seed),
        resumed=resumed,
    )
