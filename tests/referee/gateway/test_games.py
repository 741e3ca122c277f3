"""Games through the gateway: they are played as those with bots that are dialled."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from referee.errors import Interrupted, Unreachable
from referee.faults import FaultCode
from referee.game import Game
from referee.gateway import server
from referee.gateway.lines import BotLine, Lines, Link
from referee.joining import Guest
from referee.replay import verify
from referee.seats.description import NotDescribed, stated_version
from referee.service import KEEPALIVE, SERVE
from referee.ways import Ways
from referee.wire import bot_pb2, gateway_pb2, replay_pb2
from tests import hostile_bots as hostile
from tests.hostile_bots import Context, HostileBot, Request, Spoil
from tests.referee.games import DrawingBot, match_of, play, served
from tests.referee.gateway.wires import TIMEOUT, Wire, called, gateway, guest, through, until, wire
from tests.referee.patience import judged_again, unreachable
from tests.referee.test_faults import FAULTS, HASTY, clock_for, fault_codes, faults_of

NewAddress = Callable[[], str]


def without_times(replay: replay_pb2.Replay) -> replay_pb2.Replay:
    """All of a replay that does not depend on the machine."""
    copy = replay_pb2.Replay.FromString(replay.SerializeToString())
    for entry in copy.entries:
        if entry.HasField("chosen"):
            entry.chosen.think_us = entry.chosen.overhead_us = 0
    for seat in copy.seats:
        seat.start_up_us = 0
    return copy


async def test_the_same_game_as_without_a_gateway(new_address: NewAddress, good_bot: str) -> None:
    async with gateway(new_address()) as at, guest(good_bot, at):
        replay = await play(match_of(["gateway:ana", good_bot]), ways=through(at))
        direct = await play(match_of([good_bot, good_bot]))
    verify(replay)
    assert not faults_of(replay)
    assert without_times(replay) == without_times(direct)


async def test_the_same_messages_as_without_a_gateway(
    new_address: NewAddress, good_bot: str
) -> None:
    """But for the time that is left, which is never the same twice."""
    with HostileBot(new_address()) as bot:
        async with gateway(new_address()) as at, guest(bot.address, at):
            await play(match_of(["gateway:ana", good_bot]), ways=through(at))
            await play(match_of([bot.address, good_bot]))
            assert await asyncio.to_thread(bot.left_alone)
    here, there = bot.streams
    for stream in bot.streams:
        for request in stream:
            request.decision.ClearField("time_left_ms")
            request.decision.ClearField("bank_left_ms")
    assert here == there


@pytest.mark.parametrize("spoil", FAULTS, ids=lambda spoil: spoil.__name__)
@judged_again
async def test_faults_are_the_same(spoil: Spoil, new_address: NewAddress, good_bot: str) -> None:
    with HostileBot(new_address(), spoil) as bot:
        async with gateway(new_address()) as at, guest(bot.address, at):
            match = match_of([good_bot, "gateway:ana", good_bot], clock_for(spoil))
            replay = await play(match, ways=through(at))
            assert await asyncio.to_thread(bot.left_alone)
    verify(replay)
    assert fault_codes(replay) == [(1, FAULTS[spoil])]


async def test_what_a_bot_says_of_its_error(new_address: NewAddress, good_bot: str) -> None:
    with HostileBot(new_address(), hostile.crashes) as bot:
        async with gateway(new_address()) as at, guest(bot.address, at):
            replay = await play(match_of([good_bot, "gateway:ana"]), ways=through(at))
    assert "no idea" in faults_of(replay)[0].sentence


async def test_a_long_error_of_a_bot_is_its_error_all_the_same(
    new_address: NewAddress, good_bot: str
) -> None:
    """A bot with a client of its own for the gateway, which says all that it knows."""
    async with gateway(new_address()) as at, called(at, good_bot) as (channel, ticket, game):
        call: Any = channel.stream_stream(SERVE)()
        error = gateway_pb2.Ending(error=9_999 * "😀")
        for message in ({"ticket": ticket}, {"ending": error}):
            await call.write(gateway_pb2.ServeRequest(**message).SerializeToString())
        with pytest.raises(Unreachable, match=r"\(UNKNOWN: 😀😀"):
            await game


async def test_a_secret_is_proven_through_the_gateway(
    new_address: NewAddress, good_bot: str
) -> None:
    secret = "a secret that only two know"
    with served(DrawingBot, new_address(), secret=secret) as bot:
        async with gateway(new_address()) as at, guest(bot, at):
            ways = replace(through(at), secrets={"gateway:ana": secret})
            assert not faults_of(await play(match_of(["gateway:ana", good_bot]), ways=ways))
            with pytest.raises(Unreachable, match="This bot has a secret"):
                await play(match_of(["gateway:ana", good_bot]), ways=through(at))


# Lost lines.


class Cutter:
    """Cuts a wire at each decision of a game, once, and answers when it is asked again."""

    def __init__(self) -> None:
        self.wire: Wire | None = None
        self.cut: set[int] = set()

    def __call__(self, request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        asked = request.decision.id
        if asked and asked not in self.cut:
            self.cut.add(asked)
            assert self.wire is not None
            self.wire.cut()  # so that the answer finds no line
        yield from hostile.honest(request, context)


def check_cuts(bot: HostileBot, cutter: Cutter, replay: replay_pb2.Replay, seat: int) -> None:
    """The game went on with the same decisions, each on a line that knew all before it."""
    verify(replay)
    assert not faults_of(replay)
    chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    assert len(cutter.cut) == sum(move.seat == seat for move in chosen) > 40
    assert len(bot.streams) == len(cutter.cut) + 1
    for before, after in zip(bot.streams, bot.streams[1:], strict=False):
        asked, again = before[-1].decision, after[1].decision
        assert after[0].start.resumed
        assert (asked.id, asked.view, asked.legal) == (again.id, again.view, again.legal)
        assert again.bank_left_ms < asked.bank_left_ms
    told = [event for request in bot.streams[-1] for event in request.events]
    assert len([event for event in told if event.HasField("roll")]) == sum(
        entry.HasField("roll") for entry in replay.entries
    )


async def test_the_line_of_a_dialled_bot_is_cut_at_every_decision(
    new_address: NewAddress, good_bot: str
) -> None:
    cutter = Cutter()
    with HostileBot(new_address(), cutter, lambda _: True) as bot:
        async with wire(bot.address, new_address()) as cutter.wire:
            replay = await play(match_of([good_bot, cutter.wire.address]))
    check_cuts(bot, cutter, replay, 1)


@pytest.mark.parametrize("side", ["bot", "worker"])
async def test_a_line_to_the_gateway_is_cut_at_every_decision(
    side: str, new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More lines in a row than are offered without waiting a second for each."""
    monkeypatch.setattr("referee.gateway.credentials.OFFERS_AT_ONCE", 1000)
    monkeypatch.setattr("referee.joining._FIRST_PAUSE", 0.01)
    cutter = Cutter()
    with HostileBot(new_address(), cutter, lambda _: True) as bot:
        async with gateway(new_address()) as at, wire(at, new_address()) as cutter.wire:
            bots_way, workers_way = (
                (cutter.wire.address, at) if side == "bot" else (at, cutter.wire.address)
            )
            async with guest(bot.address, bots_way):
                replay = await play(match_of([good_bot, "gateway:ana"]), ways=through(workers_way))
    check_cuts(bot, cutter, replay, 1)


