"""Whatever stands in a replay file: a replay or ReplayError, nothing else, and in bounded time."""

import zlib
from collections.abc import Callable
from contextlib import suppress

from hypothesis import given, settings, strategies as st

from referee import replay as replays
from referee.errors import ReplayError
from referee.wire import replay_pb2
from tests.referee.games import DrawingBot, FaultyBot, local_game

bounded: Callable[..., object] = settings(max_examples=150)
Replay = replay_pb2.Replay

HEAD = b"SANTIAGO\x01"
GAMES = [
    local_game([DrawingBot, FaultyBot]),
    local_game([DrawingBot, FaultyBot, FaultyBot], seed=8),
]
MESSAGES = [game.SerializeToString(deterministic=True) for game in GAMES]
numbers = st.integers(0, 5) | st.integers(0, 2**31 - 1)


def use(replay: Replay) -> None:
    """All that is done with a replay that was read."""
    for consumer in (replays.verify, replays.frames, lambda it: list(replays.trace(it))):
        try:
            consumer(replay)
        except ReplayError as error:
            told = str(error)
            assert 0 < len(told) < 500, told


def read_message(message: bytes) -> None:
    """A file that holds these bytes, well packed."""
    try:
        replay = replays.read(HEAD + zlib.compress(message))
    except ReplayError:
        return
    use(replay)


def change_entry(replay: Replay, data: st.DataObject) -> None:
    """One entry is lost, doubled, the last, or says something else."""
    at = data.draw(st.integers(0, len(replay.entries) - 1))
    entry = replay.entries[at]
    change = data.draw(st.sampled_from(["drop", "repeat", "end", "seat", "action", "by", "dice"]))
    match change:
        case "drop":
            del replay.entries[at]
        case "repeat":
            replay.entries.insert(at, entry)
        case "end":
            del replay.entries[at:]
        case "seat":
            entry.chosen.seat = data.draw(numbers)
        case "action":
            entry.chosen.action = data.draw(numbers | st.integers(2**31, 2**64 - 1))
        case "by":
            entry.chosen.by = data.draw(numbers)  # type: ignore[assignment]
        case "dice":
            entry.roll.seat = data.draw(numbers)
            entry.roll.dice.citrus = data.draw(numbers)


@bounded
@given(st.binary(max_size=60))
def test_any_bytes_as_a_file(data: bytes) -> None:
    for file in (data, HEAD + data):
        with suppress(ReplayError):
            replays.read(file)


@bounded
@given(st.binary(max_size=60))
def test_any_bytes_as_a_message(message: bytes) -> None:
    read_message(message)


@bounded
@given(st.sampled_from(MESSAGES), st.data())
def test_a_message_with_bytes_changed(message: bytes, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(message) - 1))
        message = message[:at] + data.draw(st.binary(max_size=3)) + message[at + 1 :]
    read_message(message)


@bounded
@given(st.sampled_from(GAMES), st.data())
def test_a_replay_with_entries_changed(game: Replay, data: st.DataObject) -> None:
    replay = Replay.FromString(game.SerializeToString())
    for _ in range(data.draw(st.integers(1, 3))):
        if replay.entries:
            change_entry(replay, data)
    use(replay)


@bounded
@given(st.sampled_from(MESSAGES), st.sampled_from(MESSAGES), st.integers(0, 400))
def test_a_message_with_a_part_of_another_after_it(one: bytes, other: bytes, length: int) -> None:
    """Bytes of two messages one after the other are a message, in which fields add up."""
    read_message(one + other[:length])
    read_message(one + other)
