"""The reader of traces: right ones are played again, and the first wrong line is named."""

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from referee.rules import InvalidTrace, Layout, Position, move_text
from referee.rules.playouts import DICE_BY_NAME, trace_out
from referee.rules.trace import Line, fault_line, roll_line, setup_line
from referee.rules.trace_reading import TracedGame, read_trace
from tests.rules.checker.player import random_game
from tests.rules.checker.stream import TraceError, check_stream

bounded: Callable[..., object] = settings(max_examples=150)
Path = tuple[Any, ...]


def a_trace(players: int, seed: int, dice: str = "fair") -> list[Line]:
    luck = Random(seed)
    start = Position.start(Layout.shuffled(luck), players)
    return list(trace_out(start, luck, DICE_BY_NAME[dice]))


def forfeited(*ranks: tuple[Any, Any], decisions: int = 12) -> list[Line]:
    """A game that a forfeit ends; `ranks`: rank and fault by seat."""
    rows = [{"seat": seat, "rank": rank, "fault": why} for seat, (rank, why) in enumerate(ranks)]
    return [*a_trace(len(ranks), 5)[:decisions], {"type": "forfeit", "ranks": rows}]


def faulted(*faults: tuple[int, str], players: int = 3, at: int = 8) -> list[Line]:
    """A game with lines of faults (seat, code) before the line `at`."""
    lines = a_trace(players, 5)
    asked = lines[at]
    told = [
        {"type": "fault", "seat": seat, "code": code, "kind": None, "legal": None}
        | ({key: asked[key] for key in ("kind", "legal")} if asked.get("seat") == seat else {})
        | {"state": asked["state"]}
        for seat, code in faults
    ]
    return [*lines[:at], *told, *lines[at:]]


def read(lines: list[Line]) -> list[TracedGame]:
    return list(read_trace(json.dumps(line) for line in lines))


def encoded(lines: list[Line]) -> list[bytes]:
    return [json.dumps(line).encode() for line in lines]


def complaint(lines: list[Line]) -> str:
    with pytest.raises(InvalidTrace) as found:
        read(lines)
    return str(found.value)


def place(lines: list[Line], kind: str) -> int:
    """The index of the first line of a type, or of the first decision of a kind."""
    return next(at for at, line in enumerate(lines) if kind in (line["type"], line.get("kind")))


def leaves(value: Any, path: Path = ()) -> list[Path]:
    """The paths to all values in a JSON value that hold no others; empty ones count too."""
    if isinstance(value, dict | list) and value:
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, one in inner for leaf in leaves(one, (*path, key))]
    return [path]


def found_at(line: Any, path: Path) -> Any:
    """The value at a path."""
    for key in path:
        line = line[key]
    return line


def replaced(line: Line, path: Path, value: Any) -> Line:
    """A copy of a line with another value at a path."""
    line = copy.deepcopy(line)
    found_at(line, path[:-1])[path[-1]] = value
    return line


# Right traces.


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("dice", DICE_BY_NAME)
def test_games_are_played_again_to_their_ends(players: int, dice: str) -> None:
    traces = [a_trace(players, seed, dice) for seed in range(2)]
    games = read([line for lines in traces for line in lines])
    for game, lines in zip(games, traces, strict=True):
        assert game.position.is_over
        assert list(game.ranks) == [score["rank"] for score in lines[-1]["scores"]]
        decisions = [line for line in lines if line["type"] == "decision"]
        assert [move_text(move) for move in game.choices] == [d["chosen"] for d in decisions]
        rolls = [list(line["dice"].values()) for line in lines if line["type"] == "roll"]
        assert [list(roll) for roll in game.rolls] == rolls


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_of_an_independent_player_are_right(players: int) -> None:
    """Its spaces lie in another order, which is free (S2), and so do its legal moves."""
    (game,) = read(random_game(players, 3))
    assert game.position.is_over


def test_the_order_of_legal_moves_silenced_citizens_and_keys_is_free() -> None:
    lines = a_trace(4, 8)
    for line in lines:
        line.get("legal", []).reverse()
        line.get("state", {}).get("silenced", []).reverse()
    assert len(read([dict(reversed(line.items())) for line in lines])) == 1


def test_a_seed_may_be_told() -> None:
    lines = a_trace(2, 1)
    lines[0]["seed"] = "0aF1"
    assert len(read(lines)) == 1


