"""Which version a bot says that it is, asked once more for each match."""

import asyncio
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from referee.errors import InvalidBot
from referee.http2.connecting import connect
from referee.processes import check_description
from referee.seats.admission import NotAdmitted, admission
from referee.service import DESCRIBE, MAX_FROM_BOT
from referee.ways import Ways, is_on_this_machine
from referee.wire import bot_pb2

UNNAMED: Final = "1"
"""The version of a bot that tells none."""
_ANSWERS_WITHIN: Final = 5.0  # seconds
_ASKED: Final = bot_pb2.DescribeRequest().SerializeToString()


class NotDescribed(Exception):
    """The bot did not say who it is; the message says why."""


async def told_version(address: str, ways: Ways) -> str:
    """The version that the bot at an address tells, at the first try. Raises NotDescribed."""
    near = is_on_this_machine(address) and not ways.is_strange(address)
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN):
            data = await (_near(address) if near else _far(address, ways))
        answer = bot_pb2.DescribeResponse.FromString(data)
        check_description(answer, address)
    except TimeoutError:
        raise NotDescribed(_silence(address, ways, "no answer")) from None
    except OSError as error:
        raise NotDescribed(_silence(address, ways, str(error))) from None
    except grpc.RpcError as error:
        status: Any = error
        raise NotDescribed(_silence(address, ways, status.code().name)) from None
    except NotAdmitted as error:
        raise NotDescribed(f"{error}.") from None
    except DecodeError:
        raise NotDescribed(f"what answers at {address} is no description.") from None
    except InvalidBot as error:
        raise NotDescribed(str(error)) from None
    return answer.version or UNNAMED


async def _near(address: str) -> bytes:
    call = await connect(address, DESCRIBE, MAX_FROM_BOT)
    try:
        await call.write(_ASKED)
        call.done_writing()
        answer = await call.read()
        if answer is None:
            raise OSError(str(call.ended))
        return answer
    finally:
        call.hang_up()
        await call.gone()


async def _far(address: str, ways: Ways) -> bytes:
    async with ways.channel(address) as channel:
        ask: Any = channel.unary_unary(DESCRIBE)
        return bytes(await ask(_ASKED, metadata=await admission(channel, address, ways)))


def _silence(address: str, ways: Ways, why: str) -> str:
    return f"nobody says at {address} who it is ({why}): {ways.hint(address)}"
