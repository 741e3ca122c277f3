"""Plays games with the candidate at some seats; the moves of the others are random."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import Final, Self

from referee.clock import Clock
from referee.conformance import check
from referee.conformance.check import Candidate, Failure, PlayStream, Why
from referee.faults import too_late
from referee.game import Game, Luck, commitment
from referee.match import SeatClock
from referee.rules import Layout, Move, Position
from referee.seats import protocol
from referee.seats.player import Invitation
from referee.wire import bot_pb2, game_pb2

END_WITHIN: Final = 5.0
"""Seconds in which a bot has to close the stream after the last message."""
SEND_WITHIN: Final = 10.0
_HOW: Final = (
    "“The shared secret” on the page /docs/write-a-bot-anywhere of the ladder's site tells how it "
    "proves it."
)
_UNDER_WAY: Final = 0.05
"""Seconds after which a message has surely arrived."""


def opening(
    match_id: str, seat: int, players: int, layout: Layout, seed: bytes, clock: Clock
) -> Invitation:
    """Return the invitation to a game whose dice come from `seed`."""
    return Invitation(
        match_id=match_id,
        attempt=1,
        seat=seat,
        players=players,
        layout=layout,
        clock=clock,
        dice_commitment=commitment(seed),
    )


Alter = Callable[[bot_pb2.PlayRequest], None]
"""Changes a request before it is sent."""


class CheckSeat:
    """One seat of one game, from the first dial to the last message."""

    def __init__(
        self, candidate: Candidate, invitation: Invitation, alter: Alter | None = None
    ) -> None:
        self._candidate = candidate
        self._invitation = invitation
        self._clock = SeatClock(invitation.clock)
        self._alter = alter
        self._stream: PlayStream | None = None
        self._sent = 0
        self._proof = b""  # ours, until it was sent on this line
        self._answered: set[int] = set()

    async def accept(self, *, resumed: bool = False) -> bytes:
        """Let the candidate accept the game; return its nonce. Raises Failure."""
        guard = protocol.Guard(self._candidate.secret, self._invitation)
        await self._send(protocol.start_request(self._invitation, guard.challenge, resumed=resumed))
        start_up = self._invitation.clock.start_up
        data = await (await self._line()).receive(start_up)
        if data is None:
            sentence = f"It did not answer GameStart with Accept within {start_up:g} s."
            raise Failure(Why.TIMEOUT, sentence)
        accept = check.accept_of(data)
        try:
            self._proof = guard.admit(accept)
        except protocol.NotProven as error:
            sentence = f"It was not let in: {error} {_HOW}"
            raise Failure(Why.NOT_PROVEN, sentence) from None
        return accept.nonce

    async def ask(
        self, position: Position, events: Sequence[game_pb2.Event], decision_id: int
    ) -> Move:
        """Ask for a decision and return the move. Raises Failure."""
        limit = await self.put(position, events, decision_id)
        started = monotonic()
        try:
            line = await self._line()
            data = await line.receive(limit)
            self._clock.end_move(min(limit, max(0.0, monotonic() - started - line.waited)))
            if data is None:
                raise Failure(Why.TIMEOUT, too_late(limit).sentence)
            move = check.move_of(data, decision_id, position, self._answered)
        except Failure as failure:
            request = f"It had been asked for a {position.kind} decision (id {decision_id})."
            raise Failure(failure.why, f"{failure.sentence} {request}") from None
        self._answered.add(decision_id)
        return move

    async def put(
        self, position: Position, events: Sequence[game_pb2.Event], decision_id: int
    ) -> float:
        """Send a decision without waiting; return the seconds that the answer may take."""
        limit = self._clock.start_move()
        question = protocol.question(position, decision_id)
        request = bot_pb2.PlayRequest.FromString(
            protocol.decision_request(question, limit, self._clock.bank)
        )
        request.events.extend(events[self._sent :])
        self._sent = len(events)
        await self._send(request)
        return limit

    async def part(
        self, last: bot_pb2.PlayRequest, events: Sequence[game_pb2.Event]
    ) -> check.StreamEnded:
        """Send the last message; return how the candidate ended the stream. Raises Failure."""
        last.events.extend(events[self._sent :])
        await self._send(last)
        await (await self._line()).close_our_side()
        try:
            data = await (await self._line()).receive(END_WITHIN)
        except check.StreamEnded as ending:
            return ending
        if data is None:
            sentence = f"It did not close the stream within {END_WITHIN:g} s of the last message."
            raise Failure(Why.NOT_CLOSED, sentence)
        raise Failure(Why.SECOND_ANSWER, "It answered the last message, which wants no answer.")

    async def keep_quiet(self, seconds: float) -> None:
        """Send nothing for a while; raise Failure if the candidate sends something."""
        if await (await self._line()).receive(seconds) is not None:
            raise Failure(Why.SECOND_ANSWER, "It sent a message though nothing was asked.")

    async def say(self, data: bytes) -> None:
        """Send bytes as they are. Raises Failure if the bot does not read them."""
        await (await self._line()).send(data, SEND_WITHIN)

    async def hang_up(self) -> None:
        """End the line without a word; the next message opens a new one."""
        stream, self._stream, self._sent = self._stream, None, 0
        if stream is not None:
            await stream.hang_up()

    async def _line(self) -> PlayStream:
        """Return the open stream; open one if there is none."""
        if self._stream is None:
            seat = protocol.seat_id(self._invitation)
            self._stream = await check.open_stream(self._candidate, seat)
        return self._stream

    async def _send(self, request: bot_pb2.PlayRequest) -> None:
        request.proof, self._proof = self._proof, b""
        if self._alter is not None:
            self._alter(request)
        await self.say(request.SerializeToString())


class CheckGame:
    """One game with the candidate; a game of the same `number` differs only by its choices.

    It is a context manager: inside the block the candidate has accepted, and after it all lines are
    hung up. All methods raise Failure.
    """

    def __init__(
        self,
        candidate: Candidate,
        *,
        players: int = 2,
        seats: tuple[int, ...] = (0,),
        number: int = 1,
        clock: Clock | None = None,
        alter: Alter | None = None,
        late: float = 0.0,
    ) -> None:
        """`late`: seconds from the dial to GameStart."""
        self._late = late
        self._rng = Random(number)
        self._layout = Layout.shuffled(self._rng)
        self._seed = self._rng.randbytes(32)
        self._nonces = [b""] * players
        self._decision_id = 1
        clock = clock or candidate.clock
        invitations = {
            seat: opening(f"check-{number}", seat, players, self._layout, self._seed, clock)
            for seat in seats
        }
        self.places = {seat: CheckSeat(candidate, invitations[seat], alter) for seat in seats}
        """The candidate's seats."""
        self.game: Game

    async def __aenter__(self) -> Self:
        try:
            await self._accept()
        except BaseException:
            await self._leave()
            raise
        luck = Luck(self._seed, 1, self._nonces)
        self.game = Game(Position.start(self._layout, len(self._nonces)), luck)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._leave()

    async def play(self, decisions: int | None = None) -> None:
        """Play until the candidate has made `decisions` more; by default to the end."""
        made = 0
        while made != decisions and self.to_decision():
            position = self.game.position
            place = self.places[position.seat]
            self._choose(await place.ask(position, self.game.events, self._decision_id))
            made += 1

    def to_decision(self) -> bool:
        """Play until the candidate has to decide. Return False if the game is over."""
        while self.game.run_to_decision():
            position = self.game.position
            if position.seat in self.places:
                return True
            self._choose(self._rng.choice(position.legal_moves))
        return False

    async def put(self) -> None:
        """Send the candidate its decision; wait until it has arrived, not for the answer."""
        position = self.game.position
        await self.places[position.seat].put(position, self.game.events, self._decision_id)
        await asyncio.sleep(_UNDER_WAY)

    async def lose_line(self) -> None:
        """Hang up without a word and dial again."""
        for place in self.places.values():
            await place.hang_up()
            await place.accept(resumed=True)

    async def end(self) -> list[check.StreamEnded]:
        """Say that the game is over; return how the candidate ended its streams, by seat."""
        result = self.game.result()
        over = bot_pb2.GameEnd(result=result, dice_seed=self._seed, nonces=self._nonces)
        return [
            await place.part(bot_pb2.PlayRequest(end=over), self.game.events)
            for place in self.places.values()
        ]

    def _choose(self, move: Move) -> None:
        self.game.choose(move)
        self._decision_id += 1

    async def _accept(self) -> None:
        for seat, place in self.places.items():
            await place.keep_quiet(self._late)
            self._nonces[seat] = await place.accept()

    async def _leave(self) -> None:
        await asyncio.gather(*(place.hang_up() for place in self.places.values()))
