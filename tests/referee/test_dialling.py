"""Near lines and far ones: the same game, the same faults."""

import asyncio
import re

import grpc
import pytest

from referee.errors import Unreachable
from referee.replay import verify
from referee.seats.line import LineLost, dial, status_words
from referee.seats.streams import FarStream, NearStream
from referee.ways import Route, Ways
from referee.wire import game_pb2
from tests import hostile_bots as hostile
from tests.conftest import free_port
from tests.hostile_bots import HostileBot, Spoil
from tests.referee.games import match_of, play
from tests.referee.patience import judged_again
from tests.referee.test_faults import (
    EACH_FAULT,
    FAULTS,
    SENTENCES,
    clock_for,
    fault_codes,
    nothing_runs_on,
)


@pytest.fixture
def port() -> int:
    """A port of this machine where nobody listens yet."""
    return free_port()


def far(port: int) -> Ways:
    """Dials a port of this machine as if a stranger had given its address."""
    return Ways(routes={f"127.0.0.1:{port}": Route("127.0.0.1", port, "127.0.0.1")})


def test_a_long_status_of_a_stranger_shows_that_it_goes_on() -> None:
    for length, shown in ((200, "x" * 200), (201, "x" * 200 + "…")):
        assert status_words(grpc.StatusCode.UNKNOWN, "x" * length) == f"UNKNOWN: {shown}"
    assert status_words(grpc.StatusCode.UNKNOWN, "") == "UNKNOWN"


async def test_who_is_on_this_machine_is_near(good_bot: str, port: int) -> None:
    with HostileBot(f"127.0.0.1:{port}") as bot:
        for address in (good_bot, bot.address, f"localhost:{port}"):
            line = await dial(address, Ways(), "")
            assert isinstance(line._stream, NearStream)
            await line.hang_up()


async def test_others_are_far(port: int) -> None:
    for address, ways in (
        (f"127.0.0.1:{port}", far(port)),
        ("somewhere.invalid:443", Ways()),
        ("somewhere.invalid:443", Ways(allow_plain=True)),
    ):
        line = await dial(address, ways, "")
        assert isinstance(line._stream, FarStream)
        await line.hang_up()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "unix:/nowhere/bot", "localhost:x"])
async def test_nobody_is_near(address: str) -> None:
    with pytest.raises(LineLost, match=f"there was no connection to {address} "):
        await dial(address, Ways(), "")


@EACH_FAULT
@judged_again
async def test_a_far_bot_faults_as_a_near_one(spoil: Spoil, port: int, good_bot: str) -> None:
    with HostileBot(f"127.0.0.1:{port}", spoil) as bot:
        async with asyncio.timeout(300):
            match = match_of([bot.address, good_bot], clock_for(spoil))
            replay = await play(match, ways=far(port))
        await nothing_runs_on()
        assert await asyncio.to_thread(bot.left_alone)
    verify(replay)
    assert fault_codes(replay) == [(0, FAULTS[spoil])]
    assert re.fullmatch(SENTENCES.get(spoil, ".*"), replay.entries[-1].fault.sentence)


async def test_a_far_bot_plays(port: int, good_bot: str) -> None:
    with HostileBot(f"127.0.0.1:{port}") as bot:
        replay = await play(match_of([bot.address, good_bot]), ways=far(port))
    verify(replay)
    assert replay.result.reason == game_pb2.END_REASON_SHIPS


async def test_a_far_bot_whose_line_breaks_is_dialled_again(port: int, good_bot: str) -> None:
    with HostileBot(f"127.0.0.1:{port}", hostile.drops_the_line) as bot:
        replay = await play(match_of([bot.address, good_bot]), ways=far(port))
        assert len(bot.streams) == 2
    verify(replay)
    assert not fault_codes(replay)


async def test_a_strange_address_where_nobody_listens(port: int, good_bot: str) -> None:
    with pytest.raises(Unreachable, match="no connection"):
        await play(match_of([f"127.0.0.1:{port}", good_bot]), ways=far(port))
    await nothing_runs_on()
