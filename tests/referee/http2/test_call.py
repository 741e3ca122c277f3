"""A call keeps to HTTP/2 and gRPC, whatever its peer does."""

import asyncio
import gzip
import re
import zlib

import pytest
from grpc import StatusCode

from referee import http2
from referee.http2 import frames as h2
from referee.http2.frames import PREFACE, frame, wider
from referee.http2.messages import PREFIX
from tests.referee.http2.peer import (
    MOST,
    SETTINGS,
    TIMEOUT,
    all_of,
    answer,
    called,
    data,
    headers,
    setting,
    trailers,
)

OK = trailers(("grpc-status", "0"))
LONGEST = b"x" * MOST


def compressed(packed: bytes) -> bytes:
    return frame(h2.DATA, 0, 1, b"\1" + len(packed).to_bytes(4, "big") + packed)


async def test_messages_go_both_ways() -> None:
    async with called() as (call, peer):
        await call.write(b"question")
        assert (await peer.hear(h2.DATA)).payload[PREFIX:] == b"question"
        await peer.say(answer(), data(b"one", b""), data(b"two"))
        assert [await call.read() for _ in range(3)] == [b"one", b"", b"two"]
        call.done_writing()
        assert (await peer.hear(h2.DATA)).flags == h2.END_STREAM
        await peer.say(OK)
        assert await call.read() is None
        assert call.ended is not None
        assert call.ended.code is StatusCode.OK


async def test_a_byte_at_a_time() -> None:
    async with called() as (call, peer):
        for byte in answer() + data(b"one", b"two") + OK:
            await peer.say(bytes([byte]))
        assert await all_of(call) == [b"one", b"two"]


async def test_messages_that_are_cut_anywhere() -> None:
    whole = data(b"one", b"", b"three")[9:]
    for cut in range(len(whole)):
        async with called() as (call, peer):
            parts = (frame(h2.DATA, 0, 1, part) for part in (whole[:cut], whole[cut:]))
            await peer.say(answer(), *parts, OK)
            assert await all_of(call) == [b"one", b"", b"three"]


async def test_padding_priority_and_headers_in_parts() -> None:
    block = headers((":status", "200"), ("content-type", "application/grpc"))[9:]
    async with called() as (call, peer):
        await peer.say(
            SETTINGS,
            frame(
                h2.HEADERS, h2.PADDED | h2.HAS_PRIORITY, 1, b"\3" + bytes(5) + block[:4] + bytes(3)
            ),
            frame(h2.CONTINUATION, 0, 1, block[4:6]),
            frame(h2.CONTINUATION, h2.END_HEADERS, 1, block[6:]),
            frame(h2.DATA, h2.PADDED, 1, b"\2" + data(b"one")[9:] + bytes(2)),
            frame(0x77, 0xFF, 5, b"of another time"),
            OK,
        )
        assert await all_of(call) == [b"one"]


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("gzip", gzip.compress(LONGEST)), ("deflate", zlib.compress(LONGEST))],
    ids=["gzip", "deflate"],
)
async def test_compressed_messages(encoding: str, packed: bytes) -> None:
    async with called() as (call, peer):
        await peer.say(answer(("grpc-encoding", encoding)), compressed(packed), OK)
        assert await all_of(call) == [LONGEST]


