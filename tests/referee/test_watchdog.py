"""No match goes on for ever, even where a seat of the referee's own does not keep its time."""

import asyncio
from dataclasses import replace
from unittest.mock import Mock, PropertyMock

import pytest

from referee import match as match_runner
from referee.clock import Clock
from referee.errors import Interrupted
from referee.game import Game
from referee.match import play_table
from referee.seats.player import Allowance, LocalSeat, TimedMove
from tests.referee.games import DrawingBot, match_of


class Sleeper(LocalSeat):
    """A seat that is broken: it never answers, and no fault of its bot ends that."""

    left = False

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> TimedMove:  # noqa: ARG002
        await asyncio.Event().wait()
        raise AssertionError

    async def leave(self) -> None:
        self.left = True


def test_the_longest_match_counts_every_decision_that_300_turns_can_have() -> None:
    clock = Clock(move_limit=10, bank=60, increment=0.5, start_up=10)
    assert clock.longest_match(2) == 10 + 2 * 60 + 0.5 * 32 * 300
    assert replace(clock, increment=0.0).longest_match(4) == 250


async def test_a_match_that_outlives_its_clocks_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_runner, "_GRACE", 0.0)
    brief = Clock(move_limit=0.01, bank=0.01, increment=0.0, start_up=0.01)
    seats = [Sleeper(DrawingBot()), Sleeper(DrawingBot())]
    async with asyncio.timeout(60):
        with pytest.raises(Interrupted, match="longer than its clocks allow"):
            await play_table(replace(match_of(["", ""]), clock=brief), seats)
    assert all(seat.left for seat in seats)


async def test_time_for_which_seats_wait_on_nobodys_clock_is_theirs_in_addition() -> None:
    """For processors, for example. Here it ends after the first look."""
    seat, loop = Mock(), asyncio.get_running_loop()
    began = loop.time()
    waits = iter((True, False))
    waiting = PropertyMock(side_effect=lambda: loop.time() - began + 0.01 if next(waits) else 0.0)
    type(seat).waiting = waiting
    with pytest.raises(TimeoutError):
        async with match_runner._watchdog(0.01, [seat]):
            await asyncio.Event().wait()
    assert waiting.call_count == 2


async def test_a_match_that_is_over_is_watched_no_more() -> None:
    unheard: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
    async with match_runner._watchdog(0.01, []):
        pass
    await asyncio.sleep(0.02)
    assert not unheard
