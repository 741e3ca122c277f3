"""Processors of a host are granted one each, first come, first served."""

import asyncio
import os

import pytest

from referee.hosting.processors import Processors, keep_off


async def waiting(processors: Processors, number: int) -> "list[asyncio.Task[int]]":
    """Return tasks that wait for a grant, in this order."""
    tasks = []
    for _ in range(number):
        tasks.append(asyncio.create_task(processors.grant()))
        await asyncio.sleep(0)
    return tasks


async def test_first_come_first_served() -> None:
    processors = Processors([1])
    assert await processors.grant() == 1
    tasks = await waiting(processors, 3)
    assert (processors.thinking, processors.waiting) == (1, 3)
    for task in tasks:
        assert not task.done()
        processors.give_back(1)
        assert await task == 1
    processors.give_back(1)
    assert (processors.thinking, processors.waiting) == (0, 0)


async def test_no_two_bots_have_the_same_processor() -> None:
    processors = Processors([2, 3, 5])
    granted = [await processors.grant() for _ in range(3)]
    assert sorted(granted) == [2, 3, 5]


async def test_bot_gets_its_former_processor_if_that_is_free() -> None:
    processors = Processors([0, 1, 2])
    for former in (1, 0, 2):
        assert await processors.grant(former) == former
        processors.give_back(former)


@pytest.mark.parametrize("granted", [False, True])
async def test_bot_that_waits_no_more_costs_nobody_a_processor(*, granted: bool) -> None:
    processors = Processors([4])
    await processors.grant()
    gone, next_one = await waiting(processors, 2)
    if granted:
        processors.give_back(4)
    gone.cancel()
    await asyncio.wait({gone})
    if not granted:
        processors.give_back(4)
    assert await next_one == 4


def test_a_host_on_a_machine_with_no_other_processor_stays_on_it() -> None:
    own = os.sched_getaffinity(0)
    keep_off(own)
    assert os.sched_getaffinity(0) == own


def test_without_processors() -> None:
    with pytest.raises(ValueError, match="need a processor"):
        Processors([])