def test_forfeits_end_a_game_and_the_next_may_follow() -> None:
    last_but_one = forfeited((3, "illegal-index"), (1, None), (2, "timeout"))
    all_faulted = forfeited((2, "timeout"), (1, "closed"))
    games = read(last_but_one + all_faulted + a_trace(2, 1))
    assert [game.ranks for game in games][:2] == [(3, 1, 2), (2, 1)]
    assert [game.position.is_over for game in games] == [False, False, True]


def test_a_fault_has_a_line_of_its_own_where_it_happened() -> None:
    due = a_trace(3, 5)[8]["seat"]
    (game,) = read(faulted((due, "timeout"), ((due + 1) % 3, "closed")))
    assert game.faults == ((due, "timeout"), ((due + 1) % 3, "closed"))
    assert game.position.is_over


def test_a_seat_whose_bot_never_came_faults_before_the_first_roll() -> None:
    lines = a_trace(3, 5)
    told = [fault_line(Position.start(Layout.shuffled(Random(5)), 3), n, "absent") for n in (2, 0)]
    assert [line["kind"] for line in told] == [line["legal"] for line in told] == [None, None]
    (game,) = read([lines[0], *told, *lines[1:]])
    assert game.faults == ((2, "absent"), (0, "absent"))
    assert check_stream(encoded([lines[0], *told, *lines[1:]]))[0] == 1


def test_a_forfeit_has_the_faults_of_the_lines_before_it() -> None:
    told = faulted((0, "closed"), (2, "timeout"))[:10]
    end = forfeited((3, "closed"), (1, None), (2, "timeout"))[-1]
    assert read([*told, end])[0].ranks == (3, 1, 2)
    for ranks in ((1, None), (3, "closed")), ((3, "protocol"), (1, None)):
        wrong = forfeited(*ranks, (2, "timeout"))[-1]
        assert complaint([*told, wrong]).startswith("Line 11 of the trace is wrong: its faults")


def test_a_forfeit_ranks_a_later_fault_higher_and_lets_absent_seats_share_the_last_rank() -> None:
    told = faulted((0, "closed"), (2, "timeout"))[:10]
    end = forfeited((2, "closed"), (1, None), (3, "timeout"))[-1]
    assert complaint([*told, end]).endswith("wrong: ranks[0].rank is 2 and should be 3.")

    setup = a_trace(3, 5)[0]
    start = Position.start(Layout.shuffled(Random(5)), 3)
    told = [setup, *(fault_line(start, seat, "absent") for seat in (2, 0))]
    assert read([*told, forfeited((2, "absent"), (1, None), (2, "absent"))[-1]])[0].ranks == (
        2,
        1,
        2,
    )
    end = forfeited((2, "absent"), (1, None), (3, "absent"))[-1]
    assert complaint([*told, end]).endswith("wrong: ranks[2].rank is 3 and should be 2.")


# Wrong ones.


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seat": 3}, "seat is 3"),
        ({"seat": True}, "seat is true"),
        ({"code": ""}, "code is ''"),
        ({"code": None}, "code is null"),
        ({"kind": None}, "kind is null"),
        ({"legal": None}, "legal is null"),
        ({"legal": []}, "legal lacks"),
        ({"chosen": "pass"}, "the line has 'chosen'"),
        ({"state": {}}, "state lacks"),
    ],
)
def test_a_wrong_line_of_a_fault_is_found(wrong: dict[str, Any], said: str) -> None:
    due = a_trace(3, 5)[8]["seat"]
    lines = faulted((due, "timeout"))
    lines[8] |= wrong
    assert complaint(lines).startswith(f"Line 9 of the trace is wrong: {said}")
    with pytest.raises(TraceError):
        check_stream(encoded(lines))


def test_a_seat_faults_once() -> None:
    assert "seat 1 has faulted before" in complaint(faulted((1, "timeout"), (1, "closed")))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_changed_value_is_found_in_its_line(players: int) -> None:
    lines = a_trace(players, 7)[:60]
    luck = Random(players)
    places = [
        (at, path)
        for at, line in enumerate(lines)
        for path in leaves(line)
        if path[0] not in ("seed", "dice")
    ]
    others: list[Any] = [99, None, "x", True, 1.0, [], {}]
    for at, path in luck.sample(places, 50):
        for value in luck.sample(others, 2):
            wrong = replaced(lines[at], path, value)
            if json.dumps(wrong) != json.dumps(lines[at]):
                said = complaint([*lines[:at], wrong])
                assert said.startswith(f"Line {at + 1} of the trace is wrong: "), (path, value)