@pytest.mark.parametrize("side", ["bot", "worker"])
async def test_a_line_that_goes_dead_without_a_word(
    side: str, new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told; pings find out."""
    hasty = tuple((name, 300 if value == 3000 else value) for name, value in KEEPALIVE)
    monkeypatch.setattr("referee.ways.KEEPALIVE", hasty)
    monkeypatch.setattr("referee.gateway.server._OPTIONS", (*server._OPTIONS, *hasty))

    asked: list[int] = []

    def freeze(request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        if asked or request.decision.id < 5:
            yield from hostile.honest(request, context)
        else:
            asked.append(request.decision.id)
            dead.freeze()

    with HostileBot(new_address(), freeze, lambda _: True) as bot:
        async with gateway(new_address()) as at, wire(at, new_address()) as dead:
            bots_way, workers_way = (dead.address, at) if side == "bot" else (at, dead.address)
            async with guest(bot.address, bots_way):
                match = match_of([good_bot, "gateway:ana"])
                replay = await play(match, ways=through(workers_way))
    assert not faults_of(replay)
    _, *later = bot.streams  # one; on a busy machine pings may be late on lines that live
    assert asked in [[request.decision.id for request in line[1:2]] for line in later]


@judged_again
async def test_a_bot_that_does_not_come_back(new_address: NewAddress, good_bot: str) -> None:
    async with gateway(new_address()) as at:
        joined = guest(good_bot, at)
        await joined.__aenter__()
        leaving: list[asyncio.Task[object]] = []

        def leave(game: Game) -> None:
            if len(game.events) == 20:
                leaving.append(asyncio.create_task(joined.__aexit__(None, None, None)))

        match = match_of([good_bot, "gateway:ana", good_bot], HASTY)
        replay = await play(match, leave, through(at))
    assert leaving
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]
    assert faults_of(replay)[0].sentence.endswith("there was no connection to it.")


async def test_a_gateway_that_ends_and_is_started_again(
    new_address: NewAddress, good_bot: str
) -> None:
    address = new_address()
    with HostileBot(new_address(), hostile.silent, lambda n: n == 5) as bot:
        async with gateway(address):
            joined = guest(bot.address, address)
            await joined.__aenter__()
            game = asyncio.create_task(
                play(match_of([good_bot, "gateway:ana"]), ways=through(address))
            )
            await until(lambda: bool(bot.streams) and len(bot.streams[0]) == 6)
        async with gateway(address):
            replay = await game
            await joined.__aexit__(None, None, None)
    verify(replay)
    assert not faults_of(replay)
    assert bot.streams[1][0].start.resumed


async def silent_game(
    bot: HostileBot, good_bot: str, address: str
) -> asyncio.Task[replay_pb2.Replay]:
    """A game through the gateway at an address, in which the silent bot has been asked."""
    match = match_of([good_bot, "gateway:ana"], HASTY)
    game = asyncio.create_task(play(match, ways=through(address)))
    await until(lambda: bool(bot.streams) and len(bot.streams[0]) == 6)
    return game


async def test_a_gateway_that_does_not_come_back(new_address: NewAddress, good_bot: str) -> None:
    """No bot has lost by it: it could have answered in time."""
    address = new_address()
    with HostileBot(new_address(), hostile.silent, lambda n: n == 5) as bot:
        async with gateway(address):
            joined = guest(bot.address, address)
            await joined.__aenter__()
            game = await silent_game(bot, good_bot, address)
        with pytest.raises(Interrupted, match=r"The gateway did not answer|The referee lagged"):
            await game
        await joined.__aexit__(None, None, None)


@pytest.mark.parametrize("go_silent", [Wire.freeze, Wire.swallow])
async def test_a_gateway_that_goes_silent(
    go_silent: Callable[[Wire], None], new_address: NewAddress, good_bot: str
) -> None:
    """Nothing answers on the connection that there is, or on new ones."""
    address = new_address()
    with HostileBot(new_address(), hostile.silent, lambda n: n == 5) as bot:
        async with gateway(new_address()) as at, wire(at, address) as near, guest(bot.address, at):
            game = await silent_game(bot, good_bot, address)
            go_silent(near)
            with pytest.raises(Interrupted, match=r"The gateway did not|The referee lagged"):
                await game


async def held_up(
    new_address: NewAddress, good_bot: str, act: Callable[[Request, Context], Iterator[bytes]]
) -> replay_pb2.Replay:
    """A game in which the gateway holds everything up until after the time of a decision."""
    loop, wires = asyncio.get_running_loop(), list[Wire]()

    def late(request: Request, context: Context) -> Iterator[bytes]:
        wires[0].freeze()
        loop.call_soon_threadsafe(loop.call_later, HASTY.move_limit + 2.0, wires[0].thaw)
        yield from act(request, context)

    with HostileBot(new_address(), late, lambda n: n == 5) as bot:
        async with (
            gateway(new_address()) as at,
            wire(at, new_address()) as near,
            guest(bot.address, at),
        ):
            wires.append(near)
            return await play(
                match_of([good_bot, "gateway:ana"], HASTY), ways=through(near.address)
            )


@judged_again
async def test_an_answer_that_a_slow_gateway_held_up_counts(
    new_address: NewAddress, good_bot: str
) -> None:
    assert not faults_of(await held_up(new_address, good_bot, hostile.honest))


@judged_again
async def test_a_slow_gateway_is_no_excuse_for_a_bot_that_does_not_answer(
    new_address: NewAddress, good_bot: str
) -> None:
    """Whoever loses could have it dialled by thousands as the time runs out."""
    replay = await held_up(new_address, good_bot, hostile.silent)
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]


async def test_a_gateway_that_is_silent_before_the_game(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.seats.description._TIMEOUT", 0.1)
    async with gateway(new_address()) as at, wire(at, new_address()) as near, guest(good_bot, at):
        near.swallow()
        said = "did not accept|the gateway does not answer"  # whichever time is over first
        why = await unreachable([good_bot, "gateway:ana"], said, through(near.address))
        with pytest.raises(NotDescribed) as undescribed:
            await stated_version("gateway:ana", through(near.address))
    assert why.ours
    assert undescribed.value.ours


async def test_a_bot_dials_again_after_ever_longer_pauses(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 10:
            raise TimeoutError

    monkeypatch.setattr("referee.joining.asyncio.sleep", sleep)
    monkeypatch.setattr("referee.joining.random.uniform", lambda _least, most: most)
    bot = Guest("unused", new_address(), "unused", 1, bot_pb2.DescribeResponse(), Ways())
    with pytest.raises(TimeoutError):
        await bot.stay()
    assert pauses == [0.1 * 2**times for times in range(8)] + [15, 15]


@asynccontextmanager
async def come_back(bot: HostileBot, good_bot: str, address: str) -> AsyncIterator[None]:
    """Start a gateway anew while a bot of it is silent: the match is interrupted. Yield then."""
    async with gateway(address):
        joined = guest(bot.address, address)
        await joined.__aenter__()
        game = await silent_game(bot, good_bot, address)
    async with gateway(address):
        with pytest.raises(Interrupted, match=r"The gateway did not|The referee lagged"):
            await game
        yield
    await joined.__aexit__(None, None, None)


async def test_a_gateway_that_came_back_before_its_bot(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot dials again after a pause: its time may be over by then."""
    monkeypatch.setattr("referee.joining._FIRST_PAUSE", TIMEOUT)
    address = new_address()
    with HostileBot(new_address(), hostile.silent, lambda n: n == 5) as bot:
        async with come_back(bot, good_bot, address):
            why = await unreachable([good_bot, "gateway:ana"], "not dialled in", through(address))
            with pytest.raises(NotDescribed) as undescribed:
                await stated_version("gateway:ana", through(address))
            assert why.ours
            assert undescribed.value.ours


async def test_a_gateway_that_came_back_with_its_bot_too_late(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot has what the gateway has left of its time, and no bot loses by that."""
    monkeypatch.setattr("referee.joining._FIRST_PAUSE", 0.3)
    with HostileBot(new_address(), hostile.silent, lambda n: n in (5, 7)) as bot:
        async with come_back(bot, good_bot, new_address()):
            pass


# Who is not there.


async def test_a_bot_that_has_not_dialled_in(new_address: NewAddress, good_bot: str) -> None:
    async with gateway(new_address()) as at:
        said = "seat 1 .*the bot ana has not dialled in"
        await unreachable([good_bot, "gateway:ana"], said, through(at))


async def test_no_gateway(new_address: NewAddress, good_bot: str) -> None:
    said = "the gateway does not answer: UNAVAILABLE"
    await unreachable([good_bot, "gateway:ana"], said, through(new_address()))


async def test_a_game_too_many(new_address: NewAddress, good_bot: str) -> None:
    async with gateway(new_address()) as at, guest(good_bot, at, slots=1):
        said = "all slots of the bot ana are taken"
        await unreachable(["gateway:ana", "gateway:ana"], said, through(at))
        replay = await play(match_of(["gateway:ana", good_bot]), ways=through(at))
    assert not faults_of(replay)


async def test_a_slot_is_free_a_moment_after_its_game() -> None:
    """A worker learns that a game has ended before the gateway has put its slot back."""
    lines = Lines()
    line = BotLine("ana", "", slots=1, description=b"")
    lines.add(line)
    link = Link()
    line.links.add(link)
    asyncio.get_running_loop().call_soon(line.links.discard, link)
    assert await lines.free("ana") is line


async def test_a_bot_on_two_machines(new_address: NewAddress, good_bot: str) -> None:
    """Two programs with one token: neither takes the other's place, and their slots add up."""
    async with gateway(new_address()) as at, guest(good_bot, at, slots=1):
        async with guest(good_bot, at, slots=1):
            both = await play(match_of(["gateway:ana", "gateway:ana"]), ways=through(at))
        alone = await play(match_of(["gateway:ana", good_bot]), ways=through(at))
    assert not faults_of(both)
    assert not faults_of(alone)
