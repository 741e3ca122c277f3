"""Lines to bots: one stream `Play` each.

Before each call to a bot behind the gateway, the worker proves its identity to the gateway.
"""

import asyncio
from contextlib import suppress
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio

from referee import http2, service
from referee.errors import Interrupted, InvalidSetting
from referee.faults import FaultCode, SeatFault
from referee.proof import workers_proof
from referee.seats.streams import FarStream, MessageStream, NearStream
from referee.ways import Ways, bot_behind_gateway, hosted_seat, is_on_this_machine
from referee.wire import gateway_pb2

LOST: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,  # gRPC says this if it writes to a line that has just broken
)
"""The status codes of a connection that broke, or could not be made.

With none of them a host says how a call of its bot has ended: see `referee.hosting.call_relay`."""
_FAREWELL_TIMEOUT: Final = 1.0  # seconds, for the last message and the bot's orderly close
_MAX_UNREAD: Final = 10  # messages that a bot may still send before it closes
_MAX_DETAILS: Final = 200  # characters of a bot's status that are shown
_TOO_LONG: Final = ("larger than max", "exceeds hard limit")  # gRPC's words for a long message
_NO_HTTP2: Final = "Failed parsing HTTP/2"
_CHALLENGE_TIMEOUT: Final = 5.0  # seconds
_SIGN_OF_LIFE: Final = 5.0
"""Seconds in which the gateway answers if it is there. Strangers who dial it by the thousand can
hold up an answer for a second or two: no bot must have its game played again for that."""
_CHALLENGE_CALL: Final[dict[str, Any]] = {
    "request_serializer": gateway_pb2.ChallengeRequest.SerializeToString,
    "response_deserializer": gateway_pb2.ChallengeResponse.FromString,
}
Metadata: TypeAlias = tuple[tuple[str, str | bytes], ...]


class LineLost(Exception):
    """The connection broke, or could not be made. This is not yet a fault.

    The text is for the bot's author and may hold the address; `public` is for everybody. `ours`:
    the gateway did not answer, or has started just now.
    """

    def __init__(
        self, why: str, public: str = "there was no connection to it.", *, ours: bool = False
    ) -> None:
        super().__init__(why)
        self.public = public
        self.ours = ours


class NotAdmitted(Exception):
    """The gateway did not answer."""


async def dial(address: str, ways: Ways, seat: str) -> "Line":
    """Return a line for a seat with a unique name. Raises LineLost, Interrupted."""
    if is_near(address, ways):
        return await _dial_near(address)
    try:
        channel = ways.channel(address)
    except InvalidSetting as error:
        raise Interrupted(str(error)) from None
    try:
        metadata = await admission(channel, address, ways, seat)
        stream = FarStream(channel.stream_stream(service.PLAY)(metadata=metadata))
        return Line(address, stream, channel)
    except BaseException as error:
        await channel.close()
        if isinstance(error, NotAdmitted):
            why = f"there was no connection to {address} ({error})."
            raise LineLost(why, ours=True) from None
        raise


def is_near(address: str, ways: Ways) -> bool:
    """Return True if a bot is on this machine and our own HTTP/2 is installed to dial it."""
    return http2.INSTALLED and is_on_this_machine(address) and not ways.is_strange(address)


async def _dial_near(address: str) -> "Line":
    try:
        call = await http2.connect(address, service.PLAY, service.MAX_FROM_BOT)
    except OSError as error:
        raise LineLost(f"there was no connection to {address} ({error}).") from None
    return Line(address, NearStream(call))


