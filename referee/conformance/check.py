"""A check of a bot: which bot, what it must do, how the check ended, and its stream to the bot.

The stream is read strictly: whatever goes wrong on it is a Failure.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import grpc.aio
from google.protobuf.message import DecodeError

from referee.clock import Clock
from referee.errors import Interrupted, NoGateway
from referee.game import MAX_NONCE_BYTES
from referee.rules import Position
from referee.seats import line
from referee.seats.streams import FarStream
from referee.service import LIMIT_KEY, PLAY
from referee.ways import HOSTED_PREFIX, Ways
from referee.wire import bot_pb2


async def _not_at_all() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """The bot that is checked, and the terms of the games that are played with it."""

    address: str
    """See `referee.ways`."""
    clock: Clock = field(default_factory=Clock)
    """The clock of its games."""
    pause: float = 3.0
    """Seconds for which the checks of patience let it wait."""
    ways: Ways = field(default_factory=Ways.from_environment)
    """How it is dialled, and the secrets that are shared with bots."""
    slots: int | None = None
    """The most games that it plays at once; None if it plays as many as the checks want."""
    waited: Callable[[], Awaitable[float]] = _not_at_all
    """Returns the seconds for which it has waited for processors: a host has others' bots, too."""

    @property
    def secret(self) -> str:
        """The shared secret; empty if there is none."""
        return self.ways.secrets.get(self.address, "")


class Why(StrEnum):
    """Why a check failed: a stable code. The first six are those of faults in matches."""

    TIMEOUT = "timeout"
    ILLEGAL_INDEX = "illegal-index"
    WRONG_DECISION = "wrong-decision"
    CLOSED = "closed"
    PROTOCOL = "protocol"
    LIMIT = "limit"
    NO_DESCRIPTION = "no-description"
    OTHER_VERSION = "other-version"
    SECOND_ANSWER = "second-answer"
    TOO_LONG = "too-long"
    LINE_LOST = "line-lost"
    NOT_CLOSED = "not-closed"
    NOBODY_LISTENS = "nobody-listens"
    NOT_PROVEN = "not-proven"


