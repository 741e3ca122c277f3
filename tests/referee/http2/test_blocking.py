"""The server of bots in sandboxes serves our client, each call in a thread of its own."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from grpc import StatusCode

from referee import service
from referee.http2 import MAX_DETAILS, blocking, frames as h2
from referee.http2.call import Call, connect
from referee.http2.frames import PREFACE, frame, wider
from referee.http2.messages import prefixed
from referee.processes import may_listen
from referee.serving import ADDRESS_VARIABLE, HOSTED_VARIABLE
from referee.wire import bot_pb2
from tests.referee.games import match_of, play
from tests.referee.http2.peer import calling, data, request, setting

MOST = 5 << 20
OVER = threading.Event()


def echo(requests: Iterator[bytes], _: blocking.Context) -> Iterator[bytes]:
    return requests


def refuse(requests: Iterator[bytes], context: blocking.Context) -> Iterator[bytes]:
    yield next(requests)
    context.abort(StatusCode.NOT_FOUND, "not me, 100 % sure")


def complain(requests: Iterator[bytes], context: blocking.Context) -> Iterator[bytes]:
    yield next(requests)
    context.abort(StatusCode.UNKNOWN, "\udc80" + 9_999 * "😀")


def think(requests: Iterator[bytes], context: blocking.Context) -> Iterator[bytes]:
    """Answer when the caller has hung up."""
    for asked in requests:
        OVER.clear()
        assert context.add_callback(OVER.set)
        yield asked
        OVER.wait(30)
        yield asked


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bot") / "socket"
    methods = {f"/S/{each.__name__}": each for each in (echo, refuse, complain, think)}
    arguments = (blocking.listen(str(path)), methods, MOST)
    threading.Thread(target=blocking.serve, args=arguments, daemon=True).start()
    return f"unix:{path}"


async def ended(call: Call) -> tuple[StatusCode, str]:
    assert await call.read() is None
    assert call.ended is not None
    return call.ended.code, call.ended.details


async def test_messages_of_any_length_both_ways(address: str) -> None:
    call = await connect(address, "/S/echo", MOST)
    for message in (b"one", b"x" * (4 << 20), b"", b"y" * (4 << 20), b"z"):
        await call.write(message)
        assert await call.read() == message
    call.done_writing()
    assert await ended(call) == (StatusCode.OK, "")


async def test_details_that_are_too_long_for_a_frame_are_cut(address: str) -> None:
    call = await connect(address, "/S/complain", MOST)
    await call.write(b"one")
    assert await call.read() == b"one"
    assert await ended(call) == (StatusCode.UNKNOWN, "?" + (MAX_DETAILS - 1) * "😀")


async def test_several_calls_at_once(address: str) -> None:
    calls = [await connect(address, "/S/echo", MOST) for _ in range(5)]
    for number, call in enumerate(calls):
        await call.write(b"%d" % number)
    assert [await call.read() for call in calls] == [b"%d" % number for number in range(5)]
    for call in calls:
        call.hang_up()


@pytest.mark.parametrize(
    ("method", "answers", "end"),
    [
        ("refuse", [b"asked"], (StatusCode.NOT_FOUND, "not me, 100 % sure")),
        ("other", [], (StatusCode.UNIMPLEMENTED, "no method /S/other")),
    ],
)
async def test_a_call_ends_with_a_status(
    address: str, method: str, answers: list[bytes], end: tuple[StatusCode, str]
) -> None:
    call = await connect(address, f"/S/{method}", MOST)
    await call.write(b"asked")
    assert [await call.read() for _ in answers] == answers
    assert await ended(call) == end


async def test_a_bot_that_thinks_hears_that_its_caller_hung_up(address: str) -> None:
    call = await connect(address, "/S/think", MOST)
    await call.write(b"asked")
    assert await call.read() == b"asked"
    call.hang_up()
    assert await asyncio.to_thread(OVER.wait, 30)


async def test_no_more_is_sent_than_the_caller_takes(address: str) -> None:
    """It is asked for more, or for a sign of life, while it waits for room."""
    async with calling(address) as peer:
        await peer.say(PREFACE, setting(h2.INITIAL_WINDOW_SIZE, 5), request("/S/echo"))
        await peer.say(data(b"a" * 20))
        heard = (await peer.hear(h2.DATA)).payload
        pong_of_theirs = frame(h2.PING, h2.ACK, 0, bytes(8))  # is not answered
        await peer.say(pong_of_theirs, frame(h2.PING, 0, 0, b"pingpong"))
        assert (await peer.hear(h2.PING))[1:] == (h2.ACK, 0, b"pingpong")
        await peer.say(wider(1, 100))
        assert heard + (await peer.hear(h2.DATA)).payload == prefixed(b"a" * 20)


def test_a_callback_that_comes_too_late_is_not_called() -> None:
    context, called = blocking.Context(), list[str]()
    assert context.add_callback(lambda: called.append("in time"))
    context.end()
    assert not context.add_callback(lambda: called.append("late"))
    assert called == ["in time"]


@pytest.mark.parametrize(
    "bytes_", [b"", PREFACE, b"GET / HTTP/1.1\r\n" * 9, PREFACE + b"\xff" * 99]
)
async def test_what_is_no_call_harms_no_other(address: str, bytes_: bytes) -> None:
    heard = b""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(address.removeprefix("unix:"))
        caller.sendall(bytes_)
        caller.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):  # it has left some of it unread
            while more := caller.recv(1000):
                heard += more
    assert bytes_.startswith(PREFACE) or not heard
    call = await connect(address, "/S/echo", MOST)
    await call.write(b"still here")
    assert await call.read() == b"still here"
    call.hang_up()


BOT = """
from referee.bot import Bot