@pytest.mark.parametrize("change", ["drop", "repeat", "swap"])
def test_every_missing_repeated_or_moved_line_is_found(change: str) -> None:
    lines = a_trace(3, 5)
    for at in range(0, len(lines) - 1, 29):
        here, following = lines[at], lines[at + 1]
        pair = {"drop": [following], "repeat": [here, here, following], "swap": [following, here]}
        complaint([*lines[:at], *pair[change], *lines[at + 2 :]])


def test_a_wrong_result_is_found() -> None:
    lines = a_trace(2, 4, "heavy-zero")
    for path in leaves(lines[-1]):
        said = complaint([*lines[:-1], replaced(lines[-1], path, "x")])
        assert said.startswith(f"Line {len(lines)} of the trace is wrong: "), path


def test_what_is_wrong_is_said() -> None:
    lines = a_trace(2, 4)
    drive = place(lines, "drive")

    def said(at: int, path: Path, value: Any) -> str:
        told = complaint([*lines[:at], replaced(lines[at], path, value)])
        return told.removeprefix(f"Line {at + 1} of the trace is wrong: ")

    legal = lines[drive]["legal"]
    assert said(0, ("players",), 5) == "players is 5 and should be 2, 3 or 4."
    assert said(0, ("citizens", 3), "juan").startswith("citizens has 'juan', which is none of ")
    assert said(0, ("buildings",), []) == "buildings is a list of 0 and should be a list of 12."
    assert said(0, ("space_flowers", 0), "white").startswith("space_flowers should have each of")
    assert said(0, ("citizen_flowers", "maria"), None) == (
        "citizen_flowers.maria is null and should be 'red'."
    )
    assert said(0, ("seed",), "dice").startswith("seed is 'dice' and should be hexadecimal")
    assert said(1, ("seat",), 0) == "seat is 0 and should be 1."
    players = lines[drive]["state"]["players"]
    assert said(drive, ("state", "players"), players[:1]) == (
        "state.players is a list of 1 and should be a list of 2."
    )
    assert said(1, ("dice", "rum"), 4) == "dice.rum is 4; the die has no such face."
    assert said(1, ("dice",), 4) == "dice is 4 and should be an object."
    assert (
        said(drive, ("type",), "roll") == "its type is 'roll'; due is the drive decision of seat 0."
    )
    assert said(drive, ("legal",), [*legal, "drive 9"]) == (
        "legal has 'drive 9', which does not belong there."
    )
    assert said(drive, ("legal",), legal[:-1]) == f"legal lacks '{legal[-1]}'."
    assert said(drive, ("legal",), [*legal, legal[0]]) == "legal has a name twice."
    assert said(drive, ("chosen",), "drive 9") == (
        "chosen is 'drive 9', which is not a legal move there."
    )
    assert said(drive, ("state", "players", 1, "goods", "rum"), 1) == (
        "state.players[1].goods.rum is 1 and should be 0."
    )
    assert said(drive, ("state", "owners", "bank"), 0) == (
        "state.owners has 'bank', which does not belong there."
    )


def test_a_trace_that_ends_too_early_is_told_what_is_due() -> None:
    lines = a_trace(2, 4)
    over = f"Line {len(lines)} of the trace is wrong: it is missing; due is the result, since"
    assert complaint(lines[:-1]).startswith(over)
    assert "it is missing; due is the roll of seat 1." in complaint(lines[:1])
    assert "it is missing; due is the demand decision of seat 1." in complaint(lines[:2])
    assert complaint([]).endswith("it is missing; due is the setup line of a game.")
    said = complaint(lines + lines[:-1])
    assert said.startswith(f"Line {2 * len(lines)} of the trace is wrong: it is missing; ")


@pytest.mark.parametrize(
    "ranks",
    [
        [(1, None), (2, None)],
        [(2, None), (1, "timeout")],
        [(1, None), (1, "timeout")],
        [(1, None), (3, "timeout")],
        [(1, None), (2, "")],
        [(1, None), (2, ["timeout"])],
        [(1, None), (True, "timeout")],
        [(1, None), (2, "timeout"), (2, "timeout"), (3, "timeout")],
    ],
)
def test_wrong_forfeits_are_found(ranks: list[tuple[Any, Any]]) -> None:
    assert complaint(forfeited(*ranks)).startswith("Line 13 of the trace is wrong: ")


