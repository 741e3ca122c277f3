"""Time-outs on a busy machine: no bot loses by it, and none can have a lost game played again."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from referee.clock import Clock
from referee.faults import FaultCode
from referee.seats.streamed import LEAST_EXCUSE, MOST_LAG, Deadline, standstill
from tests import hostile_bots as hostile
from tests.hostile_bots import Context, HostileBot, Request
from tests.referee.games import match_of, play
from tests.referee.patience import judged_again
from tests.referee.steady import Time
from tests.referee.test_faults import fault_codes, nothing_runs_on

NewAddress = Callable[[], str]
CLOCK: Final = Clock(move_limit=3.0, bank=60.0, increment=1.0)
"""Its limit is longer than a busy machine is likely to stand still."""


@judged_again
async def test_a_bot_that_ends_every_stream_cannot_have_its_game_played_again(
    new_address: NewAddress, good_bot: str
) -> None:
    """It lets its clock run out meanwhile, and the referee is busy when the time is over."""
    loop, blocks = asyncio.get_running_loop(), list[float]()

    def accepts_and_drops(request: Request, context: Context) -> Iterator[bytes]:
        if not request.HasField("decision"):
            yield hostile.ACCEPT
            return
        if not blocks:
            soon = request.decision.time_left_ms / 1000 - MOST_LAG
            blocks.append(soon)
            loop.call_soon_threadsafe(loop.call_later, soon, time.sleep, 4 * MOST_LAG)
        yield from hostile.drops_the_line(request, context)

    with HostileBot(new_address(), accepts_and_drops, lambda _: True) as bot:
        replay = await play(match_of([good_bot, bot.address], CLOCK))
        assert await asyncio.to_thread(bot.left_alone)
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]
    await nothing_runs_on()


@judged_again
async def test_a_bot_that_ends_every_stream_is_dialled_less_and_less(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.drops_the_line, lambda n: n > 3) as bot:
        replay = await play(match_of([good_bot, bot.address], CLOCK))
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]
    assert len(bot.streams) / CLOCK.move_limit < 6  # a second


async def test_the_time_for_which_the_loop_stood_still_is_given_back(steady: Time) -> None:
    deadline, late = Deadline(), asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, steady.pass_by, 0.5)
    asyncio.get_running_loop().call_later(1.3, late.set)
    with deadline.within(1.0):
        await late.wait()  # after the limit, but not after the limit and what was lost
    assert deadline.judges
    assert deadline.lag >= 0.4


async def test_who_has_little_time_left_is_judged_by_a_loop_that_stood_still_for_longer(
    steady: Time,
) -> None:
    """Else a bot that loses could spend its bank, and then have the game played again."""
    deadline = Deadline()
    asyncio.get_running_loop().call_later(0.01, steady.pass_by, LEAST_EXCUSE - 0.1)
    with pytest.raises(TimeoutError), deadline.within(0.1):
        await asyncio.Event().wait()
    assert deadline.judges


async def test_a_loop_that_stood_still_for_long_judges_nobody(steady: Time) -> None:
    deadline = Deadline()
    asyncio.get_running_loop().call_later(0.01, steady.pass_by, LEAST_EXCUSE + 0.4)
    with pytest.raises(TimeoutError), deadline.within(0.1):
        await asyncio.Event().wait()
    assert not deadline.judges


async def test_the_loop_is_watched_only_while_the_time_of_a_bot_runs(steady: Time) -> None:
    with Deadline().within(1.0):
        await asyncio.sleep(0.5)
    await asyncio.sleep(0.5)
    before = standstill().seconds
    steady.pass_by(0.5)
    assert standstill().seconds == before
