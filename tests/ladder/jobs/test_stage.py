"""Any number together, or one alone; and how late the loop is."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from threading import Event, Thread

import pytest

from ladder.jobs.kinds import Worst
from ladder.jobs.stage import Gate, Lag, Stage

TIMEOUT = 300.0


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def inside(gate: Gate, *, alone: bool) -> AbstractContextManager[None]:
    return gate.entered(alone=alone, every=TIMEOUT, meanwhile=lambda: None)


def visit(pool: ThreadPoolExecutor, gate: Gate, *, alone: bool) -> tuple[Future[None], Event]:
    """Somebody who goes in and leaves at once; the event tells that he waits."""
    waits = Event()

    def go() -> None:
        with gate.entered(alone=alone, every=0.01, meanwhile=waits.set):
            pass

    return pool.submit(go), waits


def test_many_are_in_together() -> None:
    gate = Gate()
    with inside(gate, alone=False), inside(gate, alone=False):
        pass


def test_one_who_wants_to_be_alone_waits_for_all_others(pool: ThreadPoolExecutor) -> None:
    gate = Gate()
    with inside(gate, alone=False):
        with inside(gate, alone=False):
            visitor, waits = visit(pool, gate, alone=True)
            assert waits.wait(TIMEOUT)
        assert not visitor.done()
    visitor.result(TIMEOUT)


@pytest.mark.parametrize("alone", [False, True])
def test_nobody_comes_in_while_one_is_alone(pool: ThreadPoolExecutor, alone: bool) -> None:
    gate = Gate()
    with inside(gate, alone=True):
        visitor, waits = visit(pool, gate, alone=alone)
        assert waits.wait(TIMEOUT)
        assert not visitor.done()
    visitor.result(TIMEOUT)


def test_who_comes_later_waits_behind_one_who_wants_to_be_alone(pool: ThreadPoolExecutor) -> None:
    gate = Gate()
    with inside(gate, alone=False):
        first, first_waits = visit(pool, gate, alone=True)
        assert first_waits.wait(TIMEOUT)
        second, second_waits = visit(pool, gate, alone=False)
        assert second_waits.wait(TIMEOUT)
        assert not second.done()
    first.result(TIMEOUT)
    second.result(TIMEOUT)


def test_who_gives_up_waiting_keeps_nobody_out(pool: ThreadPoolExecutor) -> None:
    gate = Gate()

    def give_up() -> None:
        raise TimeoutError

    with inside(gate, alone=False):
        with pytest.raises(TimeoutError), gate.entered(alone=True, every=0.01, meanwhile=give_up):
            pass
        visitor, _ = visit(pool, gate, alone=False)
        visitor.result(TIMEOUT)


def test_everyone_learns_the_worst_since_the_own_beginning() -> None:
    lag, first, second = Lag(), Worst(), Worst()
    lag.note(9.0)
    with lag.watched(first):
        lag.note(0.25)
        with lag.watched(second):
            lag.note(0.0314)
        lag.note(0.1)
    lag.note(7.0)
    assert (first.milliseconds, second.milliseconds) == (250, 31)


def test_what_begins_while_the_worker_ends_is_cancelled_at_once() -> None:
    stage = Stage(TIMEOUT)
    stage.stop()
    with pytest.raises(CancelledError):
        stage.see_through(asyncio.Event().wait(), lambda: None)
    stage.close()


def test_games_say_goodbye_before_the_loop_is_closed() -> None:
    stage, begun, ended = Stage(TIMEOUT), Event(), Event()

    async def game() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)  # hangs up
            ended.set()

    def play() -> None:
        with suppress(CancelledError):
            stage.see_through(game(), lambda: None)

    playing = Thread(target=play, daemon=True)
    playing.start()
    assert begun.wait(TIMEOUT)
    stage.close()
    assert ended.is_set()
    playing.join(TIMEOUT)
