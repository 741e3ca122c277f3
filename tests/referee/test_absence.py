"""A seat whose bot did not appear: a caretaker plays it from the start."""

import json
from collections.abc import Callable
from functools import cache

import pytest

from ladder.live.game import frame
from referee.errors import ReplayError
from referee.game import Game
from referee.match import play_table
from referee.messages import layout_of
from referee.replay import frames, trace, verify
from referee.rules import Position
from referee.rules.errors import InvalidTrace
from referee.rules.trace import state_json
from referee.rules.trace_reading import read_trace
from referee.seats.player import LocalSeat
from referee.wire import game_pb2, replay_pb2
from tests.referee.games import DrawingBot, FaultyBot, local_game, match_of
from tests.rules.checker.stream import TraceError, check_stream

Line = dict[str, object]


@cache
def _of_three() -> replay_pb2.Replay:
    return local_game([DrawingBot, None, DrawingBot])


def of_three() -> replay_pb2.Replay:
    """A copy of a game at three seats, at which seat 1 is absent."""
    return replay_pb2.Replay.FromString(_of_three().SerializeToString())


def test_those_who_are_there_play_and_the_absent_seat_is_last() -> None:
    played = of_three()
    verify(played)
    assert played.result.reason != game_pb2.END_REASON_FORFEIT
    assert played.result.ranks[1] == 3
    assert sorted([played.result.ranks[0], played.result.ranks[2]]) in ([1, 2], [1, 1])
    fault = played.entries[0].fault
    assert (fault.seat, fault.code) == (1, game_pb2.FAULT_CODE_ABSENT)
    chosen = [e.chosen for e in played.entries if e.HasField("chosen") and e.chosen.seat == 1]
    assert chosen
    assert {choice.by for choice in chosen} == {game_pb2.MADE_BY_CARETAKER}
    assert (played.seats[1].name, played.seats[1].nonce) == ("bot-1", b"")


def test_several_absent_seats_share_the_last_rank() -> None:
    played = local_game([DrawingBot, None, None, DrawingBot])
    verify(played)
    assert [played.result.ranks[seat] for seat in (1, 2)] == [3, 3]


def test_a_fault_ends_the_game_if_only_one_is_left() -> None:
    played = local_game([DrawingBot, None, FaultyBot])
    verify(played)
    assert played.result.reason == game_pb2.END_REASON_FORFEIT
    assert list(played.result.ranks) == [1, 3, 2]
    assert list(trace(played))[-1]["ranks"][1] == {"seat": 1, "rank": 3, "fault": "absent"}


async def test_everybody_hears_of_it_before_the_first_roll() -> None:
    events: list[dict[str, object]] = []

    def watch(game: Game) -> None:
        events.append(frame(game.newest))

    players = [LocalSeat(DrawingBot()), LocalSeat(DrawingBot()), None]
    await play_table(match_of([""] * 3), players, watch)
    assert events[0]["type"] == "fault"
    assert events[0]["fault"] == {"code": "absent", "sentence": "The bot did not appear."}
    assert events[1]["type"] == "roll"


def test_the_trace_says_it_straight_after_the_setup() -> None:
    played = of_three()
    lines = list(trace(played))
    start = state_json(Position.start(layout_of(played.setup), 3))
    absence = {"type": "fault", "seat": 1, "code": "absent", "kind": None, "legal": None}
    assert lines[1] == absence | {"state": start}
    assert len(list(read_trace(map(json.dumps, lines)))) == 1
    assert check_stream(json.dumps(line).encode() for line in lines)[0] == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines.insert(3, lines.pop(1)),  # too late
        lambda lines: lines.insert(1, lines[1]),  # twice
        lambda lines: lines[1].update(seat=3),
        lambda lines: lines[1].update(code="timeout"),
        lambda lines: lines[1].update(legal=["pass"]),
        lambda lines: lines[1]["state"].update(turn=1),
    ],
)
def test_a_wrong_line_is_found(change: Callable[[list[Line]], object]) -> None:
    lines = [json.loads(json.dumps(line)) for line in trace(of_three())]
    change(lines)
    with pytest.raises(InvalidTrace):
        list(read_trace(map(json.dumps, lines)))
    with pytest.raises(TraceError):
        check_stream(json.dumps(line).encode() for line in lines)


def test_a_bot_is_not_absent_once_the_game_has_begun() -> None:
    played = of_three()
    played.entries.insert(2, played.entries[0])
    with pytest.raises(ReplayError, match=r"Entry 3 .* can't be absent"):
        verify(played)


def test_a_seat_is_absent_once() -> None:
    played = of_three()
    played.entries.insert(1, played.entries[0])
    with pytest.raises(ReplayError, match=r"Entry 2 .* had faulted before"):
        verify(played)


def test_a_seat_that_does_not_exist_is_not_absent() -> None:
    played = of_three()
    played.entries[0].fault.seat = 3
    with pytest.raises(ReplayError, match=r"Entry 1 .* can't be absent"):
        verify(played)


def test_an_absence_that_was_taken_out_is_found() -> None:
    played = of_three()
    del played.entries[0]
    with pytest.raises(ReplayError):
        verify(played)


def test_the_viewer_gets_the_absence_as_a_fault() -> None:
    shown = frames(of_three())["frames"]
    assert [one["type"] for one in shown[:3]] == ["start", "fault", "roll"]
    assert shown[1]["seat"] == 1
