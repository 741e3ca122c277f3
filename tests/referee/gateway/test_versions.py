"""Several versions of a bot in at once: each worker reaches the one that it calls."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf

import grpc
import pytest

from referee.gateway import credentials, server
from referee.gateway.lines import MOST_LINES, BotLine, Lines, Link, NoLine
from referee.gateway.server import Calls, start_gateway
from referee.http2.call import Call
from referee.joining import Guest
from referee.seats.description import stated_version
from referee.ways import Ways, behind_gateway, bot_and_version
from referee.wire import bot_pb2, gateway_pb2
from tests.hostile_bots import HostileBot
from tests.referee.games import match_of, play
from tests.referee.gateway.wires import KEY, TIMEOUT, TOKENS, gateway, offer, stays, through, until
from tests.referee.patience import unreachable
from tests.referee.test_faults import faults_of

NewAddress = Callable[[], str]


@asynccontextmanager
async def joined(bot: str, at: str, version: str, slots: int = 1) -> AsyncIterator[Guest]:
    """A bot of this machine is in as this version of ana."""
    told = bot_pb2.DescribeResponse(name="ana", version=version, protocol_version=1)
    async with stays(Guest(bot, at, "token-of-ana", slots, told, Ways())) as made:
        yield made


async def test_each_version_plays_its_own_games(new_address: NewAddress, good_bot: str) -> None:
    with HostileBot(new_address()) as old, HostileBot(new_address()) as new:
        async with (
            gateway(new_address()) as at,
            joined(old.address, at, "1.0"),
            joined(new.address, at, "2 beta+1"),
        ):
            for _ in range(2):
                replay = await play(match_of(["gateway:ana/1.0", good_bot]), ways=through(at))
                assert not faults_of(replay)
            assert (len(old.streams), len(new.streams)) == (2, 0)
            await play(match_of([good_bot, "gateway:ana/2%20beta%2B1"]), ways=through(at))
            assert (len(old.streams), len(new.streams)) == (2, 1)
            await play(match_of([good_bot, "gateway:ana"]), ways=through(at))
            assert (len(old.streams), len(new.streams)) == (2, 2), "the newest, if it says none"
            said = [
                await stated_version(f"gateway:{called}", through(at))
                for called in ("ana/1.0", "ana/2%20beta%2B1", "ana")
            ]
    assert said == ["1.0", "2 beta+1", "2 beta+1"]


async def test_a_version_that_is_not_in_while_another_one_is(
    new_address: NewAddress, good_bot: str
) -> None:
    async with gateway(new_address()) as at, joined(good_bot, at, "2"):
        said = "seat 1 .*version 1 of the bot ana has not dialled in"
        await unreachable([good_bot, "gateway:ana/1"], said, through(at))


@pytest.mark.parametrize("version", ["1", "2 beta+1", "ö/%", "x" * 100])
def test_a_bot_and_its_version_in_one_word(version: str) -> None:
    word = behind_gateway("7", version)
    assert word.isascii()
    assert bot_and_version(word) == ("7", version)
    assert bot_and_version("7") == ("7", None)


def line(version: str, slots: int = 1, instance: str = "") -> BotLine:
    return BotLine("ana", instance, slots, b"", version)


async def test_lines_of_one_version_share_its_games() -> None:
    lines = Lines()
    first, second, other = line("1", 2), line("1", 3), line("2", 4)
    for one in (first, second, other):
        assert lines.add(one)
    assert [lines.offered("ana", version) for version in ("1", "2", "3")] == [5, 4, 0]
    assert await lines.free("ana", "1") is second
    lines.drop(second)
    assert await lines.free("ana", "1") is first
    assert await lines.free("ana") is other


async def test_a_gateway_that_has_just_started_awaits_each_version_and_all_slots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = Lines()
    monkeypatch.setattr("referee.gateway.lines._LOOKS", 1)
    first = line("1")
    assert await why_none(lines, None) == "the bot ana has not dialled in, so early"
    lines.add(first)
    assert await why_none(lines, "2") == "version 2 of the bot ana has not dialled in, so early"
    first.links.add(Link())
    assert await why_none(lines, "1") == "all slots of version 1 of the bot ana are taken, so early"
    lines.drop(first)
    assert await why_none(lines, "1") == "version 1 of the bot ana has not dialled in"
    assert await why_none(lines, None) == "the bot ana has not dialled in"
    monkeypatch.setattr("referee.gateway.lines.monotonic", lambda: inf)
    assert await why_none(lines, "2") == "version 2 of the bot ana has not dialled in"


async def why_none(lines: Lines, version: str | None) -> str:
    with pytest.raises(NoLine) as none:
        await lines.free("ana", version)
    return f"{none.value}{', so early' * none.value.early}"


async def test_a_ninth_line_is_refused_unless_it_takes_anothers_place() -> None:
    lines = Lines()
    every = [line(str(number % 2), instance=str(number)) for number in range(MOST_LINES)]
    assert all(lines.add(one) for one in every)
    assert not lines.add(line("3", instance="new"))
    assert not lines.add(line("3"))
    assert lines.add(line("1", instance="4")), "the same program dials again"
    assert every[4].dropped.is_set()
    assert every[4].why_dropped.startswith("A newer line of the same instance has taken the place")
    assert len(lines.of("ana")) == MOST_LINES


class Counted:
    """What a gateway did: looked tokens up, and announced who is in."""

    def __init__(self) -> None:
        self.looked_up = 0
        self.announced: list[tuple[str, int, str]] = []

    def name_of(self, token: str) -> str | None:
        self.looked_up += 1
        return TOKENS.get(token)

    def watch(self, name: str, slots: int, version: str) -> None:
        self.announced.append((name, slots, version))


@asynccontextmanager
async def counting(address: str) -> AsyncIterator[Counted]:
    counted = Counted()
    running = await start_gateway(address, Calls(counted.name_of, KEY, watch=counted.watch))
    try:
        yield counted
    finally:
        await running.stop(None)


async def answer(call: Call) -> str:
    """Return what the gateway says of an offer: the name of the bot, or why it refuses the line."""
    message = await call.read()
    if message is not None:
        return gateway_pb2.OfferResponse.FromString(message).name
    assert call.ended is not None
    assert call.ended.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    return call.ended.details


async def test_a_bot_that_offers_in_a_tight_loop_costs_the_gateway_little(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "monotonic", lambda: 1000.0)  # all of it in one instant
    monkeypatch.setattr(credentials, "LONGEST_WAIT", 0.0)
    monkeypatch.setattr("referee.gateway.server._ASK_AGAIN_EVERY", TIMEOUT)  # that looks up, too
    at, calls, said = new_address(), [], []
    async with counting(at) as counted:
        for _ in range(100):
            calls.append(await offer(at))
            said.append(await answer(calls[-1]))
        assert counted.looked_up == credentials.OFFERS_AT_ONCE
        await until(lambda: len(counted.announced) >= MOST_LINES)  # nobody waits for that
        assert len(counted.announced) == MOST_LINES
        for call in calls:
            call.hang_up()
        await until(lambda: len(counted.announced) == 2 * MOST_LINES)
    assert said == [
        *["ana"] * MOST_LINES,
        *["This bot has 8 lines: end one of its programs first."]
        * (credentials.OFFERS_AT_ONCE - MOST_LINES),
        *["Too many lines are offered with this token: dial again later."]
        * (100 - credentials.OFFERS_AT_ONCE),
    ]


async def test_an_offer_before_its_turn_is_held_up(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "monotonic", lambda: 1000.0)
    monkeypatch.setattr(credentials, "OFFERS_AT_ONCE", 1)
    sleep, naps = asyncio.sleep, list[float]()

    async def nap(seconds: float) -> None:
        held_up = seconds == 1.0
        naps.extend([seconds] * held_up)
        await sleep(0 if held_up else seconds)

    monkeypatch.setattr("referee.gateway.server.asyncio.sleep", nap)
    at = new_address()
    async with counting(at) as counted:
        calls = [await offer(at) for _ in range(2)]
        assert [await answer(call) for call in calls] == ["ana", "ana"]
        for call in calls:
            call.hang_up()
        await until(lambda: len(counted.announced) == 4)  # both lines, as they come and go
    assert naps == [1.0]


def test_offers_are_spaced(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(credentials, "monotonic", lambda: now)
    pace = credentials.Pace()
    burst = [pace.wait("a") for _ in range(30)]
    assert burst == [*[0.0] * 16, *range(1, 9), *[None] * 6]
    assert pace.wait("b") == 0.0, "others do not wait for it"
    now += 8
    assert [pace.wait("a") for _ in range(2)] == [1.0, 2.0]
    now += 60
    assert pace.wait("b") == 0.0
    assert len(pace._settled) == 1, "nothing is kept of who is quiet"


async def test_what_a_bot_goes_on_saying_is_read_slowly(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps: list[float] = []

    async def nap(seconds: float) -> None:
        if seconds == server._READ_EVERY:
            naps.append(seconds)
            await asyncio.Event().wait()

    monkeypatch.setattr("referee.gateway.server.asyncio.sleep", nap)
    async with gateway(new_address()) as at:
        call = await offer(at)
        assert await answer(call) == "ana"
        for _ in range(50):
            await call.write(gateway_pb2.OfferRequest().SerializeToString())
        while not naps:
            await asyncio.wait({asyncio.ensure_future(asyncio.Event().wait())}, timeout=0.01)
        assert len(naps) == 1
        call.hang_up()