class Line:
    """A stream `Play` to the bot at an address. Opened once, hung up once."""

    def __init__(
        self, address: str, stream: MessageStream, channel: grpc.aio.Channel | None = None
    ) -> None:
        """`channel`: the one of the stream, by gRPC, which ends with the line."""
        self._address = address
        self._stream = stream
        self.channel = channel

    async def send(self, message: bytes) -> None:
        """Send a message. If the stream has ended, `receive` raises the reason."""
        await self._stream.write(message)

    async def receive(self) -> bytes:
        """Return the next message. Raises LineLost, or SeatFault if the bot ended the stream.

        If it is cancelled, no message is lost: the next call returns it.
        """
        message = await self._stream.read()
        if message is None:
            raise self._ending()
        return message

    def arrived(self) -> bytes | None:
        """Return the next message if it is there already."""
        return self._stream.arrived()

    async def say_farewell(self, message: bytes) -> None:
        """Send the last message and wait a moment for the bot to close the stream."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_TIMEOUT):
                await self._stream.write(message)
                await self._stream.done_writing()
                for _ in range(_MAX_UNREAD):
                    if await self._stream.read() is None:
                        return

    async def hang_up(self) -> None:
        """End the stream and its connection, whatever their state."""
        await self._stream.hang_up()
        if self.channel is not None:
            await self.channel.close()

    def _ending(self) -> Exception:
        """Return what `receive` is to raise after the end of the stream."""
        ended = self._stream.ended
        assert ended is not None
        behind_gateway = bot_behind_gateway(self._address) is not None
        if ended.code is grpc.StatusCode.UNAUTHENTICATED and behind_gateway:
            return Interrupted(f"The gateway refused this worker: {ended.details}")
        if is_ours(self._address, ended.code, self._stream.metadata):
            why = f"there was no connection to {self._address} ({ended.details})."
            return LineLost(why, ours=True)
        return ending(self._address, ended.code, ended.details)


def is_ours(address: str, code: grpc.StatusCode, metadata: Any) -> bool:
    """Return True if the gateway refuses a call, whatever the bot behind it does.

    It has another key than this worker, or says that the bot may not have had the time to come
    back.
    """
    if bot_behind_gateway(address) is None:
        return False
    return code is grpc.StatusCode.UNAUTHENTICATED or service.EARLY_KEY in dict(metadata or ())


async def gateway_answers(address: str, ways: Ways, line: Line | None) -> bool:
    """Return False if a bot is behind the gateway, and this does not answer, on the line if any."""
    if bot_behind_gateway(address) is None:
        return True
    channel = ways.channel(address) if line is None else line.channel
    assert channel is not None  # nobody behind the gateway is near
    try:
        await _challenge(channel, _SIGN_OF_LIFE)
    except NotAdmitted:
        return False
    finally:
        if line is None:
            await channel.close()
    return True


async def until_gateway_breaks(address: str, ways: Ways, *, every: float, within: float) -> None:
    """Ask the gateway for a sign of life `every` so many seconds.

    Return once it does not answer `within` the seconds, or has closed the connection meanwhile.
    """
    async with ways.channel(address) as channel:
        with suppress(NotAdmitted):
            while True:
                await _challenge(channel, within)
                await asyncio.sleep(every)
                if channel.get_state() is not grpc.ChannelConnectivity.READY:
                    return


def ending(address: str, code: grpc.StatusCode, details: str) -> Exception:
    """Return what `receive` is to raise after the end of a stream to an address."""
    if code is grpc.StatusCode.OK:
        return SeatFault(FaultCode.CLOSED, "The bot ended the stream before the game was over.")
    status = status_words(code, details)
    if code in LOST:
        return LineLost(f"there was no connection to {address} ({status}).")
    if sent_too_much(code, details):
        return SeatFault(FaultCode.PROTOCOL, f"The bot sent too much ({status}).")
    if sent_no_http2(details):
        sentence = f"The bot sent bytes that are not HTTP/2 ({status})."
        return SeatFault(FaultCode.PROTOCOL, sentence)
    sentence = f"The bot ended the stream before the game was over ({status})."
    return SeatFault(FaultCode.CLOSED, sentence, details.encode())


def blame_no_hosted_bot(code: grpc.StatusCode, details: str) -> None:
    """Raise Interrupted if a call at a host ended since the line to the host broke."""
    if code in LOST:
        raise Interrupted(f"The line to the host broke ({status_words(code, details)}).")


def sent_too_much(code: grpc.StatusCode, details: str) -> bool:
    """Return True if gRPC refused a message as too long; a bot may end a stream with this code."""
    return code is grpc.StatusCode.RESOURCE_EXHAUSTED and any(
        words in details for words in _TOO_LONG
    )


def sent_no_http2(details: str) -> bool:
    """Return True if gRPC could not parse what a bot sent."""
    return _NO_HTTP2 in details


def status_words(code: grpc.StatusCode, details: str) -> str:
    """Return a stranger's status, shortened and printable."""
    if not details:
        return code.name
    plain = "".join(c if c.isprintable() else "?" for c in details[:_MAX_DETAILS])
    return f"{code.name}: {plain}{'…' if len(details) > _MAX_DETAILS else ''}"


async def admission(
    channel: grpc.aio.Channel, address: str, ways: Ways, seat: str = ""
) -> Metadata:
    """Return the metadata for one call: the proof for the gateway, or nothing without a gateway.

    `seat` is the seat for which the call plays, if any. Raises NotAdmitted.
    """
    bot = bot_behind_gateway(address)
    if bot is None:
        return _at_host(address)
    return _signed(ways, await _challenge(channel, _CHALLENGE_TIMEOUT), bot, seat)


async def _challenge(channel: grpc.aio.Channel, timeout: float) -> bytes:
    """Return a challenge of the gateway. Raises NotAdmitted."""
    ask: Any = channel.unary_unary(service.CHALLENGE, **_CHALLENGE_CALL)
    try:
        answer = await ask(gateway_pb2.ChallengeRequest(), timeout=timeout)
    except grpc.RpcError as error:
        raise _not_admitted(error) from None
    return bytes(answer.challenge)


def blocking_admission(channel: grpc.Channel, address: str, ways: Ways) -> Metadata:
    """Return the same for threads, and for no seat. Raises NotAdmitted."""
    bot = bot_behind_gateway(address)
    if bot is None:
        return _at_host(address)
    ask: Any = channel.unary_unary(service.CHALLENGE, **_CHALLENGE_CALL)
    try:
        answer = ask(gateway_pb2.ChallengeRequest(), timeout=_CHALLENGE_TIMEOUT)
    except grpc.RpcError as error:
        raise _not_admitted(error) from None
    return _signed(ways, answer.challenge, bot, "")


def _at_host(address: str) -> Metadata:
    """Return the metadata for a call at a host: which seat; nothing for other addresses."""
    seat = hosted_seat(address)
    return () if seat is None else ((service.SEAT_KEY, seat),)


def _signed(ways: Ways, challenge: bytes, bot: str, seat: str) -> Metadata:
    return (
        (service.BOT_KEY, bot),
        (service.SEAT_KEY, seat),
        (service.CHALLENGE_KEY, challenge),
        (service.PROOF_KEY, workers_proof(ways.gateway_key, challenge, bot, seat)),
    )


def _not_admitted(error: Any) -> NotAdmitted:
    said = status_words(error.code(), error.details() or "")
    return NotAdmitted(f"the gateway does not answer: {said}")
