"""The checker of traces: right traces pass, and whatever is changed in one is found."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.rules.checker import stream
from tests.rules.checker.names import CITIZEN_FLOWERS, FACES, Due, Roll
from tests.rules.checker.player import encoded, random_game, shuffled, trace
from tests.rules.checker.reader import Divergence
from tests.rules.checker.stream import TraceError, check_stream

CHECK = Path(__file__).parent / "checker" / "check.py"
Line = dict[str, Any]


def complaint(lines: list[Line]) -> str:
    """What the checker says about a wrong trace."""
    with pytest.raises(TraceError) as found:
        check_stream(encoded(lines))
    return str(found.value)


def place(lines: list[Line], kind: str) -> int:
    """The index of the first line of a type, or of the first decision of a kind."""
    return next(at for at, line in enumerate(lines) if kind in (line["type"], line.get("kind")))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values in a JSON value that hold no others; empty ones count too."""
    if isinstance(value, dict) and value:
        return [leaf for key in value for leaf in leaves(value[key], (*path, key))]
    if isinstance(value, list) and value:
        return [leaf for key in range(len(value)) for leaf in leaves(value[key], (*path, key))]
    return [path]


def changed(value: Any) -> Any:
    """Another value than this one, near it."""
    match value:
        case bool() | None:
            return 1
        case int():
            return value + 1
        case str():
            return value + "x"
        case dict():
            return {"sugar": 0}
    return ["sugar"]


def with_change(line: Line, path: tuple[Any, ...]) -> Line:
    """A copy of a line with one leaf changed."""
    line = copy.deepcopy(line)
    inner: Any = line
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = changed(inner[path[-1]])
    return line


@pytest.mark.parametrize("players", [2, 3, 4])
def test_right_games_one_after_the_other_pass(players: int) -> None:
    games = [random_game(players, seed) for seed in range(10)]
    lines = [line for game in games for line in game]
    assert check_stream(encoded(lines)) == (10, len(lines))


def idle(due: Due) -> Any:
    """Whoever crawls, never delivers and lowers the value keeps the ships in the harbour."""
    if isinstance(due, Roll):
        return dict.fromkeys(FACES, 1)
    wanted = ["drive 1", "visit harbour-office", "lower", "pass"]
    return next((move for move in wanted if move in due.legal), due.legal[0])


def test_h7_a_game_of_300_turns_passes() -> None:
    lines = list(trace(shuffled(2, Random(1)), idle))
    assert (lines[-1]["reason"], lines[-1]["state"]["turn"]) == ("turns", 300)
    assert check_stream(encoded(lines)) == (1, len(lines))


