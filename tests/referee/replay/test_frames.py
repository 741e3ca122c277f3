"""The document that the replay viewer shows, and the trace that the checker reads."""

import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from referee.bot import Bot
from referee.game import Luck
from referee.replay import ending, frames, trace
from referee.rules.pieces import GOODS
from referee.wire import replay_pb2
from tests.referee.games import DrawingBot, FaultyBot, local_game
from tests.rules.checker.stream import check_stream

TABLES: dict[str, list[type[Bot] | None]] = {
    "two": [DrawingBot] * 2,
    "three": [DrawingBot] * 3,
    "four": [DrawingBot] * 4,
    "fault": [DrawingBot, FaultyBot, DrawingBot],
    "forfeit": [DrawingBot, FaultyBot],
    "absent": [None, DrawingBot, None, DrawingBot],
}
EACH_TABLE = pytest.mark.parametrize("table", TABLES)
KEYS = {
    "start": set(),
    "end": set(),
    "roll": {"seat", "dice"},
    "move": {"seat", "kind", "move", "by", "legal"},
    "fault": {"seat", "fault", "kind", "legal"},
}


@cache
def replay_of(table: str) -> replay_pb2.Replay:
    return local_game(TABLES[table])


def document(table: str) -> dict[str, Any]:
    """What a browser gets: through JSON and back."""
    got = json.loads(json.dumps(frames(replay_of(table))))
    assert isinstance(got, dict)
    return got


@EACH_TABLE
def test_the_ending_is_the_last_frame(table: str) -> None:
    whole, end = frames(replay_of(table)), ending(replay_of(table))
    assert end == {
        **{name: whole[name] for name in ("setup", "seats")},
        "frames": whole["frames"][-1:],
    }


def applied(state: dict[str, Any], changes: list[dict[str, Any]]) -> dict[str, Any]:
    """The state after some changes."""
    after = deepcopy(state)
    for change in changes:
        _apply(after, change)
    return after


def _apply(state: dict[str, Any], change: dict[str, Any]) -> None:
    what, _, name = change["what"].partition(":")
    seat = change["seat"]
    if seat is not None:
        player = state["players"][seat]
        if what == "pawn":
            assert player["pawn"] == change["from"]
            player["pawn"] = change["to"]
        elif what in GOODS:
            player["goods"][what] += change["by"]
            state["supply"][what] -= change["by"]
        else:
            player[what] += change["by"]
    elif what == "demand":
        assert state["demand"].get(name) == change["from"]
        state["demand"][name] = change["to"]
    elif what == "silenced":
        assert (name in state["silenced"]) == change["from"]
        state["silenced"].append(name) if change["to"] else state["silenced"].remove(name)
    elif what == "owner":
        assert state["owners"].get(name) == change["from"]
        state["owners"][name] = change["to"]
    else:
        assert state[what] == change["from"]
        state[what] = change["to"]


def plain(state: dict[str, Any]) -> dict[str, Any]:
    """A state in which the order of silenced citizens and demands that are gone do not count."""
    demand = {good: left for good, left in state["demand"].items() if left is not None}
    return state | {"demand": demand, "silenced": sorted(state["silenced"])}


@EACH_TABLE
def test_changes_lead_from_each_state_to_the_next(table: str) -> None:
    shown = document(table)["frames"]
    state = shown[0]["state"]
    for frame in shown:
        state = applied(state, frame["changes"])
        assert plain(state) == plain(frame["state"])
        state = frame["state"]


@EACH_TABLE
def test_each_frame_has_what_its_type_needs(table: str) -> None:
    shown = document(table)["frames"]
    assert [shown[0]["type"], shown[-1]["type"]] == ["start", "end"]
    for frame in shown:
        keys = frame.keys() - {"type", "changes", "state", "think_ms", "drawn"}
        absent = frame.get("fault", {}).get("code") == "absent"
        assert keys == KEYS[frame["type"]] - ({"kind", "legal"} if absent else set())
        assert ("think_ms" in frame) == (frame.get("by") in ("bot", "caretaker"))
        assert ("drawn" in frame) == (frame.get("by") == "caretaker")


