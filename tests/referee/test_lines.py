"""Lost lines: a lost connection is no fault; whoever is back in time plays on."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Thread

import grpc
import pytest

from referee.clock import Clock
from referee.errors import Interrupted
from referee.faults import FaultCode
from referee.game import Game
from referee.replay import verify
from referee.seats.description import describe
from referee.serving import begun, follow
from tests import hostile_bots as hostile
from tests.hostile_bots import HostileBot, Spoil
from tests.referee.games import bot_process, match_of, play
from tests.referee.patience import BRIEF, judged_again, unreachable
from tests.referee.test_faults import HASTY, fault_codes, faults_of, judged, nothing_runs_on

NewAddress = Callable[[], str]


async def test_a_line_that_drops_again_and_again(new_address: NewAddress, good_bot: str) -> None:
    """The bot drops every tenth request, those that come with a new line included."""
    with HostileBot(new_address(), hostile.drops_the_line, lambda n: n % 10 == 4) as bot:
        replay = await judged(match_of([good_bot, bot.address, good_bot]))
        assert await asyncio.to_thread(bot.left_alone)
    assert not faults_of(replay)
    assert len(bot.streams) > 4
    assert bot.most_live == 1  # the old line is hung up before the new one is dialled
    first, *later = bot.streams
    assert not first[0].start.resumed
    for line in later:
        start = line[0].start
        assert start.resumed
        start.resumed = False
        assert start == first[0].start


async def test_a_new_line_gets_the_game_so_far_and_the_same_decision(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.drops_the_line, lambda n: n == 9) as bot:
        replay = await judged(match_of([good_bot, bot.address]))
    assert not faults_of(replay)
    before, after = bot.streams
    assert before[-1].decision.id == after[1].decision.id
    assert before[-1].decision.view == after[1].decision.view
    assert before[-1].decision.legal == after[1].decision.legal
    assert 0 < after[1].decision.time_left_ms < before[-1].decision.time_left_ms
    assert 0 < after[1].decision.bank_left_ms < before[-1].decision.bank_left_ms
    told_before = [event for request in before for event in request.events]
    assert list(after[1].events) == told_before
    position = begun(after[0].start)
    for request in after:
        follow(position, request)
    assert position.is_over


@judged_again
async def test_a_bot_that_does_not_come_back_runs_out_of_time(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.drops_the_line, lambda n: n > 3) as bot:
        replay = await judged(match_of([good_bot, bot.address, good_bot], HASTY))
        assert await asyncio.to_thread(bot.left_alone)
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]
    sentence = faults_of(replay)[0].sentence  # everybody reads it
    assert sentence.endswith(": there was no connection to it.")
    assert bot.address not in sentence
    assert replay.result.ranks[1] == 3


async def test_a_bot_that_comes_back_with_nonsense_faults(
    new_address: NewAddress, good_bot: str
) -> None:
    def drops_then_talks(request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        wrong = hostile.chooses if request.HasField("start") else hostile.drops_the_line
        yield from wrong(request, context)

    with HostileBot(new_address(), drops_then_talks, lambda n: n > 3) as bot:
        replay = await judged(match_of([good_bot, bot.address]))
    assert replay.entries[-1].fault.sentence == "The bot sent choice instead of accept."


# Real processes that die.


async def test_a_process_that_dies_and_is_started_again(
    new_address: NewAddress, good_bot: str, tmp_path: Path
) -> None:
    """It dies while it thinks about a decision, and is back within its time."""
    target, address, grave = "tests.referee.mortal_bot:MortalBot", new_address(), tmp_path / "grave"
    with bot_process(target, address, GRAVE=str(grave)) as bot:
        await asyncio.to_thread(describe, address, hostile.LONG)
        game = asyncio.create_task(play(match_of([address, good_bot])))
        await asyncio.to_thread(bot.wait, hostile.LONG)
        died = time.monotonic()
        assert grave.exists()
        await asyncio.sleep(0.3)  # longer than any other decision takes
        with bot_process(target, address, GRAVE=str(grave)):
            absent = time.monotonic() - died
            replay = await game
    verify(replay)
    assert not faults_of(replay)
    slowest = max(entry.chosen.think_us for entry in replay.entries)
    assert slowest > 1e6 * absent  # the time without a process was the bot's own


@judged_again
async def test_a_process_that_dies_for_good(new_address: NewAddress, good_bot: str) -> None:
    address = new_address()
    with bot_process("sample_bots.random_bot:RandomBot", address) as bot:
        await asyncio.to_thread(describe, address, hostile.LONG)

        def kill(game: Game) -> None:
            if len(game.events) == 20:
                bot.kill()
                bot.wait()

        replay = await play(match_of([good_bot, address, good_bot], HASTY), kill)
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]


# Before the game was accepted.

REFUSALS: dict[Spoil, str] = {
    hostile.silent: "did not accept the game within ",
    hostile.closes: "ended the stream",
    hostile.crashes: "no idea",
    hostile.garbage: "not a PlayResponse",
    hostile.chooses: "sent choice instead of accept",
    hostile.long_nonce: "33 bytes; at most 32",
    hostile.oversize: "too much",
    hostile.drops_the_line: r"no connection to .* \(UNAVAILABLE: gone for a moment\)",
}


@pytest.mark.parametrize("spoil", REFUSALS, ids=lambda spoil: spoil.__name__)
async def test_a_bot_that_does_not_accept(
    spoil: Spoil, new_address: NewAddress, good_bot: str
) -> None:
    with (
        HostileBot(new_address()) as witness,
        HostileBot(new_address(), spoil, lambda _: True) as bot,
    ):
        addresses = [good_bot, bot.address, witness.address]
        error = await unreachable(addresses, f"seat 1 .*{REFUSALS[spoil]}")
        assert await asyncio.to_thread(witness.left_alone)  # the others are let go
        assert await asyncio.to_thread(bot.left_alone)
    assert error.seat == 1
    assert [request.WhichOneof("message") for request in witness.streams[-1]] == ["start"]
    await nothing_runs_on()


@pytest.mark.parametrize("address", ["unix:/nowhere/bot", "127.0.0.1:1", "no such host", ""])
async def test_nobody_listens(address: str, good_bot: str) -> None:
    error = await unreachable([address, good_bot], "The bot at seat 0 could not be reached: ")
    assert error.seat == 0
    await nothing_runs_on()


async def test_another_service_listens(new_address: NewAddress, good_bot: str) -> None:
    server = grpc.server(ThreadPoolExecutor(1))
    address = new_address()
    server.add_insecure_port(address)
    server.start()
    await unreachable([address, good_bot], "UNIMPLEMENTED")
    server.stop(None).wait()


async def test_something_else_listens(good_bot: str) -> None:
    """A program that speaks another language than gRPC."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=answer_in_http, args=[server], daemon=True).start()
        port = server.getsockname()[1]
        await unreachable([f"127.0.0.1:{port}", good_bot], "seat 0 ")
    await nothing_runs_on()


