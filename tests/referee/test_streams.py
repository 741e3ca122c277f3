"""Streams to other machines: whatever becomes of them, who reads hears of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import grpc.aio
import pytest

from referee.seats.streams import FarStream


@pytest.fixture
async def far(new_address: Callable[[], str]) -> AsyncIterator[FarStream]:
    """A stream to somebody who says something once, and then nothing more."""

    async def say_once(_: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await context.write(b"here")
        await asyncio.Event().wait()

    server, address = grpc.aio.server(), new_address()
    methods: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(say_once)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Bot", methods),))
    server.add_insecure_port(address)
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield FarStream(channel.stream_stream("/Bot/Play")())
    await server.stop(0)


async def test_who_waits_for_a_message_hears_that_the_stream_was_broken_off(far: FarStream) -> None:
    """A host whose machine is gone says nothing: the games there are broken off."""
    assert await far.read() == b"here"
    reading = asyncio.create_task(far.read())
    await asyncio.sleep(0)
    far.break_off()
    assert await reading is None
    assert far.ended is not None
    assert far.ended.code is grpc.StatusCode.CANCELLED
    assert await far.read() is None
    await far.hang_up()


async def test_a_stream_that_was_hung_up_has_ended(far: FarStream) -> None:
    assert far.ended is None
    await far.hang_up()
    assert far.ended is not None


async def test_to_look_if_something_came_takes_nothing_away(far: FarStream) -> None:
    assert await far.comes()
    assert await far.comes(0)
    assert await far.read() == b"here"
    assert not await far.comes(0)
    far.break_off()
    assert await far.comes()
    assert await far.read() is None
    await far.hang_up()
