"""The replay file: what is written is read, and nothing else is."""

import tracemalloc
import zlib

import pytest

from referee import replay as replays
from referee.errors import ReplayError
from referee.wire import replay_pb2
from tests.referee.games import DrawingBot, FaultyBot, local_game

HEAD = b"SANTIAGO\x01"


def small_file() -> bytes:
    return replays.write(replay_pb2.Replay(match_id="small", attempt=3, dice_seed=bytes(32)))


def test_what_is_written_is_read() -> None:
    for bots in ([DrawingBot] * 3, [DrawingBot, FaultyBot]):
        replay = local_game(bots)
        data = replays.write(replay)
        assert replays.read(data) == replay
        assert replays.write(replays.read(data)) == data


def test_a_game_is_small() -> None:
    assert len(replays.write(local_game([DrawingBot] * 4))) < 4000


def test_every_flipped_bit_is_noticed() -> None:
    data = small_file()
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ReplayError):
            replays.read(bytes(flipped))


def test_a_file_that_is_cut_short_is_refused() -> None:
    data = small_file()
    for length in range(len(data)):
        with pytest.raises(ReplayError):
            replays.read(data[:length])


def test_bytes_after_the_end_are_refused() -> None:
    with pytest.raises(ReplayError, match="bytes after its end"):
        replays.read(small_file() + b"\0")


def test_another_format_version_is_named() -> None:
    with pytest.raises(ReplayError, match="format version 2; this program reads 1"):
        replays.read(b"SANTIAGO\x02" + small_file()[9:])


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(ReplayError, match="not a replay"):
        replays.read(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("field", ["name", "version", "author"])
def test_names_that_would_speak_to_the_terminal_are_refused(field: str) -> None:
    replay = local_game([DrawingBot, FaultyBot])
    setattr(replay.seats[1], field, "\x1b[2Jquiet")
    with pytest.raises(ReplayError, match="names at seat 1 of the replay can't be printed"):
        replays.read(replays.write(replay))


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(ReplayError, match="damaged"):
        replays.read(HEAD + zlib.compress(b"\xff" * 50))


def test_a_bomb_does_not_go_off() -> None:
    bomb = HEAD + zlib.compress(bytes(100_000_000), level=1)
    tracemalloc.start()
    with pytest.raises(ReplayError, match="too large"):
        replays.read(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40_000_000