async def test_more_than_the_window_is_let_through_when_it_is_read() -> None:
    async with called() as (call, peer):
        await peer.say(answer())
        window = max(h2.WINDOW, 2 * MOST)
        given = 0
        for _ in range(3 * window // len(LONGEST)):
            await peer.say(data(LONGEST))
            assert await call.read() == LONGEST
            given += PREFIX + len(LONGEST)
            if given >= window // 2:
                more = await peer.hear(h2.WINDOW_UPDATE)
                while more.stream == 0 and more.number() != given:
                    more = await peer.hear(h2.WINDOW_UPDATE)  # the one at the beginning
                assert (await peer.hear(h2.WINDOW_UPDATE)).stream == 1
                given = 0


async def test_messages_that_fill_the_window_may_wait_to_be_read() -> None:
    size = PREFIX + len(LONGEST)
    last = b"y" * (h2.WINDOW % size - PREFIX)
    messages = [*[LONGEST] * (h2.WINDOW // size), last]
    async with called() as (call, peer):
        await peer.say(answer(), *map(data, messages), OK)
        await peer.hear_the_end()
        assert await all_of(call) == messages


async def test_padding_takes_nothing_from_the_window() -> None:
    async with called() as (call, peer):
        await peer.say(answer(), 500 * frame(h2.DATA, h2.PADDED, 1, b"\xff" + bytes(255)))
        await peer.say(data(b"one"), OK)
        assert await all_of(call) == [b"one"]


async def test_no_more_is_sent_than_the_peer_takes() -> None:
    async with called() as (call, peer):
        await peer.say(setting(h2.INITIAL_WINDOW_SIZE, 10))
        await peer.hear(h2.SETTINGS)
        assert (await peer.hear(h2.SETTINGS)).flags == h2.ACK
        assert not call.write_now(b"a" * 25)
        writing = asyncio.create_task(call.write(b"a" * 25))
        assert len((await peer.hear(h2.DATA)).payload) == 10
        await peer.say(wider(1, 15))
        assert len((await peer.hear(h2.DATA)).payload) == 15
        assert not writing.done()
        await peer.say(wider(1, 100))
        assert len((await peer.hear(h2.DATA)).payload) == 5
        await writing


async def test_long_messages_go_out_in_frames() -> None:
    async with called() as (call, peer):
        await peer.say(answer(), wider(1, 1_000_000))
        await peer.hear(h2.SETTINGS)
        await peer.hear(h2.SETTINGS)
        message = bytes(range(256)) * 400
        await call.write(message)
        heard = b""
        while len(heard) < PREFIX + len(message):
            part = (await peer.hear(h2.DATA)).payload
            assert len(part) <= h2.MAX_PAYLOAD
            heard += part
        assert heard[PREFIX:] == message


async def test_who_does_not_read_is_not_sent_more() -> None:
    """The peer opens all windows, and then reads nothing."""
    async with called() as (call, peer):
        window = h2.INITIAL_WINDOW_SIZE.to_bytes(2, "big") + h2.MAX_WINDOW.to_bytes(4, "big")
        most = frame(h2.WINDOW_UPDATE, 0, 0, (h2.MAX_WINDOW - h2.WINDOW).to_bytes(4, "big"))
        await peer.say(frame(h2.SETTINGS, 0, 0, window), most, answer(), data(b"ready"))
        assert await call.read() == b"ready"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await call.write(bytes(20_000_000))
        assert call.ended is not None
        assert call.ended.code is StatusCode.CANCELLED
        await call.write(b"nothing happens")
        assert call.write_now(b"here, too")


async def test_a_read_that_is_given_up_loses_nothing() -> None:
    async with called() as (call, peer):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await call.read()
        assert call.arrived() is None
        await peer.say(answer(), data(b"one"), data(b"two"))
        assert await call.read() == b"one"
        async with asyncio.timeout(TIMEOUT):
            while (message := call.arrived()) is None:
                await asyncio.sleep(0)
        assert message == b"two"


async def test_what_came_before_the_end_is_read() -> None:
    async with called() as (call, peer):
        await peer.say(answer(), data(b"one"), data(b"two"), OK)
        await peer.hear_the_end()
        assert await all_of(call) == [b"one", b"two"]


async def test_pings_are_answered() -> None:
    async with called() as (call, peer):
        for number in range(3):
            pong_of_theirs = frame(h2.PING, h2.ACK, 0, bytes([9] * 8))  # is not answered
            await peer.say(SETTINGS, pong_of_theirs, frame(h2.PING, 0, 0, bytes([number] * 8)))
            pong = await peer.hear(h2.PING)
            assert (pong.flags, pong.payload) == (h2.ACK, bytes([number] * 8))
        assert call.ended is None


async def test_a_call_that_hangs_up_says_so() -> None:
    async with called() as (call, peer):
        call.hang_up()
        assert (await peer.hear(h2.RST_STREAM)).number() == 8
        await peer.hear_the_end()


async def test_a_peer_that_goes_lets_the_stream_end() -> None:
    async with called() as (call, peer):
        goes = frame(h2.GOAWAY, 0, 0, (1).to_bytes(4, "big") + bytes(4))
        await peer.say(answer(), goes, data(b"one"), OK)
        assert await all_of(call) == [b"one"]
        assert call.ended is not None
        assert call.ended.code is StatusCode.OK


NOT_HTTP2 = {
    "another language": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "no settings": headers((":status", "200")),
    "settings of a wrong length": frame(h2.SETTINGS, 0, 0, bytes(5)),
    "a long frame": SETTINGS + (h2.MAX_PAYLOAD + 1).to_bytes(3, "big") + bytes(6),
    "data before headers": SETTINGS + data(b"one"),
    "data of another stream": answer() + frame(h2.DATA, 0, 3, bytes(5)),
    "headers of another stream": answer() + headers(("a", "b"), stream=3),
    "headers in the middle": answer() + headers(("a", "b")),
    "headers that do not go on": SETTINGS
    + frame(h2.HEADERS, 0, 1)
    + frame(h2.PING, 0, 0, bytes(8)),
    "data within headers": answer() + frame(h2.HEADERS, 0, 1) + data(b"one"),
    "headers from nowhere": answer() + frame(h2.CONTINUATION, h2.END_HEADERS, 1),
    "headers without an end": SETTINGS
    + frame(h2.HEADERS, 0, 1, bytes(16_000))
    + frame(h2.CONTINUATION, 0, 1, bytes(16_000)),
    "headers of nonsense": SETTINGS + frame(h2.HEADERS, h2.END_HEADERS, 1, b"\xff" * 40),
    "headers that are no text": SETTINGS + frame(h2.HEADERS, h2.END_HEADERS, 1, b"\0\1\xff\1\xff"),
    "only padding": answer() + frame(h2.DATA, h2.PADDED, 1, b"\xff" + bytes(4)),
    "padding of nothing": answer() + frame(h2.DATA, h2.PADDED, 1),
    "a push": answer() + frame(h2.PUSH_PROMISE, h2.END_HEADERS, 1, bytes(4)),
    "a reset of another stream": answer() + frame(h2.RST_STREAM, 0, 3, bytes(4)),
    "a short reset": answer() + frame(h2.RST_STREAM, 0, 1, bytes(3)),
    "a window that does not grow": answer() + frame(h2.WINDOW_UPDATE, 0, 1, bytes(4)),
    "a window that overflows": answer() + 2 * wider(1, h2.MAX_WINDOW),
    "a flood of pings": SETTINGS + 2000 * frame(h2.PING, 0, 0, bytes(8)),
    "a flood of nothing": answer() + 2000 * frame(h2.DATA, 0, 1),
    "a flood of headers": SETTINGS + frame(h2.HEADERS, 0, 1) + 2000 * frame(h2.CONTINUATION, 0, 1),
    "more than the window": answer() + 70 * data(LONGEST),
    "compressed without a word": answer() + compressed(gzip.compress(b"one")),
    "damaged": answer(("grpc-encoding", "gzip")) + compressed(b"no gzip at all"),
    "settings of a stream": frame(h2.SETTINGS, 0, 1),
    "settings that begin with an answer": frame(h2.SETTINGS, h2.ACK, 0),
    "an answer with settings": SETTINGS + frame(h2.SETTINGS, h2.ACK, 0, bytes(6)),
    "frames of no bytes": setting(h2.MAX_FRAME_SIZE, 0),
    "frames of too few bytes": setting(h2.MAX_FRAME_SIZE, h2.MAX_PAYLOAD - 1),
    "frames of too many bytes": setting(h2.MAX_FRAME_SIZE, 2**24),
    "a window of too many bytes": setting(h2.INITIAL_WINDOW_SIZE, 2**31),
    "a window that settings overflow": SETTINGS
    + frame(h2.WINDOW_UPDATE, 0, 1, (h2.MAX_WINDOW - h2.WINDOW).to_bytes(4, "big"))
    + setting(h2.INITIAL_WINDOW_SIZE, h2.WINDOW + 1),
    "pushes": setting(h2.ENABLE_PUSH, 1),
    "a window of another stream": answer() + frame(h2.WINDOW_UPDATE, 0, 3, b"\0\0\0\1"),
    "a short window": answer() + frame(h2.WINDOW_UPDATE, 0, 0, bytes(3)),
    "a long window": answer() + frame(h2.WINDOW_UPDATE, 0, 0, b"\0\0\0\1\0"),
    "a long reset": answer() + frame(h2.RST_STREAM, 0, 1, bytes(5)),
    "a ping of a stream": SETTINGS + frame(h2.PING, 0, 1, bytes(8)),
    "a short ping": SETTINGS + frame(h2.PING, 0, 0, bytes(7)),
    "a long ping": SETTINGS + frame(h2.PING, 0, 0, bytes(9)),
    "a short farewell": SETTINGS + frame(h2.GOAWAY, 0, 0, bytes(7)),
    "a farewell of a stream": SETTINGS + frame(h2.GOAWAY, 0, 1, bytes(8)),
    "a short priority": SETTINGS + frame(h2.PRIORITY, 0, 1, bytes(4)),
    "headers without their priority": SETTINGS
    + frame(h2.HEADERS, h2.HAS_PRIORITY | h2.END_HEADERS, 1, bytes(4)),
    "trailers without their priority": answer()
    + frame(h2.HEADERS, h2.HAS_PRIORITY | h2.END_HEADERS | h2.END_STREAM, 1, bytes(4)),
    "headers without a status": SETTINGS + headers(("content-type", "application/grpc")),
    "two statuses": SETTINGS + headers((":status", "200"), (":status", "200")),
    "a status of two digits": SETTINGS + headers((":status", "20")),
    "a status after the fields": SETTINGS + headers(("a", "b"), (":status", "200")),
    "a status in trailers": answer() + trailers((":status", "200"), ("grpc-status", "0")),
    "headers of a request": SETTINGS + headers((":status", "200"), (":path", "/")),
    "a hint that ends the stream": SETTINGS + trailers((":status", "103")),
    "capital letters": answer(("Grpc-Encoding", "gzip")),
    "a field without a name": answer(("", "gzip")),
    "a field of HTTP/1.1": answer(("transfer-encoding", "chunked")),
    "a field of two lines": answer(("a", "b\r\nc: d")),
    "a flood of settings": SETTINGS + 5 * setting(16, 0, times=2730),
    "a flood of unknown frames": SETTINGS + 5 * frame(0x77, 0, 0, bytes(h2.MAX_PAYLOAD)),
    "half": answer(("grpc-encoding", "gzip")) + compressed(gzip.compress(LONGEST)[:-9]),
}


@pytest.mark.parametrize("said", NOT_HTTP2.values(), ids=NOT_HTTP2)
async def test_what_is_no_http2_ends_the_call(said: bytes) -> None:
    async with called() as (call, peer):
        await peer.say(said)
        await peer.hear_the_end()
        assert call.ended is not None
        assert call.ended.code is StatusCode.UNKNOWN
        assert call.ended.details.startswith("Failed parsing HTTP/2: ")


def reset(error: int) -> bytes:
    return answer() + frame(h2.RST_STREAM, 0, 1, error.to_bytes(4, "big"))


ENDINGS = {
    "in order": (answer() + OK, StatusCode.OK, ""),
    "with words": (
        answer() + trailers(("grpc-status", "16"), ("grpc-message", "no%20key: %C3%BC")),
        StatusCode.UNAUTHENTICATED,
        "no key: ü",
    ),
    "at once": (
        SETTINGS + trailers((":status", "200"), ("grpc-status", "12")),
        StatusCode.UNIMPLEMENTED,
        "",
    ),
    "with an unknown number": (answer() + trailers(("grpc-status", "99")), StatusCode.UNKNOWN, ""),
    "without a number": (
        answer() + trailers(("grpc-status", "fine")),
        StatusCode.UNKNOWN,
        "the stream ended without a status",
    ),
    "with a number of many digits": (
        answer() + trailers(("grpc-status", "1" * 5000)),
        StatusCode.UNKNOWN,
        "the stream ended without a status",
    ),
    "with a number of other digits": (
        answer() + trailers(("grpc-status", "\u0663")),
        StatusCode.UNKNOWN,
        "the stream ended without a status",
    ),
    "with data": (answer() + data(b"x", flags=h2.END_STREAM), StatusCode.UNKNOWN, "the .* status"),
    "not found": (SETTINGS + trailers((":status", "404")), StatusCode.UNIMPLEMENTED, "HTTP .* 404"),
    "after a hint": (
        SETTINGS + headers((":status", "103")) + headers((":status", "503")),
        StatusCode.UNAVAILABLE,
        "HTTP status 503",
    ),
    "a page": (
        SETTINGS + headers((":status", "200"), ("content-type", "text/html")),
        StatusCode.UNKNOWN,
        "no gRPC, but 'text/html'",
    ),
    "refused": (reset(7), StatusCode.UNAVAILABLE, "the stream was reset with HTTP/2 error 7"),
    "cancelled": (reset(8), StatusCode.CANCELLED, ".* error 8"),
    "reset": (reset(2), StatusCode.INTERNAL, ".* error 2"),
    "no more streams": (
        SETTINGS + frame(h2.GOAWAY, 0, 0, bytes(8)),
        StatusCode.UNAVAILABLE,
        "the peer takes no more streams",
    ),
    "too long": (
        answer() + data(LONGEST + b"x"),
        StatusCode.RESOURCE_EXHAUSTED,
        rf"a message was larger than max \({MOST + 1} bytes of {MOST}\)",
    ),
    "too many": (
        answer() + data(*[b""] * 200),
        StatusCode.RESOURCE_EXHAUSTED,
        r"a message was larger than max \(101 messages that nobody asked for\)",
    ),
    "a bomb": (
        answer(("grpc-encoding", "gzip")) + compressed(gzip.compress(bytes(500_000))),
        StatusCode.RESOURCE_EXHAUSTED,
        rf"a message was larger than max \(more than {MOST} bytes, compressed\)",
    ),
}


@pytest.mark.parametrize(("said", "code", "details"), ENDINGS.values(), ids=ENDINGS)
async def test_how_a_call_ends(said: bytes, code: StatusCode, details: str) -> None:
    async with called() as (call, peer):
        await peer.say(said)
        await all_of(call)
        assert call.ended is not None
        assert call.ended.code is code
        assert re.fullmatch(details, call.ended.details)


async def test_a_line_that_breaks() -> None:
    async with called() as (call, peer):
        await peer.say(answer(), data(b"one"))
        for _ in range(2):  # the second one answers ours: nothing is under way any more
            await peer.hear(h2.SETTINGS)
        peer.close()
        assert await all_of(call) == [b"one"]
        assert call.ended is not None
        assert str(call.ended) == "UNAVAILABLE: the connection was closed"


def test_the_preface_is_the_standards() -> None:
    assert PREFACE.hex() == "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a"  # RFC 9113, 3.4


def test_each_limit_of_the_table_is_a_case_here() -> None:
    rows = [row.strip("| ").split(" | ") for row in http2.__doc__.splitlines() if row[:2] == "| "]
    tests = [case for *_, cases in rows[1:] for case in cases.split(", ")]
    assert len(tests) >= len(rows) > 10
    assert set(tests) <= NOT_HTTP2.keys() | ENDINGS.keys()
