"""Which version a bot says that it is, asked once more for each match."""

from typing import Any, Final

import grpc
import grpc.aio

from referee.errors import InvalidBot
from referee.processes import check_description
from referee.seats.admission import NotAdmitted, admission
from referee.service import DESCRIBE
from referee.ways import Ways
from referee.wire import bot_pb2

UNNAMED: Final = "1"
"""The version of a bot that tells none."""
_ANSWERS_WITHIN: Final = 5.0  # seconds
_METHOD: Final[dict[str, Any]] = {
    "request_serializer": bot_pb2.DescribeRequest.SerializeToString,
    "response_deserializer": bot_pb2.DescribeResponse.FromString,
}


class NotDescribed(Exception):
    """The bot did not say who it is; the message says why."""


async def told_version(address: str, ways: Ways) -> str:
    """The version that the bot at an address tells, at the first try. Raises NotDescribed."""
    try:
        async with ways.channel(address) as channel:
            ask: Any = channel.unary_unary(DESCRIBE, **_METHOD)
            admitted = await admission(channel, address, ways)
            asked = bot_pb2.DescribeRequest()
            answer = await ask(asked, timeout=_ANSWERS_WITHIN, metadata=admitted)
        check_description(answer, address)
    except NotAdmitted as error:
        raise NotDescribed(f"{error}.") from None
    except grpc.RpcError as error:
        status: Any = error
        raise NotDescribed(
            f"nobody says at {address} who it is ({status.code().name}): {ways.hint(address)}"
        ) from None
    except InvalidBot as error:
        raise NotDescribed(str(error)) from None
    return answer.version or UNNAMED
