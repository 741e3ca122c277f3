"""How a worker proves itself to the gateway, before each call of a bot that is behind it."""

from typing import Any, Final, TypeAlias

import grpc
import grpc.aio

from referee.proof import workers_proof
from referee.service import BOT_KEY, CHALLENGE, CHALLENGE_KEY, PROOF_KEY, SEAT_KEY
from referee.ways import Ways, bot_behind_gateway
from referee.wire import gateway_pb2

Metadata: TypeAlias = tuple[tuple[str, str | bytes], ...]

_ANSWERS_WITHIN: Final = 5.0  # seconds
_METHOD: Final[dict[str, Any]] = {
    "request_serializer": gateway_pb2.ChallengeRequest.SerializeToString,
    "response_deserializer": gateway_pb2.ChallengeResponse.FromString,
}


class NotAdmitted(Exception):
    """The gateway did not answer."""


async def admission(
    channel: grpc.aio.Channel, address: str, ways: Ways, seat: str = ""
) -> Metadata:
    """The metadata of a call; none where the bot is not behind the gateway. Raises NotAdmitted."""
    bot = bot_behind_gateway(address)
    if bot is None:
        return ()
    ask: Any = channel.unary_unary(CHALLENGE, **_METHOD)
    try:
        answer = await ask(gateway_pb2.ChallengeRequest(), timeout=_ANSWERS_WITHIN)
    except grpc.RpcError as error:
        raise NotAdmitted(_silence(error)) from None
    return _signed(ways, answer.challenge, bot, seat)


def blocking_admission(channel: grpc.Channel, address: str, ways: Ways) -> Metadata:
    """The same for threads, and for no seat. Raises NotAdmitted."""
    bot = bot_behind_gateway(address)
    if bot is None:
        return ()
    ask: Any = channel.unary_unary(CHALLENGE, **_METHOD)
    try:
        answer = ask(gateway_pb2.ChallengeRequest(), timeout=_ANSWERS_WITHIN)
    except grpc.RpcError as error:
        raise NotAdmitted(_silence(error)) from None
    return _signed(ways, answer.challenge, bot, "")


def _signed(ways: Ways, challenge: bytes, bot: str, seat: str) -> Metadata:
    return (
        (BOT_KEY, bot),
        (SEAT_KEY, seat),
        (CHALLENGE_KEY, challenge),
        (PROOF_KEY, workers_proof(ways.gateway_key, challenge, bot, seat)),
    )


def _silence(error: Any) -> str:
    return f"the gateway does not answer: {error.code().name}: {error.details()}"
