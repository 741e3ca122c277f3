"""Our server of gRPC serves gRPC's own client, and ours."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc import StatusCode

from referee.http2 import MAX_DETAILS, frames as h2, server
from referee.http2.call import connect
from referee.http2.frames import frame, wider
from referee.http2.messages import prefixed
from referee.http2.server import Handler, Refusal, Stream, serve
from tests.conftest import free_port
from tests.referee.http2.peer import SETTINGS, TIMEOUT, calling, data, request, setting

MOST = 5 << 20


async def echo(stream: Stream) -> None:
    while (message := await stream.read()) is not None:
        await stream.write(message)


async def refuse(stream: Stream) -> None:
    raise Refusal(StatusCode.NOT_FOUND, f"not {stream.metadata['who']}, 100 % sure")


async def complain(stream: Stream) -> None:
    raise Refusal(StatusCode.UNKNOWN, "\udc80" + 9_999 * "😀")


@asynccontextmanager
async def served(folder: Path, **handlers: Handler) -> AsyncIterator[str]:
    address = f"unix:{folder / 'socket'}"
    serves = await serve(address, {f"/S/{name}": each for name, each in handlers.items()}, MOST)
    try:
        yield address
    finally:
        serves.close()


def channel(address: str) -> Any:
    return grpc.aio.insecure_channel(address, options=[("grpc.max_receive_message_length", MOST)])


async def test_messages_of_any_length_to_the_client_of_grpc(tmp_path: Path) -> None:
    sent = [b"", b"short", b"x" * (4 << 20), b"end"]
    async with served(tmp_path, echo=echo) as address, channel(address) as grpcs:
        call = grpcs.stream_stream("/S/echo")(iter(sent))
        assert [message async for message in call] == sent
        assert await call.code() is StatusCode.OK


async def test_details_that_are_too_long_for_a_frame_are_cut(tmp_path: Path) -> None:
    """They would end the whole connection, with all other calls."""
    handlers = {"echo": echo, "complain": complain}
    async with served(tmp_path, **handlers) as address, channel(address) as grpcs:
        other = grpcs.stream_stream("/S/echo")()
        await other.write(b"before")
        assert await other.read() == b"before"
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await grpcs.unary_unary("/S/complain")(b"")
        assert failed.value.code() is StatusCode.UNKNOWN
        assert failed.value.details() == "?" + (MAX_DETAILS - 1) * "😀"
        await other.write(b"after")
        assert await other.read() == b"after"


async def test_many_calls_at_once_on_one_connection(tmp_path: Path) -> None:
    async with served(tmp_path, echo=echo) as address, channel(address) as grpcs:
        ask = grpcs.unary_unary("/S/echo")
        asked = [str(number).encode() * 50_000 for number in range(40)]
        assert await asyncio.gather(*map(ask, asked)) == asked


async def test_padding_does_not_end_a_request(tmp_path: Path) -> None:
    async with served(tmp_path, echo=echo) as address, calling(address) as peer:
        await peer.say(h2.PREFACE, SETTINGS, request("/S/echo"))
        for flags, before, after in ((h2.PADDED, b"\2", bytes(2)), (h2.END_STREAM, b"", b"")):
            await peer.say(frame(h2.DATA, flags, 1, before + prefixed(b"more") + after))
            assert (await peer.hear(h2.DATA)).content() == prefixed(b"more")


async def test_a_request_that_comes_in_parts(tmp_path: Path) -> None:
    asked = request("/S/echo")[9:]
    parts = (h2.PREFACE[:5], h2.PREFACE[5:] + SETTINGS, frame(h2.HEADERS, 0, 1, asked[:3]))
    async with served(tmp_path, echo=echo) as address, calling(address) as peer:
        for part in (*parts, frame(h2.CONTINUATION, 0, 1, asked[3:5])):
            await peer.say(part)
            await asyncio.sleep(0.01)
        await peer.say(frame(h2.CONTINUATION, h2.END_HEADERS, 1, asked[5:]), data(b"one"))
        assert (await peer.hear(h2.DATA)).payload == prefixed(b"one")


async def test_a_request_without_a_message(tmp_path: Path) -> None:
    async with served(tmp_path, echo=echo) as address, calling(address) as peer:
        await peer.say(h2.PREFACE, SETTINGS)
        await peer.say(request("/S/echo", h2.END_HEADERS | h2.END_STREAM))
        assert (await peer.hear(h2.HEADERS)).flags & h2.END_STREAM


async def test_a_caller_is_told_that_nothing_more_is_wanted(tmp_path: Path) -> None:
    """RFC 9113, 8.1: a whole answer before the end of the request, then an error of 0."""
    async with served(tmp_path) as address, calling(address) as peer:
        await peer.say(h2.PREFACE, SETTINGS, request("/S/other"))
        assert (await peer.hear(h2.HEADERS)).flags & h2.END_STREAM
        assert (await peer.hear(h2.RST_STREAM)).number() == 0


async def test_no_more_is_sent_than_the_peer_takes(tmp_path: Path) -> None:
    """It takes 5 bytes at first, then by a setting as many more, then all."""

    async def answer(stream: Stream) -> None:
        assert not stream.write_now(b"a" * 20)
        await stream.write(b"a" * 20)
        assert stream.write_now(b"b")

    async with served(tmp_path, answer=answer) as address, calling(address) as peer:
        await peer.say(h2.PREFACE, setting(h2.INITIAL_WINDOW_SIZE, 5), request("/S/answer"))
        heard = [(await peer.hear(h2.DATA)).payload]
        await peer.say(setting(h2.INITIAL_WINDOW_SIZE, 10))
        heard.append((await peer.hear(h2.DATA)).payload)
        await peer.say(wider(1, 100))
        heard += [(await peer.hear(h2.DATA)).payload for _ in range(2)]
        assert [len(part) for part in heard] == [5, 5, 15, 6]
        assert b"".join(heard) == prefixed(b"a" * 20) + prefixed(b"b")


async def test_a_call_that_was_given_up_leaves_the_others_alone(tmp_path: Path) -> None:
    """Its handler waited for room to write, and its messages still come."""
    async with served(tmp_path, echo=echo, refuse=refuse) as address, calling(address) as peer:
        await peer.say(h2.PREFACE, setting(h2.INITIAL_WINDOW_SIZE, 5), request("/S/echo"))
        await peer.say(data(b"more than five bytes"))
        await peer.hear(h2.DATA)
        await peer.say(frame(h2.RST_STREAM, 0, 1, bytes(4)))
        await peer.say(data(b"more"), wider(0, 100), frame(h2.PING, 0, 0, bytes(8)))
        assert (await peer.hear(h2.PING)).flags == h2.ACK


async def test_a_connection_does_not_stop_after_many_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_CONNECTION_WINDOW", 2 * h2.WINDOW)
    async with served(tmp_path, echo=echo) as address:
        call = await connect(address, "/S/echo", MOST)
        async with asyncio.timeout(TIMEOUT):
            for _ in range(5):
                await call.write(bytes(h2.WINDOW))
                assert await call.read() == bytes(h2.WINDOW)
        call.hang_up()
        await call.gone()


async def test_our_own_client(tmp_path: Path) -> None:
    async with served(tmp_path, echo=echo) as address:
        call = await connect(address, "/S/echo", MOST)
        for message in (b"one", b"x" * (3 << 20), b""):
            await call.write(message)
            assert await call.read() == message
        call.done_writing()
        assert await call.read() is None
        assert call.ended is not None
        assert call.ended.code is StatusCode.OK
        await call.gone()


@pytest.mark.parametrize(
    ("method", "code", "details"),
    [
        ("refuse", StatusCode.NOT_FOUND, "not me, 100 % sure"),
        ("other", StatusCode.UNIMPLEMENTED, "no method /S/other"),
    ],
)
async def test_refusals_have_status_and_words(
    tmp_path: Path, method: str, code: StatusCode, details: str
) -> None:
    async with served(tmp_path, refuse=refuse) as address, channel(address) as grpcs:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await grpcs.unary_unary(f"/S/{method}")(b"", metadata=[("who", "me")])
        assert (raised.value.code(), raised.value.details()) == (code, details)


async def test_handler_that_fails_is_an_internal_error(tmp_path: Path) -> None:
    async def fail(stream: Stream) -> None:
        raise KeyError(stream.method)

    async with served(tmp_path, fail=fail) as address, channel(address) as grpcs:
        with pytest.raises(grpc.aio.AioRpcError, match="KeyError"):
            await grpcs.unary_unary("/S/fail")(b"")


async def test_handler_is_cancelled_when_its_caller_hangs_up(tmp_path: Path) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(stream: Stream) -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with served(tmp_path, wait=wait) as address:
        call = await connect(address, "/S/wait", MOST)
        await begun.wait()
        call.hang_up()
        await cancelled.wait()
        await call.gone()


async def test_writer_waits_for_a_reader_that_is_slow(tmp_path: Path) -> None:
    written = 0

    async def flood(stream: Stream) -> None:
        nonlocal written
        await stream.read()
        for _ in range(100):
            await stream.write(b"x" * 100_000)
            written += 1

    async with served(tmp_path, flood=flood) as address:
        call = await connect(address, "/S/flood", 100_000)
        await call.write(b"")
        assert await call.read() == b"x" * 100_000
        assert written < 100
        for _ in range(99):
            assert await call.read() == b"x" * 100_000
        assert await call.read() is None
        await call.gone()


async def test_peer_that_speaks_no_http2_is_hung_up_on(tmp_path: Path) -> None:
    async with served(tmp_path, echo=echo) as address:
        reader, writer = await asyncio.open_unix_connection(address.removeprefix("unix:"))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1000)
        writer.close()


def test_a_system_may_lack_a_way_to_notice_who_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listening:
        before = listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        monkeypatch.delattr(socket, "TCP_KEEPIDLE")
        server._notice_absence(listening)
        monkeypatch.undo()
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == before != 10
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) == 5


async def test_a_peer_whose_machine_is_gone_is_noticed() -> None:
    """The system asks for it now and then, and gives up what it sends in vain."""
    asked = asyncio.get_running_loop().create_future()

    async def answer(stream: Stream) -> None:
        transport = stream._connection._transport
        asked.set_result(transport.get_extra_info("socket"))
        await stream.write(b"")

    address = f"127.0.0.1:{free_port()}"
    serves = await serve(address, {"/S/answer": answer}, MOST)
    async with channel(address) as grpcs:
        await grpcs.unary_unary("/S/answer")(b"")
        accepted = await asked
        assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
    serves.close()
