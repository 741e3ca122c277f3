"""Every hostile bot, each in a process of its own, at tables of 2, 3 and 4 with good bots.

That at the table of 3 is led to by gRPC, the others by the referee's own HTTP/2.
"""

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import count
from typing import Any

import grpc.aio
import pytest

from referee.ways import Ways
from tests.hostile_bots.family import Kind, batches, names
from tests.hostile_bots.memory import MOST_GROWTH, WARM_UP, peaks
from tests.hostile_bots.stable import good_bot
from tests.hostile_bots.trial import Record, tried
from tests.referee.test_faults import nothing_runs_on

NewAddress = Callable[[], str]


@pytest.fixture(scope="module")
def good(new_address: NewAddress) -> Iterator[str]:
    """The address of a good bot in another process."""
    address = new_address()
    with good_bot(address):
        yield address


@pytest.fixture(scope="module", autouse=True)
def kept_objects(good: str) -> None:
    """Look through what earlier tests have left once, not at the end of each test here.

    gRPC cancels the calls among that, and tells so to the next loop, as theirs has ended: before it
    tells that the good bot is reached.
    """

    async def hear_out() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        async with grpc.aio.insecure_channel(good) as channel:
            await channel.channel_ready()

    gc.collect()
    asyncio.run(hear_out())
    gc.freeze()


@pytest.fixture(scope="module")
def far_address() -> Callable[[], str]:
    """Makes addresses that count as those of another machine: the referee leaves them to gRPC."""
    numbers = count(1)
    return lambda: f"unix-abstract:santiago-{os.getpid()}-{next(numbers)}"


@pytest.mark.parametrize("kinds", batches(4), ids=names)
async def test_the_others_game_is_finished_and_rightly_ranked(
    kinds: tuple[Kind, ...], new_address: NewAddress, good: str
) -> None:
    await check(tried(kind, seats, good, new_address) for kind in kinds for seats in (2, 4))


@pytest.mark.parametrize("kinds", batches(12), ids=names)
async def test_where_grpc_leads_to_the_bot(
    kinds: tuple[Kind, ...], far_address: NewAddress, good: str
) -> None:
    ways = Ways(allow_plain=True)
    await check(tried(kind, 3, good, far_address, ways) for kind in kinds)


async def check(matches: Iterable[Awaitable[Record]]) -> None:
    """All is as it must be, and nothing is left of it."""
    unheard: list[dict[str, Any]] = []

    def heard(_: object, context: dict[str, Any]) -> None:
        # gRPC may hand our loop what belongs to the loop of an earlier test, which is closed.
        if "PollerCompletionQueue" not in context["message"]:
            unheard.append(context)

    asyncio.get_running_loop().set_exception_handler(heard)
    records = await asyncio.gather(*matches)
    await nothing_runs_on()
    assert not [record for record in records if record.wrong]
    assert all(record.sentence.isprintable() and len(record.received) <= 200 for record in records)
    gc.collect()  # a task whose exception nobody has asked for tells of it when it goes
    assert not unheard


def test_the_memory_of_the_referee_is_flat() -> None:
    *_, warm, _, last = peaks(WARM_UP + 2)
    assert abs(last - warm) <= MOST_GROWTH  # Linux may tell of a few KiB less than before
