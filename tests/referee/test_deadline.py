"""One timer, many limits."""

import asyncio

import pytest

from referee.seats.streamed import Deadline

SHORT, LONG = 0.02, 30.0
"""Seconds: soon over, and not in a test."""

pytestmark = pytest.mark.usefixtures("steady")  # no test here takes any time


async def forever() -> None:
    await asyncio.Event().wait()


async def a_while() -> None:
    """Waits for longer than SHORT."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(3 * SHORT):
            await forever()


async def test_who_is_in_time_hears_nothing() -> None:
    deadline = Deadline()
    for _ in range(3):
        with deadline.within(LONG):
            await asyncio.sleep(0)
    deadline.close()


@pytest.mark.parametrize("before", [(), (LONG,), (SHORT,), (LONG, SHORT), (SHORT, LONG)])
async def test_who_takes_too_long_is_stopped(before: tuple[float, ...]) -> None:
    """Whatever the limits before it were."""
    deadline = Deadline()
    for seconds in before:
        with deadline.within(seconds):
            await asyncio.sleep(0)
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError), deadline.within(2 * SHORT):
        await forever()
    assert asyncio.get_running_loop().time() - began == pytest.approx(2 * SHORT)


async def test_a_limit_ends_with_its_block() -> None:
    deadline = Deadline()
    with deadline.within(SHORT):
        await asyncio.sleep(0)
    await a_while()
    with deadline.within(LONG):
        await a_while()
    deadline.close()


async def test_a_limit_that_was_reached_is_the_last_of_it() -> None:
    deadline = Deadline()
    for _ in range(3):
        with pytest.raises(TimeoutError), deadline.within(SHORT):
            await forever()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await a_while()


async def test_who_is_cancelled_stays_cancelled() -> None:
    async def waits() -> None:
        with Deadline().within(LONG):
            await forever()

    task = asyncio.create_task(waits())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_is_cancelled_when_its_time_is_over_stays_cancelled() -> None:
    """As by the watchdog of its match."""

    async def waits() -> None:
        with Deadline().within(SHORT):
            try:
                await forever()
            finally:
                task.cancel()

    task = asyncio.create_task(waits())
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_other_errors_go_through() -> None:
    async def fails_late() -> None:
        try:
            await forever()
        except asyncio.CancelledError:
            raise ZeroDivisionError from None

    deadline = Deadline()
    with pytest.raises(ZeroDivisionError), deadline.within(LONG):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), deadline.within(SHORT):
        await fails_late()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    deadline.close()


async def test_a_closed_deadline_leaves_no_timer() -> None:
    deadline = Deadline()
    with deadline.within(SHORT):
        deadline.close()
        await a_while()