def test_a_measured_decision_has_its_times() -> None:
    measured = replay_pb2.Replay()
    measured.CopyFrom(replay_of("two"))
    first = next(entry.chosen for entry in measured.entries if entry.HasField("chosen"))
    first.think_us, first.cpu_us = 2_351, 1_549
    shown = frames(measured)["frames"]
    told = [(frame["think_ms"], frame["cpu_ms"]) for frame in shown if "cpu_ms" in frame]
    assert told == [(2.4, 1.5)]


@EACH_TABLE
def test_moves_are_legal_and_forced_ones_alone(table: str) -> None:
    for frame in document(table)["frames"]:
        if frame["type"] == "move":
            assert frame["move"] in frame["legal"]
            assert (frame["by"] == "forced") == (len(frame["legal"]) == 1)


@EACH_TABLE
def test_frames_and_trace_tell_the_same_game(table: str) -> None:
    shown = document(table)
    lines = list(trace(replay_of(table)))
    told = [
        frame
        for frame in shown["frames"]
        if frame["type"] in ("roll", "fault") or frame.get("by", "forced") != "forced"
    ]
    assert shown["setup"] == lines[0]
    assert shown["result"] == lines[-1]
    assert len(told) == len(lines) - 2
    for frame, line in zip(told, lines[1:-1], strict=True):
        assert frame["seat"] == line["seat"]
        if line["type"] == "roll":
            assert frame["dice"] == line["dice"]
        elif line["type"] == "fault":
            asked = (frame["fault"]["code"], frame.get("kind"), frame.get("legal"))
            assert asked == (line["code"], line["kind"], line["legal"])
            assert frame["state"] == line["state"]
        else:
            what = (frame["kind"], frame["move"], frame["legal"])
            assert what == (line["kind"], line["chosen"], line["legal"])


@EACH_TABLE
def test_the_last_state_is_that_of_the_result(table: str) -> None:
    shown = document(table)
    result = shown["result"]
    if result["type"] == "result":
        assert shown["frames"][-1]["state"] == result["state"]
    assert shown["ranks"] == list(replay_of(table).result.ranks)


@EACH_TABLE
def test_the_independent_checker_agrees(table: str) -> None:
    def lines() -> Iterator[bytes]:
        for line in trace(replay_of(table)):
            yield json.dumps(line).encode() + b"\n"

    games, _ = check_stream(lines())
    assert games == 1


def test_a_fault_is_shown_where_it_happened() -> None:
    shown = document("fault")["frames"]
    at = next(n for n, frame in enumerate(shown) if frame["type"] == "fault")
    assert shown[at]["seat"] == 1
    assert shown[at]["fault"] == {
        "code": "closed",
        "sentence": "The bot failed: ArithmeticError: no idea",
    }
    assert shown[at]["changes"] == []
    by_seat_1 = [f["by"] for f in shown if f["type"] == "move" and f["seat"] == 1]
    chosen = [by for by in by_seat_1 if by != "forced"]
    assert chosen[:4] == ["bot"] * 4
    assert set(chosen[4:]) == {"caretaker"}


def test_a_forfeit_tells_each_seats_fault() -> None:
    assert document("forfeit")["result"] == {
        "type": "forfeit",
        "ranks": [{"seat": 0, "rank": 1, "fault": None}, {"seat": 1, "rank": 2, "fault": "closed"}],
    }


def test_seats_are_named() -> None:
    seats = document("two")["seats"]
    assert seats == [{"name": f"bot-{n}", "version": "1", "author": "tests"} for n in range(2)]


@EACH_TABLE
def test_the_luck_can_be_checked_from_the_document(table: str) -> None:
    told = document(table)
    dice = told["dice"]
    seed, nonces = bytes.fromhex(dice["seed"]), [bytes.fromhex(nonce) for nonce in dice["nonces"]]
    assert hashlib.sha256(seed).hexdigest() == dice["commitment"]
    luck = Luck(seed, dice["attempt"], nonces)
    for frame in told["frames"]:
        if frame["type"] == "roll":
            assert tuple(frame["dice"].values()) == luck.roll()
        elif frame.get("by") == "caretaker":
            place, count = frame["drawn"]
            assert count == len(frame["legal"])
            assert luck.choose(range(count)) == place
