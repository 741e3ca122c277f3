"""Traces: a game as JSON lines, to the letter of the notation."""

import json
from random import Random

from referee.rules import Layout, Position
from referee.rules.playouts import trace_out
from referee.rules.trace import Line, decision_line, result_line, roll_line, setup_line, state_json
from tests.rules.table import played, player, rolled, table

STATE = """\
{"ship": 3, "value": 4, "demand": {"sugar": 2, "tobacco": 0, "rum": 1, "cigars": 3}, "car": 8, \
"silenced": ["maria", "el-zorro"], "supply": {"sugar": 8, "citrus": 3, "tobacco": 8, "rum": 6, \
"cigars": 8, "wood": 7}, "owners": {"bank": 1, "cafe": 0}, "active": 1, "turn": 14, "players": [\
{"pesos": 0, "vp": 7, "goods": {"sugar": 0, "citrus": 0, "tobacco": 0, "rum": 2, "cigars": 0, \
"wood": 1}, "pawn": "bank", "markers": 2}, {"pesos": 12, "vp": 0, "goods": {"sugar": 0, "citrus": \
5, "tobacco": 0, "rum": 0, "cigars": 0, "wood": 0}, "pawn": null, "markers": 2}]}"""


def a_position() -> Position:
    return table(
        player(pesos=0, vp=7, on="bank", rum=2, wood=1),
        player(pesos=12, vp=0, citrus=5),
        active=1,
        car="pablo",
        phase="pick",
        ship=3,
        value=4,
        demand="sugar:2,tobacco:0,rum:1,cigars:3",
        owners="cafe:0,bank:1",
        silenced="maria,el-zorro",
    )


def test_the_state_of_a_position() -> None:
    assert state_json(a_position()) == json.loads(STATE)


def test_the_line_of_a_decision() -> None:
    position = a_position()
    assert decision_line(position, position.parse_move("take rum")) == {
        "type": "decision",
        "seat": 1,
        "kind": "pick",
        "legal": ["take sugar", "take citrus", "take tobacco", "take rum", "take cigars"],
        "chosen": "take rum",
        "state": json.loads(STATE),
    }


def test_the_line_of_a_roll() -> None:
    assert roll_line(2, (1, 4, 0, 2, 3)) == {
        "type": "roll",
        "seat": 2,
        "dice": {"sugar": 1, "citrus": 4, "tobacco": 0, "rum": 2, "cigars": 3},
    }


def test_the_line_of_the_setup() -> None:
    line = setup_line(a_position().layout, 2, seed="0a1f")
    assert list(line) == [
        *("type", "players", "citizens", "buildings"),
        *("space_flowers", "citizen_flowers", "seed"),
    ]
    assert (line["type"], line["players"], line["seed"]) == ("setup", 2, "0a1f")
    assert line["citizens"][:3] == ["pedro", "maria", "jose"]
    assert line["buildings"][-2:] == ["trading-office", "newspaper"]
    flowers = [flower for flower in ("yellow", "blue", "red", "white") for _ in range(3)]
    assert line["space_flowers"] == flowers
    assert setup_line(a_position().layout, 2)["seed"] is None


def test_the_result_is_told_as_it_stood_before_scoring() -> None:
    """E1 counts in the scores only; the marker that reached the chequered flag shows 4 (H6)."""
    position = table(
        player(rum=4, vp=5), player(vp=6, pesos=0), next_stop="harbour", ship=7, value=4
    )
    played(position, "drive 1", "pass")
    outcome = position.outcome()
    assert outcome is not None
    line = result_line(position, outcome)
    assert (line["type"], line["reason"]) == ("result", "ships")
    assert (line["state"]["ship"], line["state"]["value"], line["state"]["car"]) == (7, 4, 0)
    assert line["state"]["demand"] == {"sugar": 2, "citrus": 1, "tobacco": 1, "rum": 1}
    assert [one["vp"] for one in line["state"]["players"]] == [5, 6]
    assert line["scores"] == [
        {"seat": 0, "vp": 6, "leftover": 1, "pesos": 3, "rank": 1},
        {"seat": 1, "vp": 6, "leftover": 0, "pesos": 0, "rank": 2},
    ]


def test_the_demand_is_empty_while_none_is_rolled_or_chosen() -> None:
    position = table(player(), player(), phase="roll", demand="none")
    assert state_json(position)["demand"] == {}
    rolled(position, sugar=3)
    assert state_json(position)["demand"] == {}
    played(position, "exclude rum")
    assert state_json(position)["demand"] == {"sugar": 3, "citrus": 0, "tobacco": 0, "cigars": 0}


def a_trace(seed: int) -> list[Line]:
    luck = Random(seed)
    return list(trace_out(Position.start(Layout.shuffled(luck), 4), luck))


def test_a_whole_trace_runs_from_the_setup_over_rolls_and_decisions_to_the_result() -> None:
    lines = a_trace(11)
    kinds = [line["type"] for line in lines]
    assert kinds[:3] == ["setup", "roll", "decision"]
    assert kinds[-1] == "result"
    assert set(kinds[3:-1]) == {"roll", "decision"}
    assert json.loads(json.dumps(lines)) == lines


def test_forced_decisions_stand_in_no_trace() -> None:
    decisions = [line for line in a_trace(12) if line["type"] == "decision"]
    assert all(len(line["legal"]) > 1 for line in decisions)
    assert all(line["chosen"] in line["legal"] for line in decisions)