def answer_in_http(server: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.close()


# The platform's own trouble.


async def test_a_match_that_is_given_up_leaves_nothing(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.silent) as bot:
        match = asyncio.create_task(play(match_of([good_bot, bot.address])))
        async with asyncio.timeout(60):
            while not any(r.HasField("decision") for line in bot.streams for r in line[-1:]):
                await asyncio.sleep(0.001)
        match.cancel()
        with pytest.raises(asyncio.CancelledError):
            await match
        assert await asyncio.to_thread(bot.left_alone)
    await nothing_runs_on()


@pytest.mark.parametrize("answers", [False, True])
async def test_a_busy_referee_blames_no_bot(
    answers: bool, new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop is blocked while the time runs out. An answer that came meanwhile counts."""
    monkeypatch.setattr("referee.seats.streamed.LEAST_EXCUSE", 0.0)
    loop = asyncio.get_running_loop()

    def block(request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        loop.call_soon_threadsafe(time.sleep, 0.8)
        if answers:
            yield from hostile.honest(request, context)

    with HostileBot(new_address(), block) as bot:
        game = play(match_of([good_bot, bot.address], Clock(0.5, 60, 1)))
        if answers:
            assert not faults_of(await game)
        else:
            with pytest.raises(Interrupted, match="lagged"):
                await game
        assert await asyncio.to_thread(bot.left_alone)
    await nothing_runs_on()


async def test_a_busy_referee_does_not_call_a_bot_unreachable(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.seats.streamed.LEAST_EXCUSE", 0.0)
    loop = asyncio.get_running_loop()

    def block(request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        loop.call_soon_threadsafe(time.sleep, 0.8)
        yield from ()

    with HostileBot(new_address(), block, lambda n: n == 0) as bot:
        with pytest.raises(Interrupted, match="lagged"):
            await play(match_of([good_bot, bot.address], BRIEF))
        assert await asyncio.to_thread(bot.left_alone)
    await nothing_runs_on()


def test_a_program_ends_although_a_stream_was_not_drained(new_address: NewAddress) -> None:
    """A process that plays against bots that talk on, and then returns, must not hang."""
    program = (
        "import asyncio, sys\n"
        "from tests.referee.games import match_of, play\n"
        "asyncio.run(play(match_of(sys.argv[1:])))\n"
    )
    with HostileBot(new_address(), hostile.flood) as bot, HostileBot(new_address()) as other:
        command = [sys.executable, "-c", program, bot.address, other.address]
        subprocess.run(command, check=True, timeout=hostile.LONG)
        assert bot.left_alone()