class Mine(Bot):
    def choose(self, decision):
        if decision.position.turn == TURN:
            raise ArithmeticError("no idea")
        return decision.moves[0]
"""
LINES = """
import json, sys

for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "decision":
        print(line["legal"][0], flush=True)
"""
KIT = ("referee.serving", "bot:Mine")
PROGRAM = ("referee.hosting.lines", sys.executable, "bot.py")


@contextmanager
def hosted(folder: Path, source: str, *command: str) -> Iterator[tuple[str, int]]:
    """The address and the process of a bot that a host has started."""
    (folder / "bot.py").write_text(source)
    address = f"unix:{folder}/socket"
    variables = os.environ | {HOSTED_VARIABLE: "1", ADDRESS_VARIABLE: address}
    variables |= {"PYTHONPATH": f"{folder}:{Path(service.__file__).parents[1]}"}
    with subprocess.Popen([sys.executable, "-m", *command], env=variables, cwd=folder) as bot:
        try:
            while not may_listen(address):
                assert bot.poll() is None
            yield address, bot.pid
        finally:
            bot.kill()


@pytest.mark.parametrize(
    ("source", "command"),
    [(BOT.replace("TURN", "-1"), KIT), (LINES, PROGRAM)],
    ids=["kit", "lines"],
)
async def test_hosted_bots_play_games(
    tmp_path: Path, good_bot: str, source: str, command: tuple[str, ...]
) -> None:
    with hosted(tmp_path, source, *command) as (address, _):
        for _ in range(2):
            replay = await play(match_of([address, good_bot]))
            assert not any(entry.HasField("fault") for entry in replay.entries)
            assert len(replay.result.scores) == 2


async def test_an_error_of_a_hosted_bot_ends_its_game_with_its_words(
    tmp_path: Path, good_bot: str
) -> None:
    with hosted(tmp_path, BOT.replace("TURN", "3"), *KIT) as (address, _):
        replay = await play(match_of([address, good_bot]))
        (fault,) = [entry.fault for entry in replay.entries if entry.HasField("fault")]
        assert "ArithmeticError: no idea (bot.py, line 7)" in fault.sentence


async def test_a_hosted_bot_has_no_threads_but_its_games_and_one(tmp_path: Path) -> None:
    """Frozen and thawed, each thread costs a decision some microseconds."""
    with hosted(tmp_path, BOT.replace("TURN", "-1"), *KIT) as (address, process):
        call = await connect(address, service.DESCRIBE, service.MAX_FROM_BOT)
        await call.write(b"")
        said = bot_pb2.DescribeResponse.FromString(await call.read() or b"")
        assert said.protocol_version == service.PROTOCOL_VERSION
        assert await ended(call) == (StatusCode.OK, "")
        await call.gone()
        calls = [await connect(address, service.PLAY, service.MAX_FROM_BOT) for _ in range(3)]
        threads = Path(f"/proc/{process}/task")
        while len(list(threads.iterdir())) != 1 + len(calls):
            await asyncio.sleep(0)