def test_random_games_hold_every_kind_of_decision() -> None:
    lines = random_game(4, 1) + random_game(2, 2)
    kinds = {line["kind"] for line in lines if line["type"] == "decision"}
    assert kinds == {"drive", "pick", "lawyer", "tribute", "visit", "function", "deliver", "demand"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_changed_value_is_found(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All values of the last line, and some of each line before, in one pass."""
    luck, found = Random(players), 0

    def before(check: Callable[..., Any], most: int) -> Callable[..., Any]:
        def checked(line: Line, *due: Any) -> Any:
            nonlocal found
            # A changed seed cannot be told, nor can other dice: they are luck.
            paths = [path for path in leaves(line) if path[0] not in ("seed", "dice")]
            for path in luck.sample(paths, min(most, len(paths))):
                with pytest.raises(Divergence):
                    check(with_change(line, path), *due)
                found += 1
            return check(line, *due)

        return checked

    for name, most in (("check_due", 2), ("check_result", 99)):
        monkeypatch.setattr(stream, name, before(getattr(stream, name), most))
    lines = random_game(players, 7)
    check_stream(encoded(lines))
    assert found > 2 * len(lines)


def test_a_changed_value_is_told_with_its_line() -> None:
    lines = random_game(2, 4)
    at = place(lines, "deliver")
    wrong = with_change(lines[at], ("state", "players", 1, "vp"))
    turn = lines[at]["state"]["turn"]
    said = complaint([*lines[:at], wrong])
    assert said.startswith(f"line {at + 1} (game 1, turn {turn}): state.players[1].vp should be ")


def test_a_number_must_be_a_whole_number() -> None:
    lines = random_game(2, 3)
    for other in (True, 1.0, "1"):
        lines[1]["seat"] = other
        assert "seat should be 1 but is" in complaint(lines)


@pytest.mark.parametrize("change", ["drop", "repeat", "swap"])
def test_every_missing_repeated_or_moved_line_is_found(change: str) -> None:
    lines = random_game(3, 5)
    for at in range(0, len(lines) - 1, 7):
        here, following = lines[at], lines[at + 1]
        pair = {"drop": [following], "repeat": [here, here, following], "swap": [following, here]}
        complaint([*lines[:at], *pair[change], *lines[at + 2 :]])


def test_a_trace_that_ends_too_early_is_found() -> None:
    lines = random_game(2, 4)
    assert "a result line should follow" in complaint(lines[:-1])
    assert "should go on with" in complaint(lines[:-2])
    assert "should go on with a roll of seat 1 but ends" in complaint(lines[:1])
    assert "should hold a game but is empty" in complaint([])


def test_a_wrong_second_game_is_told_with_its_number() -> None:
    lines = random_game(2, 4)
    assert complaint(lines + lines[:-1]).startswith(f"line {2 * len(lines)} (game 2, turn ")


def change_legal(change: Callable[[list[str]], None]) -> str:
    lines = random_game(3, 6)
    change(lines[place(lines, "drive")]["legal"])
    return complaint(lines)


def test_a_wrong_set_of_legal_moves_is_found() -> None:
    assert "too many ['drive 9']" in change_legal(lambda legal: legal.append("drive 9"))
    assert "missing ['drive 2']" in change_legal(lambda legal: legal.remove("drive 2"))
    assert "has 'drive 2' twice" in change_legal(lambda legal: legal.append("drive 2"))
    assert "should not be in a trace" in change_legal(lambda legal: legal.__delitem__(slice(1, 9)))


def test_legal_moves_and_silenced_citizens_may_stand_in_any_order() -> None:
    lines = random_game(4, 8)
    for line in lines:
        line.get("legal", []).reverse()
        line.get("state", {}).get("silenced", []).reverse()
    check_stream(encoded(lines))


def test_a_wrong_roll_is_found() -> None:
    lines = random_game(3, 6)
    for face, good in [(4, "sugar"), (1.0, "rum"), (5, "citrus"), (-1, "cigars")]:
        wrong = copy.deepcopy(lines)
        wrong[1]["dice"][good] = face
        assert f"dice.{good} should be one of" in complaint(wrong)
    later = place(lines[3:], "roll") + 3
    lines[later]["seat"] = (lines[later]["seat"] + 1) % 3
    assert complaint(lines).startswith(f"line {later + 1} (game 1, turn ")


def test_more_or_fewer_keys_are_found() -> None:
    for kind in ("setup", "roll", "drive", "result"):
        lines = random_game(2, 4)
        line = lines[place(lines, kind)]
        line["more"] = 1
        assert "wrong keys: missing [], too many ['more']" in complaint(lines)
        del line["more"], line[list(line)[-1]]
        assert "wrong keys: missing" in complaint(lines)


def test_a_wrong_setup_is_found() -> None:
    wrong: dict[str, Any] = {
        "players": 5,
        "citizens": ["pedro"] * 9,
        "buildings": [],
        "space_flowers": ["white"] * 12,
        "citizen_flowers": CITIZEN_FLOWERS | {"pedro": "red"},
        "seed": "none",
    }
    for key, value in wrong.items():
        lines = random_game(2, 4)
        lines[0][key] = value
        assert key in complaint(lines)


@pytest.mark.parametrize("text", [b"", b"\n", b"{", b"[1]", b'{"a":1,"a":2}', b"\xff"])
def test_a_line_that_is_no_json_object_is_found(text: bytes) -> None:
    lines = encoded(random_game(2, 4))
    lines[1] = text
    with pytest.raises(TraceError, match=r"line 2 \(game 1, turn 0\)"):
        check_stream(lines)


# Written by hand, not by the player: three pesos, so four drives; Pedro gives the first of the two
# tobacco; then all but seat 1 have faulted.
BY_HAND = """\
{"type":"setup","players":2,"citizens":["pedro","maria","jose","martinez","conchita","el-zorro",\
"miguel","pablo","alonso"],"buildings":["bank","church","distillery","cigar-factory",\
"black-market","sawmill","cafe","customs","casino","harbour-office","trading-office","newspaper"],\
"space_flowers":["white","white","white","blue","blue","blue","red","red","red","yellow","yellow",\
"yellow"],"citizen_flowers":{"pedro":"white","maria":"red","jose":"yellow","martinez":"blue",\
"conchita":"yellow","el-zorro":null,"miguel":"blue","pablo":"red","alonso":"white"},"seed":"0a1f"}
{"type":"roll","seat":1,"dice":{"sugar":1,"citrus":4,"tobacco":0,"rum":2,"cigars":3}}
{"type":"decision","seat":1,"kind":"demand","legal":["exclude sugar","exclude citrus",\
"exclude tobacco","exclude rum","exclude cigars"],"chosen":"exclude cigars","state":{"ship":1,\
"value":2,"demand":{},"car":0,"silenced":[],"supply":{"sugar":6,"citrus":6,"tobacco":6,"rum":8,\
"cigars":8,"wood":8},"owners":{},"active":0,"turn":0,"players":[{"pesos":3,"vp":2,"goods":{\
"sugar":1,"citrus":1,"tobacco":1,"rum":0,"cigars":0,"wood":0},"pawn":null,"markers":3},{"pesos":3,\
"vp":2,"goods":{"sugar":1,"citrus":1,"tobacco":1,"rum":0,"cigars":0,"wood":0},"pawn":null,\
"markers":3}]}}
{"type":"decision","seat":0,"kind":"drive","legal":["drive 1","drive 2","drive 3","drive 4"],\
"chosen":"drive 1","state":{"ship":1,"value":2,"demand":{"sugar":1,"citrus":4,"tobacco":0,\
"rum":2},"car":0,"silenced":[],"supply":{"sugar":6,"citrus":6,"tobacco":6,"rum":8,"cigars":8,\
"wood":8},"owners":{},"active":0,"turn":1,"players":[{"pesos":3,"vp":2,"goods":{"sugar":1,\
"citrus":1,"tobacco":1,"rum":0,"cigars":0,"wood":0},"pawn":null,"markers":3},{"pesos":3,"vp":2,\
"goods":{"sugar":1,"citrus":1,"tobacco":1,"rum":0,"cigars":0,"wood":0},"pawn":null,\
"markers":3}]}}
{"type":"decision","seat":0,"kind":"visit","legal":["visit bank","visit church",\
"visit distillery"],"chosen":"visit bank","state":{"ship":1,"value":2,"demand":{"sugar":1,\
"citrus":4,"tobacco":0,"rum":2},"car":1,"silenced":[],"supply":{"sugar":6,"citrus":6,"tobacco":4,\
"rum":8,"cigars":8,"wood":8},"owners":{},"active":0,"turn":1,"players":[{"pesos":3,"vp":2,\
"goods":{"sugar":1,"citrus":1,"tobacco":3,"rum":0,"cigars":0,"wood":0},"pawn":null,"markers":3},{\
"pesos":3,"vp":2,"goods":{"sugar":1,"citrus":1,"tobacco":1,"rum":0,"cigars":0,"wood":0},\
"pawn":null,"markers":3}]}}
{"type":"forfeit","ranks":[{"seat":0,"rank":2,"fault":"timeout"},{"seat":1,"rank":1,"fault":null}]}
"""


def test_a_trace_written_by_hand_passes() -> None:
    assert check_stream([line.encode() for line in BY_HAND.splitlines()]) == (1, 6)


def with_ranks(*ranks: tuple[int, str | None]) -> list[Line]:
    lines = random_game(len(ranks), 4)[:9]
    rows = [{"seat": seat, "rank": rank, "fault": why} for seat, (rank, why) in enumerate(ranks)]
    return [*lines, {"type": "forfeit", "ranks": rows}]


def test_right_forfeits_pass_and_the_next_game_follows() -> None:
    last = with_ranks((3, "illegal"), (1, None), (2, "timeout"))
    all_faulted = with_ranks((2, "timeout"), (2, "timeout"), (1, "closed"))
    assert check_stream(encoded(last + all_faulted + random_game(2, 1)))[0] == 3


@pytest.mark.parametrize(
    "ranks",
    [
        [(1, None), (2, None)],
        [(2, None), (1, "timeout")],
        [(1, None), (1, "timeout")],
        [(1, None), (3, "timeout")],
        [(1, None), (2, "")],
        [(1, None), (2, "timeout"), (2, "timeout"), (3, "timeout")],
        [(1, None), (True, "timeout")],
    ],
)
def test_wrong_forfeits_are_found(ranks: list[tuple[int, str | None]]) -> None:
    complaint(with_ranks(*ranks))


def test_a_forfeit_in_place_of_a_result_is_found() -> None:
    lines = random_game(2, 4)[:-1] + with_ranks((1, None), (2, "timeout"))[-1:]
    assert "should be its result" in complaint(lines)


def run_command(*arguments: str, stream: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, str(CHECK), *arguments]
    return subprocess.run(command, input=stream, capture_output=True, check=False, timeout=60)


def test_the_command_reads_a_file_or_stdin_and_tells_by_its_exit_code(tmp_path: Path) -> None:
    lines = random_game(2, 4)
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run_command(str(file)).returncode == 0
    right = run_command("-", stream=b"".join(encoded(lines)))
    assert right.returncode == 0
    assert right.stdout.startswith(b"All right: games 1,")
    wrong = run_command("-", stream=b"".join(encoded(lines[:-1])))
    assert wrong.returncode == 1
    assert wrong.stdout.startswith(f"line {len(lines)} (game 1, turn".encode())
    assert run_command().returncode == 2
    assert run_command(str(tmp_path / "nothing")).returncode == 2
