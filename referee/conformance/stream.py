"""One stream `Play` to the candidate, read strictly: whatever goes wrong on it is a Failure."""

import asyncio
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from referee.conformance.check import Candidate, Failure, Why
from referee.dice import MAX_NONCE_BYTES
from referee.rules import Position
from referee.seats.line import (
    GONE,
    LOST,
    Metadata,
    NotAdmitted,
    admission,
    sent_no_http2,
    sent_too_much,
    status_words,
)
from referee.service import PLAY
from referee.wire import bot_pb2

_REFUSED: Final = "Connection refused"
"""In gRPC's own words, for which it has no code. Who says so itself may well be called again."""


class Ended(Failure):
    """The stream has ended; `in_order` where the candidate closed it without an error, `refused`
    where nobody listened at all."""

    def __init__(
        self, why: Why, sentence: str, *, in_order: bool = False, refused: bool = False
    ) -> None:
        super().__init__(why, sentence)
        self.in_order = in_order
        self.refused = refused


async def open_stream(candidate: Candidate, seat: str) -> "Stream":
    """A stream for a seat that no other game has. Raises Failure."""
    channel = candidate.ways.channel(candidate.address)
    try:
        admitted = await admission(channel, candidate.address, candidate.ways, seat)
    except NotAdmitted as error:
        await channel.close()
        raise Failure(Why.LINE_LOST, f"It could not be called: {error}.") from None
    return Stream(channel, admitted)


class Stream:
    """A stream, opened once and hung up once. Bytes go in and come out."""

    def __init__(self, channel: grpc.aio.Channel, admitted: Metadata) -> None:
        """`admitted`: the proof for the gateway, if the candidate is behind it."""
        self._channel = channel
        self._call: Any = channel.stream_stream(PLAY)(metadata=admitted)
        # One message is read ahead: an end is noticed before gRPC stumbles over it while it sends.
        self._reading: asyncio.Task[Any] = asyncio.create_task(self._call.read())

    async def send(self, data: bytes, within: float) -> None:
        """Sends a message. Where the stream has ended, `receive` tells how. Raises Failure."""
        try:
            async with asyncio.timeout(within):
                await self._call.write(data)
        except GONE:
            return
        except TimeoutError:
            sentence = f"It did not read what it was sent for {within:g} s."
            raise Failure(Why.TIMEOUT, sentence) from None

    async def receive(self, within: float) -> bytes | None:
        """The next message; None when none came in time. Raises Ended."""
        done, _ = await asyncio.wait({self._reading}, timeout=within)
        if not done:
            return None
        try:
            data = self._reading.result()
        except GONE:
            data = grpc.aio.EOF
        if data is grpc.aio.EOF:
            raise _ended(await self._call.code(), await self._call.details() or "")
        self._reading = asyncio.create_task(self._call.read())
        return bytes(data)

    async def close_our_side(self) -> None:
        """Says that nothing more will be sent."""
        try:
            await self._call.done_writing()
        except GONE:
            return

    async def hang_up(self) -> None:
        """Ends the stream and its connection, whatever their state."""
        self._call.cancel()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        await self._channel.close()


def _ended(code: grpc.StatusCode, details: str) -> Ended:
    if code is grpc.StatusCode.OK:
        sentence = "It ended the stream before the game was over."
        return Ended(Why.CLOSED, sentence, in_order=True)
    status = status_words(code, details)
    if sent_too_much(code, details):
        return Ended(Why.TOO_LONG, f"It sent a message that is too long ({status}).")
    if sent_no_http2(details):
        return Ended(Why.PROTOCOL, f"It sent bytes that are no HTTP/2 ({status}).")
    if code in LOST:
        refused = code is grpc.StatusCode.UNAVAILABLE and _REFUSED in details
        return Ended(Why.LINE_LOST, f"The line broke ({status}).", refused=refused)
    return Ended(Why.CLOSED, f"It ended the stream with an error ({status}).")


def accept_of(data: bytes) -> bot_pb2.Accept:
    """An Accept. Raises Failure."""
    accept = _response(data, "accept").accept
    length = len(accept.nonce)
    if length > MAX_NONCE_BYTES:
        sentence = f"Its nonce has {length} bytes; at most {MAX_NONCE_BYTES} are allowed."
        raise Failure(Why.PROTOCOL, sentence)
    return accept


def move_of(data: bytes, decision_id: int, position: Position, answered: set[int]) -> int:
    """The legal move that a Choice means. Raises Failure."""
    choice = _response(data, "choice").choice
    moves = position.legal_moves
    if choice.decision_id in answered:
        sentence = f"It answered decision {choice.decision_id} a second time."
        raise Failure(Why.SECOND_ANSWER, sentence)
    if choice.decision_id != decision_id:
        sentence = f"It answered decision {choice.decision_id} where {decision_id} stands."
        raise Failure(Why.WRONG_DECISION, sentence)
    if choice.index >= len(moves):
        sentence = f"It chose index {choice.index}; there are {len(moves)} legal moves, from 0."
        raise Failure(Why.ILLEGAL_INDEX, sentence)
    return moves[choice.index]


def _response(data: bytes, due: str) -> bot_pb2.PlayResponse:
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        raise Failure(Why.PROTOCOL, "It sent bytes that are no PlayResponse.") from None
    what = response.WhichOneof("message")
    if what != due:
        sentence = f"It sent {what or 'an empty message'} where {due} was due."
        raise Failure(Why.PROTOCOL, sentence)
    return response