@pytest.mark.parametrize("rows", [None, {}, [], [1, 2], [{}, {}], [{"rank": 1}] * 3])
def test_a_forfeit_without_a_row_for_each_seat_is_found(rows: Any) -> None:
    assert "ranks should " in complaint([*a_trace(2, 1)[:9], {"type": "forfeit", "ranks": rows}])


def test_a_forfeit_in_place_of_a_result_is_found() -> None:
    forfeit = forfeited((1, None), (2, "timeout"))[-1]
    assert complaint([*a_trace(2, 4)[:-1], forfeit]).endswith(
        "its type is 'forfeit'; due is the result, since the game is over."
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "{", "[1]", "null", '{"type":"roll","type":"roll"}', "NaN", "\ud800", "\0"),
        *("[" * 100_000, '{"a":' * 100_000, "9" * 10_000, '"' + "x" * 1_000_001 + '"'),
    ],
)
def test_a_line_that_is_no_json_object_is_found(text: str) -> None:
    lines = [json.dumps(line) for line in a_trace(2, 4)[:2]]
    with pytest.raises(InvalidTrace, match=r"^Line 3 of the trace is wrong: ") as found:
        list(read_trace([*lines, text]))
    assert len(str(found.value)) < 300


# Anything at all.

TRACES = [
    forfeited((2, "closed"), (1, None), decisions=24),
    forfeited((1, None), (3, "timeout"), (2, "closed")),
    forfeited((4, "protocol"), (3, "timeout"), (2, "timeout"), (1, "closed")),
    faulted((2, "timeout"), (0, "closed")),
    a_trace(2, 2, "heavy-zero"),
    [setup_line(Layout.shuffled(Random(1)), 2), roll_line(1, (0, 0, 0, 0, 0))],
]
numbers = st.integers(-(10**30), 10**30) | st.integers(-1, 4)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def read_anything(texts: list[str]) -> bool:
    """Whether the trace is right; if not, InvalidTrace with a short message, nothing else."""
    said = ""
    try:
        list(read_trace(texts))
    except InvalidTrace as error:
        said = str(error)
    assert said == "" or re.match(r"Line \d+ of the trace is wrong: ", said)
    assert len(said) < 400
    return said == ""


def checker_accepts(texts: list[str]) -> bool:
    """What the independent checker makes of the same trace."""
    try:
        check_stream(text.encode() for text in texts)
    except TraceError:
        return False
    return True


@bounded
@given(st.sampled_from(TRACES), st.data())
def test_a_trace_with_values_replaced(lines: list[Line], data: st.DataObject) -> None:
    """Half of them by values that stand elsewhere in the trace, so that many are nearly right."""
    lines = lines[:]
    for _ in range(data.draw(st.integers(1, 3))):
        at, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        path = data.draw(st.sampled_from(leaves(lines[at])))
        elsewhere = data.draw(st.sampled_from(leaves(lines[other])))
        value = found_at(lines[other], elsewhere)
        if data.draw(st.booleans()):
            value = data.draw(json_values)
        lines[at] = replaced(lines[at], path[: data.draw(st.integers(1, len(path)))], value)
    texts = [json.dumps(line) for line in lines]
    assert read_anything(texts) == checker_accepts(texts)


@bounded
@given(st.sampled_from(TRACES), st.data())
def test_a_trace_with_characters_lost_doubled_or_changed(
    lines: list[Line], data: st.DataObject
) -> None:
    texts = [json.dumps(line) for line in lines]
    for _ in range(data.draw(st.integers(1, 3))):
        line = data.draw(st.integers(0, len(texts) - 1))
        at = data.draw(st.integers(0, len(texts[line]) - 1))
        piece = data.draw(st.sampled_from(["", '"', "{", "]", ",", "0", "-", "e9", "é", "\0"]))
        texts[line] = texts[line][:at] + piece + texts[line][at + data.draw(st.integers(0, 1)) :]
    read_anything(texts)


@bounded
@given(st.lists(st.sampled_from([line for lines in TRACES for line in lines]), max_size=8))
def test_lines_of_different_traces_in_any_order(lines: list[Line]) -> None:
    read_anything([json.dumps(line) for line in lines])


@bounded
@given(st.lists(st.text() | json_values.map(json.dumps), max_size=3))
def test_any_text_as_a_trace(texts: list[str]) -> None:
    read_anything(texts)
