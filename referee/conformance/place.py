"""A seat that the candidate holds: its stream, its clock, and what it has been told."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from referee.clock import SeatClock
from referee.conformance.candidate import Candidate
from referee.conformance.check import Failure, Why
from referee.conformance.reading import accept_of, move_of
from referee.conformance.stream import Ended, Stream, open_stream
from referee.rules import Move, Position
from referee.seats import Invitation
from referee.seats.guard import Guard, NotProven, seat_id
from referee.seats.requests import decision_request, question, start_request
from referee.wire import bot_pb2, game_pb2

END_WITHIN: Final = 5.0
"""Seconds that a bot has to close the stream after the last message."""
SEND_WITHIN: Final = 10.0
Alter = Callable[[bot_pb2.PlayRequest], None]
"""Changes a request before it is sent."""


class Place:
    """One seat of one game, from the first dial to the last message."""

    def __init__(
        self, candidate: Candidate, invitation: Invitation, alter: Alter | None = None
    ) -> None:
        self._candidate = candidate
        self._invitation = invitation
        self._clock = SeatClock(invitation.clock)
        self._alter = alter
        self._stream: Stream | None = None
        self._told = 0
        self._proof = b""  # what is still to be sent on this line
        self._answered: set[int] = set()

    async def accept(self, *, resumed: bool = False) -> bytes:
        """Lets the candidate accept the game; returns its nonce. Raises Failure."""
        guard = Guard(self._candidate.secret, self._invitation)
        await self._send(start_request(self._invitation, guard.challenge, resumed=resumed))
        start_up = self._invitation.clock.start_up
        data = await (await self._line()).receive(start_up)
        if data is None:
            sentence = f"It did not answer GameStart with Accept within {start_up:g} s."
            raise Failure(Why.TIMEOUT, sentence)
        accept = accept_of(data)
        try:
            self._proof = guard.admit(accept)
        except NotProven as error:
            raise Failure(Why.PROTOCOL, f"It was not let in: {error}") from None
        return accept.nonce

    async def ask(
        self, position: Position, events: Sequence[game_pb2.Event], decision_id: int
    ) -> Move:
        """Asks for a decision and returns the move. Raises Failure."""
        limit = await self.put(position, events, decision_id)
        started = monotonic()
        try:
            data = await (await self._line()).receive(limit)
            self._clock.end_move(min(limit, monotonic() - started))
            if data is None:
                raise Failure(Why.TIMEOUT, f"No choice came within {limit:.3f} s.")
            move = move_of(data, decision_id, position, self._answered)
        except Failure as failure:
            asked = f"It had been asked for a {position.kind} decision (id {decision_id})."
            raise Failure(failure.why, f"{failure.sentence} {asked}") from None
        self._answered.add(decision_id)
        return move

    async def put(
        self, position: Position, events: Sequence[game_pb2.Event], decision_id: int
    ) -> float:
        """Sends a decision and does not wait; returns the seconds that it may take."""
        limit = self._clock.start_move()
        asked, bank = question(position, decision_id), self._clock.bank
        request = bot_pb2.PlayRequest.FromString(
            decision_request(asked, int(1000 * limit), int(1000 * bank))
        )
        request.events.extend(events[self._told :])
        self._told = len(events)
        await self._send(request)
        return limit

    async def part(self, last: bot_pb2.PlayRequest, events: Sequence[game_pb2.Event]) -> Ended:
        """Sends the last message; returns how the candidate ended the stream. Raises Failure."""
        last.events.extend(events[self._told :])
        await self._send(last)
        await (await self._line()).close_our_side()
        try:
            data = await (await self._line()).receive(END_WITHIN)
        except Ended as ending:
            return ending
        if data is None:
            sentence = f"It did not close the stream within {END_WITHIN:g} s of the last message."
            raise Failure(Why.NOT_CLOSED, sentence)
        raise Failure(Why.SECOND_ANSWER, "It answered the last message, which wants no answer.")

    async def keep_quiet(self, seconds: float) -> None:
        """Says nothing for a while, and nothing must come. Raises Failure."""
        if await (await self._line()).receive(seconds) is not None:
            raise Failure(Why.SECOND_ANSWER, "It sent a message though nothing was asked.")

    async def say(self, data: bytes) -> None:
        """Sends bytes as they are. Raises Failure where they are not taken."""
        await (await self._line()).send(data, SEND_WITHIN)

    async def hang_up(self) -> None:
        """Lets go of the line without a word; the next message goes out on a new one."""
        stream, self._stream, self._told = self._stream, None, 0
        if stream is not None:
            await stream.hang_up()

    async def _line(self) -> Stream:
        """The stream that is open. Opens one where there is none."""
        if self._stream is None:
            self._stream = await open_stream(self._candidate, seat_id(self._invitation))
        return self._stream

    async def _send(self, request: bot_pb2.PlayRequest) -> None:
        request.proof, self._proof = self._proof, b""
        if self._alter is not None:
            self._alter(request)
        await self.say(request.SerializeToString())
