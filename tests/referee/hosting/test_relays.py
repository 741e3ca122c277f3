"""What a host carries between a worker and a bot: here in one process, the bot without a sandbox.

A bot says, byte for byte, what a test wants; its sandbox only notes if it runs.
"""

import asyncio
import errno
import gc
import hashlib
import re
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import grpc.aio
import pytest
from grpc import StatusCode

from referee.clock import Clock
from referee.conformance.check import Candidate, StreamEnded
from referee.conformance.meeting import CheckSeat, opening
from referee.errors import Interrupted, Unreachable
from referee.faults import Fault, FaultCode, SeatFault
from referee.game import Game, Luck
from referee.hosting import client, game_relay
from referee.hosting.client import (
    MAX_MESSAGE,
    BuildFailed,
    HostLost,
    HostRefuses,
    RemoteHost,
    method_path,
)
from referee.hosting.host import Host
from referee.hosting.hosted_seat import HostedSeat
from referee.hosting.output import ProgramOutput
from referee.hosting.settings import HostSettings
from referee.http2 import frames as h2
from referee.http2.call import connect
from referee.http2.frames import frame, wider
from referee.http2.server import Refusal, Stream, serve
from referee.rules import Layout, Position
from referee.seats.player import Allowance, GameOver, Invitation
from referee.seats.streams import MessageStream
from referee.service import PLAY, SEAT_KEY
from referee.ways import Ways
from referee.wire import bot_pb2, game_pb2, host_pb2
from tests.referee.hosting.hosts import PATIENT, bundle, calling
from tests.referee.http2.peer import TIMEOUT, Peer, answer, data, setting
from tests.referee.patience import judged_again
from tests.referee.steady import steady_loop

GOOD = bundle()
SHA256 = hashlib.sha256(GOOD).digest()
LAYOUT = Layout.shuffled(Random(1))
STATUS = method_path("Status")
SIT = method_path("Sit")
ACCEPT = bot_pb2.PlayResponse(accept=bot_pb2.Accept(nonce=b"nonce")).SerializeToString()
GRANTED = host_pb2.SitResponse(granted=host_pb2.Granted())
LOST = host_pb2.SitResponse(ended=host_pb2.StreamEnd(code=StatusCode.UNAVAILABLE.value[0]))
LONG = b"long" * 10_000
"""More than fits into a frame."""


class Sandbox:
    """A sandbox with nothing in it; it runs from a thaw to a freeze."""

    over: str | None = None
    noticed: str | None = None
    exit_code: int | None = None
    killed_from_outside = False

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self.runs = True

    def socket_path(self) -> str | None:
        return str(self._socket)

    def pin(self, processor: int) -> None: ...

    def thaw(self) -> None:
        self.runs = True

    def freeze(self) -> None:
        self.runs = False

    def stop(self) -> None:
        self.exit_code = 0

    def cpu_seconds(self) -> float:
        return 0.0

    def peak_memory(self) -> int:
        return 0

    def output(self) -> ProgramOutput:
        return ProgramOutput(b"", b"")

    def begin_match(self) -> None: ...


class Place:
    """A host in this process, a client of it, and the bots that it calls."""

    def __init__(self, folder: Path, address: str, caller: RemoteHost) -> None:
        self._folder = folder
        self.address, self.caller = address, caller
        self.host = Host(HostSettings(folder=folder / "host", processors=1))
        self.handlers = dict(self.host.handlers())
        self.sandboxes: list[Sandbox] = []
        self.bots: asyncio.Queue[Peer] = asyncio.Queue()
        self._met: list[Peer] = []

    async def begin(self) -> None:
        self._server = await serve(self.address, self.handlers, MAX_MESSAGE)
        self._socket = self._folder / "bot"
        self._listening = await asyncio.start_unix_server(self._meet, self._socket)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not await reader.read(len(h2.PREFACE)):  # the host asked only if anybody listens
            writer.close()
            return
        self._met.append(Peer(reader, writer))
        await self.bots.put(self._met[-1])

    def launch(self, _: object) -> Sandbox:
        """Start a bot: it listens here."""
        self.sandboxes.append(Sandbox(self._socket))
        return self.sandboxes[-1]

    async def opened(self, bot: str = "bot") -> str:
        """Open a seat; return its name."""
        await self.caller.store(SHA256, [GOOD])
        return (await self.caller.open(SHA256, bot, "1", start_up=60.0)).seat

    async def bot(self) -> Peer:
        """The bot, as soon as it is called."""
        async with asyncio.timeout(TIMEOUT):
            return await self.bots.get()

    def leave_bots(self) -> None:
        """Listen no more for calls of bots."""
        self._listening.close()

    def end(self) -> None:
        """Hang up on everybody."""
        self._server.close()
        self.leave_bots()
        for bot in self._met:
            bot.close()