class Failure(Exception):
    """Raised by a check that fails: a code, and a sentence for the bot's author."""

    def __init__(self, why: Why, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why
        self.sentence = sentence


class NotReached(Exception):
    """Raised by a check that could not be made; the message says what has to be mended first."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a bot has to do."""

    name: str
    sentence: str
    """A sentence that says what a bot that passes does."""
    run: Callable[[Candidate], Awaitable[None]]
    """Raises Failure, or NotReached."""
    essential: bool = False
    """If it fails, no later check is tried: each would only run into a timeout."""


class CheckState(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check, with its seconds."""

    name: str
    sentence: str
    state: CheckState
    why: Why | None = None
    explanation: str = ""
    """Tells the author what went wrong, or what has to be mended first."""
    seconds: float = 0.0

    def line(self) -> dict[str, Any]:
        """Return it as a report for authors shows it, ready for JSON."""
        return {
            "name": self.name,
            "sentence": self.sentence,
            "state": self.state.value,
            "code": self.why.value if self.why else None,
            "told": self.explanation,
            "seconds": round(self.seconds, 3),
        }


_DETAILS: Final = re.compile(
    r"(?<!within )(?<!\d)\d+"  # how long it had is part of the reason
    r"| It had been asked for an? \w+ (?:decision|move)"
    r"| (?:chose|printed) .*?, which is not (?:a \w+ move such as '[^']*'"
    r"|(?:one of decision\.moves|a legal \w+ move): [^.]*(?:\.\))?)"  # long ones are cut
)
"""The parts of a sentence that may differ although the reason is the same."""


def reason_of(sentence: str) -> str:
    """Return the part that is equal in all explanations of the same reason."""
    return _DETAILS.sub("", sentence)


_REFUSED: Final = "Connection refused"
"""gRPC's words if nobody listens; it has no code for that."""


class StreamEnded(Failure):
    """The stream has ended."""

    def __init__(
        self, why: Why, sentence: str, *, in_order: bool = False, refused: bool = False
    ) -> None:
        super().__init__(why, sentence)
        self.in_order = in_order
        """True if the candidate closed the stream without an error."""
        self.refused = refused
        """True if nobody listens at the address."""


async def open_stream(candidate: Candidate, seat: str) -> "PlayStream":
    """Open a stream for a seat that no other game has. Raises NoGateway."""
    channel = candidate.ways.channel(candidate.address)
    try:
        admitted = await line.admission(channel, candidate.address, candidate.ways, seat)
    except line.NotAdmitted as error:
        await channel.close()
        raise NoGateway(f"{error}.") from None
    return PlayStream(channel, admitted, candidate)


class PlayStream:
    """A stream `Play` of bytes, opened once and hung up once."""

    def __init__(
        self, channel: grpc.aio.Channel, admitted: line.Metadata, candidate: Candidate
    ) -> None:
        """`admitted`: the proof for the gateway, if the candidate is behind it."""
        self.waited = 0.0
        """Seconds of the last `receive` for which the bot waited for a processor."""
        self._channel, self._address, self._all_waits = channel, candidate.address, candidate.waited
        self._stream = FarStream(channel.stream_stream(PLAY)(metadata=admitted))

    async def send(self, data: bytes, timeout: float) -> None:
        """Send a message. If the stream has ended, `receive` says how. Raises Failure."""
        try:
            async with asyncio.timeout(timeout):
                await self._stream.write(data)
        except TimeoutError:
            sentence = f"It did not read what it was sent for {timeout:g} s."
            raise Failure(Why.TIMEOUT, sentence) from None

    async def receive(self, timeout: float) -> bytes | None:
        """Return the next message, or None if none came in time; waits for processors are no time.

        Raises StreamEnded, and Interrupted if the line to a host broke, or the gateway itself
        refused the call.
        """
        if not await self._comes(timeout):
            return None
        data = await self._stream.read()
        if data is None:
            raise self._ending()
        return data

    def _ending(self) -> Exception:
        """Return what `receive` is to raise after the end of the stream. Raises Interrupted."""
        ended, told = self._stream.ended, self._stream.metadata
        assert ended is not None
        code, details = ended.code, ended.details
        if self._address.startswith(HOSTED_PREFIX):
            line.blame_no_hosted_bot(code, details)
            if LIMIT_KEY in dict(told or ()):
                return StreamEnded(Why.LIMIT, details)
        if line.is_ours(self._address, code, told):
            return Interrupted(f"The gateway refused this worker: {details}")
        return _ended(code, details)

    async def _comes(self, timeout: float) -> bool:
        """Return True if the next message, or the end, comes in time."""
        self.waited = 0.0
        before, left = await self._all_waits(), timeout
        while left > 0:
            came = await self._stream.comes(left)
            known, self.waited = self.waited, await self._all_waits() - before
            if came:
                return True
            left = self.waited - known
        return await self._stream.comes(0)

    async def close_our_side(self) -> None:
        """Say that nothing more will be sent."""
        await self._stream.done_writing()

    async def hang_up(self) -> None:
        """End the stream and its connection, whatever their state."""
        await self._stream.hang_up()
        await self._channel.close()


def _ended(code: grpc.StatusCode, details: str) -> StreamEnded:
    if code is grpc.StatusCode.OK:
        sentence = "It ended the stream before the game was over."
        return StreamEnded(Why.CLOSED, sentence, in_order=True)
    status = line.status_words(code, details)
    if line.sent_too_much(code, details):
        return StreamEnded(Why.TOO_LONG, f"It sent a message that is too long ({status}).")
    if line.sent_no_http2(details):
        return StreamEnded(Why.PROTOCOL, f"It sent bytes that are not HTTP/2 ({status}).")
    if code in line.LOST:
        refused = code is grpc.StatusCode.UNAVAILABLE and _REFUSED in details
        return StreamEnded(Why.LINE_LOST, f"The line broke ({status}).", refused=refused)
    return StreamEnded(Why.CLOSED, f"It ended the stream with an error ({status}).")


def accept_of(data: bytes) -> bot_pb2.Accept:
    """Return the Accept in a message. Raises Failure."""
    accept = _response(data, "accept").accept
    length = len(accept.nonce)
    if length > MAX_NONCE_BYTES:
        sentence = f"Its nonce has {length} bytes; at most {MAX_NONCE_BYTES} are allowed."
        raise Failure(Why.PROTOCOL, sentence)
    return accept


def move_of(data: bytes, decision_id: int, position: Position, answered: set[int]) -> int:
    """Return the legal move that a Choice means. Raises Failure."""
    choice = _response(data, "choice").choice
    moves = position.legal_moves
    if choice.decision_id in answered:
        sentence = f"It answered decision {choice.decision_id} a second time."
        raise Failure(Why.SECOND_ANSWER, sentence)
    if choice.decision_id != decision_id:
        sentence = f"It answered decision {choice.decision_id}, but {decision_id} was asked."
        raise Failure(Why.WRONG_DECISION, sentence)
    if choice.index >= len(moves):
        sentence = f"It chose index {choice.index}; there are {len(moves)} legal moves, from 0."
        raise Failure(Why.ILLEGAL_INDEX, sentence)
    return moves[choice.index]


def _response(data: bytes, due: str) -> bot_pb2.PlayResponse:
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        raise Failure(Why.PROTOCOL, "It sent bytes that are not a PlayResponse.") from None
    kind = response.WhichOneof("message")
    if kind != due:
        sentence = f"It sent {kind or 'an empty message'} instead of {due}."
        raise Failure(Why.PROTOCOL, sentence)
    return response
