"""Asks bots to describe themselves: from a thread, or on an event loop before each match."""

import asyncio
import socket
from contextlib import suppress
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from referee import http2
from referee.errors import InvalidBot
from referee.seats.line import (
    NotAdmitted,
    admission,
    blame_no_hosted_bot,
    blocking_admission,
    is_near,
    is_ours,
    status_words,
)
from referee.service import DESCRIBE, MAX_FROM_BOT, PROTOCOL_VERSION
from referee.variables import is_host_and_port
from referee.ways import Ways, bot_behind_gateway, hosted_seat, is_on_this_machine
from referee.wire import bot_pb2

UNNAMED: Final = "1"
"""The version of a bot that states none."""
_TIMEOUT: Final = 5.0  # seconds
_START_TIMEOUT: Final = 20.0  # seconds, for a bot that may just have been started
_CONNECT_WITHIN: Final = 1.0  # seconds
_MAX_CHARACTERS: Final = 100
_NO_GRPC: Final = "a program listens there, but does not answer by gRPC: is it a bot, without TLS?"
_SILENT: Final = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)
_REQUEST: Final = bot_pb2.DescribeRequest().SerializeToString()


def describe(
    address: str, timeout: float = _START_TIMEOUT, ways: Ways | None = None
) -> bot_pb2.DescribeResponse:
    """Return how the bot at an address describes itself; wait up to `timeout` seconds for it.

    `ways` are by default as the environment says. Raises InvalidBot, InvalidSetting, and
    Interrupted if the line to its host broke.
    """
    ways = ways or Ways.from_environment()
    try:
        answer = ask(address, timeout, ways)
    except NotAdmitted as error:
        raise InvalidBot(f"The bot {address} cannot be asked: {error}") from None
    if answer is None:
        why = _found_at(address) or ways.hint(address)
        raise InvalidBot(f"No bot answers {_at(address)}: {why}")
    return answer


def _at(address: str) -> str:
    """Say where a bot listens; the address of a hosted one means nothing to its author."""
    return f"at {address}" if hosted_seat(address) is None else "at its host"


def _found_at(address: str) -> str:
    """Return what is known of an address at which no bot answers; else ""."""
    host, _, port = address.rpartition(":")
    if not is_host_and_port(address):
        return ""
    try:
        socket.getaddrinfo(host.strip("[]"), port)
    except OSError:
        return f"no machine here or on the net is called {host}, is the name right?"
    return _NO_GRPC if is_on_this_machine(address) and _connects(host.strip("[]"), port) else ""


def _connects(host: str, port: str) -> bool:
    """Return True if something listens. Only for this machine: a stranger may name any other."""
    with suppress(OSError):
        socket.create_connection((host, int(port)), _CONNECT_WITHIN).close()
        return True
    return False


def ask(address: str, timeout: float, ways: Ways) -> bot_pb2.DescribeResponse | None:
    """Return a bot's description, or None if it does not answer within `timeout` seconds.

    Raises NotAdmitted, InvalidBot, and Interrupted if the line to its host broke.
    """
    with ways.blocking_channel(address) as channel:
        admitted = blocking_admission(channel, address, ways)
        call = channel.unary_unary(
            DESCRIBE,
            request_serializer=bot_pb2.DescribeRequest.SerializeToString,
            response_deserializer=bot_pb2.DescribeResponse.FromString,
        )
        try:
            answer = call(
                bot_pb2.DescribeRequest(), timeout=timeout, wait_for_ready=True, metadata=admitted
            )
        except grpc.RpcError as error:
            if hosted_seat(address) is not None:
                blame_no_hosted_bot(error.code(), error.details() or "")
            if error.code() in _SILENT:
                return None
            said = status_words(error.code(), error.details() or "")
            raise InvalidBot(
                f"What listens {_at(address)} does not answer as a bot does: {said}"
            ) from None
    _check_description(answer, address)
    return answer


def _check_description(answer: bot_pb2.DescribeResponse, address: str) -> None:
    """Raise InvalidBot if a description cannot be used."""
    if answer.protocol_version != PROTOCOL_VERSION:
        raise InvalidBot(
            f"The bot {_at(address)} speaks protocol version {answer.protocol_version}; "
            f"the referee speaks {PROTOCOL_VERSION}: Describe has to say so (protocol_version)."
        )
    texts = (answer.name, answer.version, answer.author, answer.language)
    fits = all(len(text) <= _MAX_CHARACTERS and text.isprintable() for text in texts)
    if not answer.name or not fits:
        raise InvalidBot(
            f"The bot {_at(address)} must state a name, and each text must have at most "
            f"{_MAX_CHARACTERS} characters, all printable."
        )


class NotDescribed(Exception):
    """The bot did not describe itself; the message says why.

    `ours`: the gateway did not answer, or refused the call itself.
    """

    def __init__(self, why: str, *, ours: bool = False) -> None:
        super().__init__(why)
        self.ours = ours


async def stated_version(address: str, ways: Ways) -> str:
    """Return the version that the bot at an address states, at the first try.

    Raises NotDescribed and InvalidSetting.
    """
    try:
        async with asyncio.timeout(_TIMEOUT):
            data = await (_ask_near(address) if is_near(address, ways) else _ask_far(address, ways))
        answer = bot_pb2.DescribeResponse.FromString(data)
        _check_description(answer, address)
    except TimeoutError:  # for a bot behind the gateway this answers
        ours = bot_behind_gateway(address) is not None
        raise NotDescribed(_silence(address, ways, "no answer"), ours=ours) from None
    except OSError as error:
        raise NotDescribed(_silence(address, ways, str(error))) from None
    except grpc.RpcError as error:
        status: Any = error
        if is_ours(address, status.code(), status.trailing_metadata()):
            said = status_words(status.code(), status.details() or "")
            raise NotDescribed(f"the gateway refused this worker ({said}).", ours=True) from None
        raise NotDescribed(_silence(address, ways, status.code().name)) from None
    except NotAdmitted as error:
        raise NotDescribed(f"{error}.", ours=True) from None
    except DecodeError:
        raise NotDescribed(f"the answer {_at(address)} is not a description.") from None
    except InvalidBot as error:
        raise NotDescribed(str(error)) from None
    return answer.version or UNNAMED


async def _ask_near(address: str) -> bytes:
    call = await http2.connect(address, DESCRIBE, MAX_FROM_BOT)
    try:
        await call.write(_REQUEST)
        call.done_writing()
        answer = await call.read()
        if answer is None:
            assert call.ended is not None
            raise OSError(status_words(call.ended.code, call.ended.details))
        return answer
    finally:
        call.hang_up()
        await call.gone()


async def _ask_far(address: str, ways: Ways) -> bytes:
    async with ways.channel(address) as channel:
        call: Any = channel.unary_unary(DESCRIBE)
        return bytes(await call(_REQUEST, metadata=await admission(channel, address, ways)))


def _silence(address: str, ways: Ways, why: str) -> str:
    return f"no bot describes itself {_at(address)} ({why}): {ways.hint(address)}"