@pytest.fixture
async def place(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        address = f"unix:{folder}/socket"
        async with calling(address) as caller:
            made = Place(Path(folder), address, caller)
            monkeypatch.setattr(made.host, "_launch", made.launch)
            await made.begin()
            yield made
            made.end()
            await made.host.seats.end_all()


def asked(message: bytes) -> bytes:
    return host_pb2.SitRequest(asked=message).SerializeToString()


async def said(sitting: MessageStream) -> host_pb2.SitResponse:
    """What a host says next."""
    async with asyncio.timeout(TIMEOUT):
        return host_pb2.SitResponse.FromString(await sitting.read() or b"")


async def answered(sitting: MessageStream) -> bytes:
    """The next answer of a bot."""
    while (response := await said(sitting)).HasField("granted"):
        pass
    return response.answer


async def heard(bot: Peer, size: int) -> bytes:
    """What a bot was asked, with so many bytes."""
    message = b""
    while len(message) < 5 + size:
        message += (await bot.hear(h2.DATA)).payload
    return message[5:]


async def test_messages_that_fill_more_than_a_frame(place: Place) -> None:
    sitting = await place.caller.sit(await place.opened())
    bot = await place.bot()
    await bot.say(answer(), wider(0, 1 << 20), wider(1, 1 << 20))
    for message in (LONG, b"short", LONG):
        await sitting.write(asked(message))
        assert await heard(bot, len(message)) == message
        parts = (message[at : at + 9_999] for at in range(0, len(message), 9_999))
        await bot.say(
            frame(h2.DATA, 0, 1, b"\0" + len(message).to_bytes(4, "big")),
            *(frame(h2.DATA, 0, 1, part) for part in parts),
        )
        assert await answered(sitting) == message
        assert not place.sandboxes[0].runs
    await sitting.hang_up()


async def test_a_bot_that_answers_before_it_was_asked_whole(place: Place) -> None:
    """It takes no more than a byte of what it is asked, and so would never be asked again."""
    sitting = await place.caller.sit(await place.opened())
    bot = await place.bot()
    await bot.say(setting(h2.INITIAL_WINDOW_SIZE, 1), answer())
    await sitting.write(asked(b"first"))
    await bot.hear(h2.DATA)
    await bot.say(data(b"early"))
    assert (await said(sitting)).HasField("granted")
    assert place.sandboxes[0].runs
    await bot.say(wider(1, 1000))
    assert await answered(sitting) == b"early"
    await sitting.write(asked(b"second"))
    await bot.say(data(b"again"))
    assert await answered(sitting) == b"again"
    await sitting.hang_up()


async def test_a_seat_that_is_not_there(place: Place) -> None:
    why = r"There is no such seat \(any more\)\."
    sitting = await place.caller.sit("none")
    assert await sitting.read() is None
    assert re.fullmatch(f"NOT_FOUND: {why}", str(sitting.ended))
    with pytest.raises(HostLost, match=f"NOT_FOUND: {why}"):
        await place.caller.close_seat("none")
    async with grpc.aio.insecure_channel(place.address) as channel:
        call: Any = channel.stream_stream(PLAY)(metadata=((SEAT_KEY, "none"),))
        with pytest.raises(grpc.aio.AioRpcError, match=why) as caught:
            await call.read()
        assert caught.value.code() is StatusCode.UNAVAILABLE


@pytest.mark.parametrize(("method", "sent"), [("Forget", [b"\xff"]), ("Store", [b"", b"\xff"])])
async def test_a_message_that_cannot_be_read_is_the_callers_fault(
    place: Place, method: str, sent: list[bytes]
) -> None:
    call = await connect(place.address, method_path(method), MAX_MESSAGE)
    for message in sent:
        await call.write(message)
    async with asyncio.timeout(TIMEOUT):
        assert await call.read() is None
    assert call.ended is not None
    assert call.ended.code is StatusCode.INVALID_ARGUMENT
    await call.gone()


@pytest.mark.parametrize("sat", [False, True])
async def test_a_message_of_a_game_that_cannot_be_read_is_the_workers_fault(
    place: Place, caplog: pytest.LogCaptureFixture, sat: bool
) -> None:
    call = await connect(place.address, SIT, MAX_MESSAGE)
    if sat:
        await call.write(host_pb2.SitRequest(seat=await place.opened()).SerializeToString())
        bot = await place.bot()
    await call.write(b"\xff")
    async with asyncio.timeout(TIMEOUT):
        assert await call.read() is None
        if sat:
            await bot.hear_the_end()
    assert call.ended is not None
    assert call.ended.code is StatusCode.INVALID_ARGUMENT
    assert call.ended.details == "A message is no SitRequest."
    assert caplog.messages == []
    await call.gone()


async def test_a_worker_that_says_no_more_ends_the_game(place: Place) -> None:
    call = await connect(place.address, "/santiago.v1.Host/Sit", MAX_MESSAGE)
    await call.write(host_pb2.SitRequest(seat=await place.opened()).SerializeToString())
    bot = await place.bot()
    call.done_writing()
    async with asyncio.timeout(TIMEOUT):
        assert await call.read() is None
    assert call.ended is not None
    assert call.ended.code is StatusCode.OK
    await bot.hear_the_end()
    await call.gone()


async def test_a_worker_that_hangs_up_stops_the_bot_that_takes_nothing(place: Place) -> None:
    sitting = await place.caller.sit(await place.opened())
    bot = await place.bot()
    await bot.say(setting(h2.INITIAL_WINDOW_SIZE, 1), answer())
    await sitting.write(asked(b"first"))
    assert (await said(sitting)).HasField("granted")
    assert place.host.processors.thinking == 1
    await sitting.hang_up()
    await bot.hear_the_end()
    assert place.host.processors.thinking == 0
    assert not place.sandboxes[0].runs


async def test_a_bot_waits_for_the_processor_of_another(place: Place) -> None:
    """And is asked more than fits into a frame, as soon as it has it."""
    sittings, bots = [], []
    for name in ("one", "two"):
        sittings.append(await place.caller.sit(await place.opened(name)))
        bots.append(await place.bot())
        await bots[-1].say(answer(), wider(1, 1 << 20), wider(0, 1 << 20))
    for sitting in sittings:
        await sitting.write(asked(LONG))
    assert await heard(bots[0], len(LONG)) == LONG
    while not place.host.processors.waiting:
        await asyncio.sleep(0)
    assert [sandbox.runs for sandbox in place.sandboxes] == [True, False]
    await bots[0].say(data(b"one"))
    assert await answered(sittings[0]) == b"one"
    assert await heard(bots[1], len(LONG)) == LONG
    assert [sandbox.runs for sandbox in place.sandboxes] == [False, True]
    await bots[1].say(data(b"two"))
    assert await answered(sittings[1]) == b"two"
    for sitting in sittings:
        await sitting.hang_up()


async def test_a_bot_that_cannot_be_asked_keeps_no_processor(place: Place) -> None:
    """Its sandbox is ending, for example."""
    sittings = [await place.caller.sit(await place.opened(name)) for name in ("one", "two")]
    bot, other = await place.bot(), await place.bot()
    await bot.say(answer())
    await other.say(answer())
    gone = Mock(side_effect=OSError(errno.ENODEV, "No such device"))
    place.sandboxes[1].cpu_seconds = gone  # type: ignore[method-assign]
    for sitting in sittings:
        await sitting.write(asked(b"question"))
    while not place.host.processors.waiting:
        await asyncio.sleep(0)
    await bot.say(data(b"one"))
    assert await answered(sittings[0]) == b"one"
    async with asyncio.timeout(TIMEOUT):
        assert await sittings[1].read() is None
    assert str(sittings[1].ended) == "INTERNAL: OSError: [Errno 19] No such device"
    assert place.host.processors.thinking == 0
    for sitting in sittings:
        await sitting.hang_up()


async def test_a_bot_that_owes_the_suite_two_answers_runs_until_both_came(place: Place) -> None:
    seat = await place.opened()
    async with grpc.aio.insecure_channel(place.address) as channel:
        call: Any = channel.stream_stream(PLAY)(metadata=((SEAT_KEY, seat),))
        bot = await place.bot()
        await bot.say(answer())
        decision = bot_pb2.PlayRequest(decision=bot_pb2.Decision(id=1)).SerializeToString()
        for _ in range(2):
            await call.write(decision)
            await heard(bot, len(decision))
        for runs in (True, False):
            await bot.say(data(b"choice"))
            assert await call.read() == b"choice"
            assert place.sandboxes[0].runs is runs
        call.cancel()


async def test_a_host_tells_how_long_a_bot_has_waited_up_to_now(place: Place) -> None:
    name = await place.opened()
    assert await place.caller.waited(name) == 0
    taken = place.host.processors.take(None)
    sitting = await place.caller.sit(name)
    bot = await place.bot()
    await bot.say(answer())
    await sitting.write(asked(b"question"))
    async with asyncio.timeout(TIMEOUT):
        while not await place.caller.waited(name):
            pass
    place.host.processors.give_back(taken)
    await heard(bot, len(b"question"))
    waited = await place.caller.waited(name)
    assert waited > 0
    assert await place.caller.waited(name) == waited
    assert await place.caller.waited("none") == 0
    await sitting.hang_up()


async def test_a_wait_for_a_processor_is_no_time_of_a_check(place: Place) -> None:
    """Neither of the decision nor of the bank, from which the next decision has all it had."""
    readings, over = iter([0.0, 0.0, 0.0]), asyncio.Event()

    async def waited() -> float:
        if (seconds := next(readings, 60.0)) > 0:
            over.set()
        return seconds

    name = await place.opened()
    ways = place.caller.ways(Ways.from_environment())
    candidate = Candidate(f"hosted:{name}", ways=ways, waited=waited)
    clock = Clock(move_limit=60.0, bank=0.1, increment=0.0, start_up=60.0)
    seat, game = CheckSeat(candidate, replace(invitation(), clock=clock)), begun()
    accepting = asyncio.create_task(seat.accept())
    bot = await place.bot()
    await bot.say(answer(), data(ACCEPT))
    async with asyncio.timeout(TIMEOUT):
        assert await accepting == b"nonce"
        asking = asyncio.create_task(seat.ask(game.position, game.events, 1))
        await over.wait()
        choice = bot_pb2.Choice(decision_id=1, index=0)
        await bot.say(data(bot_pb2.PlayResponse(choice=choice).SerializeToString()))
        assert await asking == game.position.legal_moves[0]
        assert await seat.put(game.position, game.events, 2) == 0.1
    await seat.hang_up()


@pytest.mark.parametrize(("killed", "why"), [(True, Interrupted), (False, StreamEnded)])
async def test_a_sandbox_that_something_outside_kills_interrupts_a_check(
    place: Place, why: type[Exception], *, killed: bool
) -> None:
    """Else the version would be rejected, and its author could do nothing about it."""
    ways = place.caller.ways(Ways.from_environment())
    seat = CheckSeat(Candidate(f"hosted:{await place.opened()}", ways=ways), invitation())
    accepting = asyncio.create_task(seat.accept())
    bot = await place.bot()
    place.sandboxes[0].exit_code, place.sandboxes[0].killed_from_outside = 137, killed
    bot.close()
    with pytest.raises(why):
        await accepting
    await seat.hang_up()


async def test_bytes_with_another_hash_are_not_stored(place: Place) -> None:
    with pytest.raises(HostLost, match=r"DATA_LOSS: The bytes have the hash"):
        await place.caller.store(SHA256, [b"other"])


async def test_a_package_that_is_none_is_not_built(place: Place) -> None:
    junk = hashlib.sha256(b"junk").digest()
    await place.caller.store(junk, [b"junk"])
    with pytest.raises(BuildFailed, match=r"It is neither a \.zip nor a \.tar\.gz\."):
        await anext(place.caller.build(junk, 60.0))
    await place.caller.drain(True)
    with pytest.raises(HostRefuses, match="The host is drained"):
        await anext(place.caller.build(junk, 60.0))


def sleeping_build(
    *_: object, say: Callable[[str], None], cancelled: Callable[[], bool], **__: object
) -> None:
    """A build whose step sleeps until it is cancelled."""
    say("begun")
    while not cancelled():
        time.sleep(0.001)
    raise BuildFailed("It was cancelled.")


async def test_a_build_that_is_broken_off_is_no_error_of_the_host(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when its author withdraws the version. asyncio reports what nobody asks for."""
    reports = list[str]()
    monkeypatch.setattr("referee.hosting.host.build", sleeping_build)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, report: reports.append(report["message"]))
    await place.caller.store(SHA256, [GOOD])
    said = place.caller.build(SHA256, 60.0)
    assert await anext(said) == "begun"
    await said.aclose()  # type: ignore[attr-defined]
    await no_build_runs(place)
    gc.collect()
    assert reports == []


async def no_build_runs(place: Place) -> None:
    """Wait until no build does."""
    async with asyncio.timeout(TIMEOUT):
        while (await place.caller.status()).building:
            await asyncio.sleep(0)


async def test_builds_that_sleep_keep_no_sandbox_from_starting(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop has few threads for what waits: here one, on most machines a few more than cores."""
    monkeypatch.setattr("referee.hosting.host.build", sleeping_build)
    name = await place.opened()
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    said = place.caller.build(SHA256, 60.0)
    assert await anext(said) == "begun"
    async with asyncio.timeout(TIMEOUT):
        await place.caller.close_seat(name, end=True)
        assert await place.opened("other")
    await said.aclose()  # type: ignore[attr-defined]
    await no_build_runs(place)


async def test_a_host_that_answers_no_more_loses_its_games(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: Stream) -> None:
        raise Refusal(StatusCode.UNAVAILABLE, "gone")

    monkeypatch.setattr(client, "_BEAT_EVERY", 0.01)
    place.handlers[STATUS] = refuse
    sitting = await place.caller.sit(await place.opened())
    async with asyncio.timeout(TIMEOUT):
        assert await sitting.read() is None
    assert sitting.ended


def invitation() -> Invitation:
    return opening("match-1", 0, 2, LAYOUT, b"seed", PATIENT)


async def test_a_bundle_that_nobody_brings_interrupts_the_match(place: Place) -> None:
    with pytest.raises(Interrupted, match="The bundle is not in the host's cache"):
        await HostedSeat(place.caller, SHA256, "bot", "1").accept(invitation())


def begun() -> Game:
    """A game at its first decision."""
    game = Game(Position.start(LAYOUT, 2), Luck(b"seed", 1, []))
    assert game.run_to_decision()
    return game


async def accepted(place: Place) -> tuple[HostedSeat, Peer, Game]:
    """A seat whose bot has accepted the game, and the game at its first decision."""
    await place.caller.store(SHA256, [GOOD])
    seat = HostedSeat(place.caller, SHA256, "bot", "1")
    accepting = asyncio.create_task(seat.accept(invitation()))
    bot = await place.bot()
    await bot.say(answer(), data(ACCEPT))
    async with asyncio.timeout(TIMEOUT):
        assert await accepting == b"nonce"
    return seat, bot, begun()


async def test_a_bot_is_told_the_end_of_the_game(place: Place) -> None:
    seat, bot, game = await accepted(place)
    await bot.hear(h2.DATA)  # the start
    seat.end(game, GameOver(game_pb2.Result(), b"seed", ()))
    told = bot_pb2.PlayRequest.FromString((await bot.hear(h2.DATA)).payload[5:])
    assert told.end.dice_seed == b"seed"
    bot.close()
    await seat.leave()


async def test_a_bot_that_nobody_can_reach_any_more_is_late(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_relay, "_LOST_EXITS_WITHIN", 0.0)
    seat, bot, game = await accepted(place)
    place.leave_bots()
    bot.close()
    with pytest.raises(
        SeatFault, match=r"within 0\.2 s: there was no connection to it\."
    ) as caught:
        await seat.decide(game, 1, Allowance(0.2, 0.2))
    assert caught.value.code is FaultCode.TIMEOUT
    await seat.leave()


async def test_a_bot_that_is_late_gives_its_processor_back(place: Place) -> None:
    """Else the other hosted bots at its table would wait for it, and it for the game's end."""
    seat, _, game = await accepted(place)
    with steady_loop(), pytest.raises(SeatFault, match="No choice came within"):
        await seat.decide(game, 1, Allowance(0.1, 0.1))
    await nobody_thinks(place)
    await seat.leave()


async def test_a_bot_that_faulted_gives_its_seat_back_while_the_others_play_on(
    place: Place,
) -> None:
    """After half a minute its host would, and what it wrote would be lost."""
    seat, _, game = await accepted(place)
    with steady_loop(), pytest.raises(SeatFault) as caught:
        await seat.decide(game, 1, Allowance(2.0, 2.0))
    seat.dismiss(game, Fault(0, caught.value.code, caught.value.sentence))
    async with asyncio.timeout(TIMEOUT):
        while seat.closed is None:
            await asyncio.sleep(0)
    assert len(place.host.seats) == 0
    await seat.leave()
    assert seat.closed is not None


async def test_a_bot_that_does_not_accept_gives_its_processor_back(place: Place) -> None:
    """Else the others would wait for it until they accept, and it for them until it is left."""
    await place.caller.store(SHA256, [GOOD])
    seat = HostedSeat(place.caller, SHA256, "bot", "1")
    hasty = replace(invitation(), clock=Clock(start_up=0.2))
    with pytest.raises(Unreachable, match="it did not accept the game within"):
        await seat.accept(hasty)
    await nobody_thinks(place)
    await seat.leave()


async def nobody_thinks(place: Place) -> None:
    """Wait until no bot has a processor."""
    async with asyncio.timeout(TIMEOUT):
        while place.host.processors.thinking:
            await asyncio.sleep(0)


def says_accept(think: float = 0.0) -> host_pb2.SitResponse:
    """The host's word that the bot has accepted the game, after so many seconds."""
    return host_pb2.SitResponse(answer=ACCEPT, think_us=round(1e6 * think))


def says_choice(index: int, think: float = 0.0) -> host_pb2.SitResponse:
    """The host's word that the bot has made this choice, after so many seconds."""
    choice = bot_pb2.PlayResponse(choice=bot_pb2.Choice(decision_id=1, index=index))
    answer = choice.SerializeToString()
    return host_pb2.SitResponse(answer=answer, think_us=round(1e6 * think))


async def say_in_turn(stream: Stream, *words: host_pb2.SitResponse) -> None:
    """Say on a stream of a seat one of these words after each message."""
    await stream.read()  # which seat
    for word in words:
        await stream.read()
        await stream.write(word.SerializeToString())


def streams_of(place: Place, *streams: tuple[host_pb2.SitResponse, ...]) -> list[Stream]:
    """Let each stream of a seat say these words in turn; return the streams that came."""
    came: list[Stream] = []

    async def sit(stream: Stream) -> None:
        came.append(stream)
        await say_in_turn(stream, *streams[len(came) - 1])
        await stream.read()

    place.handlers[SIT] = sit
    return came


def say_late(place: Place, came: list[Stream], number: int, word: host_pb2.SitResponse) -> None:
    """Say this word on the stream of that number when the host is asked if it is there."""

    async def status(stream: Stream) -> None:
        if len(came) > number:
            await came[number].write(word.SerializeToString())
        await stream.write(host_pb2.StatusResponse().SerializeToString())

    place.handlers[STATUS] = status


async def seated(place: Place) -> HostedSeat:
    """A seat at this host whose bot has accepted the game."""
    await place.caller.store(SHA256, [GOOD])
    seat = HostedSeat(place.caller, SHA256, "bot", "1")
    assert await seat.accept(invitation()) == b"nonce"
    return seat


async def test_a_bot_that_ends_every_stream_is_called_less_and_less(place: Place) -> None:
    calls = streams_of(place, *[(says_accept(), LOST)] * 99)
    seat = await seated(place)
    with steady_loop(), pytest.raises(SeatFault, match="No choice came within"):
        await seat.decide(begun(), 1, Allowance(2.0, 2.0))
    await seat.leave()
    assert len(calls) <= 14  # pauses of 0.05, 0.1 and then 0.2 s; one every 0.05 s makes 40


async def test_a_worker_that_stands_still_before_it_calls_again_takes_no_time_of_a_bot(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def standing_still(_: float) -> Iterator[float]:
        asyncio.get_running_loop().call_soon(time.sleep, 2.0)
        yield 0.05

    streams_of(place, (says_accept(), LOST), (says_accept(), says_choice(0)))
    monkeypatch.setattr("referee.hosting.hosted_seat.pauses", standing_still)
    seat = await seated(place)
    game = begun()
    chosen = await seat.decide(game, 1, Allowance(1.5, 1.5))
    assert chosen.move == game.position.legal_moves[0]
    await seat.leave()


@judged_again
async def test_a_worker_that_stands_still_as_lines_break_takes_no_time_of_a_bot(
    place: Place,
) -> None:
    last = [LOST, LOST, says_choice(0)]

    async def sit(stream: Stream) -> None:
        await say_in_turn(stream, says_accept(), GRANTED)
        await asyncio.sleep(0.1)
        if len(last) > 1:
            time.sleep(1.0)  # the worker is on the same loop
        await stream.write(last.pop(0).SerializeToString())
        await stream.read()

    place.handlers[SIT] = sit
    seat = await seated(place)
    game = begun()
    chosen = await seat.decide(game, 1, Allowance(1.5, 1.5))
    assert chosen.move == game.position.legal_moves[0]
    await seat.leave()


async def test_a_bot_that_breaks_its_stream_thinks_on_its_clock_until_it_is_back(
    place: Place,
) -> None:
    """It knows the question, and could think about it before it accepts the game again."""
    streams_of(place, (says_accept(), LOST), (says_accept(20.0), says_choice(0, 1.0)))
    seat = await seated(place)
    chosen = await seat.decide(begun(), 1, Allowance(600.0, 600.0))
    assert chosen.think >= 21
    await seat.leave()


async def test_a_host_that_breaks_off_interrupts_the_match(place: Place) -> None:
    seat, _, game = await accepted(place)
    deciding = asyncio.create_task(seat.decide(game, 1, Allowance(600.0, 600.0)))
    while not place.host.processors.thinking:
        await asyncio.sleep(0)
    place.end()
    with pytest.raises(HostLost, match=r"^The host unix:.*: UNAVAILABLE: "):
        await deciding
    await seat.leave()


@pytest.mark.parametrize(
    ("killed", "seconds", "why"), [(True, 60.0, HostLost), (False, 0.5, SeatFault)]
)
async def test_a_sandbox_that_something_outside_kills_interrupts_the_match(
    place: Place, seconds: float, why: type[Exception], *, killed: bool
) -> None:
    """As an operator may; a program that is killed inside is the bot's own."""
    seat, bot, game = await accepted(place)
    deciding = asyncio.create_task(seat.decide(game, 1, Allowance(seconds, seconds)))
    while not place.host.processors.thinking:
        await asyncio.sleep(0)
    place.sandboxes[0].exit_code, place.sandboxes[0].killed_from_outside = 137, killed
    place.leave_bots()
    bot.close()
    with pytest.raises(why):
        await deciding
    await seat.leave()


@judged_again
@pytest.mark.parametrize(("think", "counts"), [(0.1, True), (0.3, False)])
async def test_an_answer_that_comes_too_late_counts_if_it_was_given_in_time(
    place: Place, think: float, *, counts: bool
) -> None:
    """The host sends it before it says that it is there."""
    say_late(place, streams_of(place, (says_accept(), GRANTED)), 0, says_choice(1, think))
    seat = await seated(place)
    game = begun()
    deciding = seat.decide(game, 1, Allowance(0.2, 0.2))
    if counts:
        chosen = await deciding
        assert (chosen.move, chosen.think) == (game.position.legal_moves[1], think)
    else:
        with pytest.raises(SeatFault, match=r"No choice came within 0\.2 s"):
            await deciding
    await seat.leave()


@judged_again
async def test_a_bot_that_was_back_in_time_is_asked_though_its_accept_comes_too_late(
    place: Place,
) -> None:
    came = streams_of(place, (says_accept(), LOST), (GRANTED, says_choice(1)))
    say_late(place, came, 1, says_accept(0.1))
    seat = await seated(place)
    game = begun()
    chosen = await seat.decide(game, 1, Allowance(0.5, 0.5))
    assert chosen.move == game.position.legal_moves[1]
    await seat.leave()


@judged_again
async def test_what_a_bot_took_to_be_back_is_gone_if_its_answer_comes_too_late(
    place: Place,
) -> None:
    """It had 0.5 s for a choice: 0.4 s to accept again leave 0.1 s for its answer."""
    came = streams_of(place, (says_accept(), LOST), (says_accept(0.4), GRANTED))
    say_late(place, came, 1, says_choice(1, 0.3))
    seat = await seated(place)
    with pytest.raises(SeatFault, match=r"No choice came within 0\.5 s"):
        await seat.decide(begun(), 1, Allowance(0.5, 0.5))
    await seat.leave()
