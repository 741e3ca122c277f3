"""Changes: the difference of two states, as the replay page tells it."""

from referee.rules import Position
from referee.rules.trace import Change, changes, state_json
from tests.rules.table import played, player, table


def changed(position: Position, *moves: str) -> list[Change]:
    before = state_json(position)
    played(position, *moves)
    return changes(before, state_json(position))


def test_gains_and_losses_by_how_much() -> None:
    position = table(player(sugar=2), player(), next_stop="harbour", value=3)
    found = changed(position, "drive 1", "deliver sugar 2", "drive 1", "visit newspaper", "pass")
    assert {"seat": 0, "what": "vp", "by": 6} in found
    assert {"seat": 0, "what": "sugar", "by": -2} in found
    assert {"seat": 1, "what": "tobacco", "by": 2} in found
    assert {"seat": 1, "what": "pawn", "from": None, "to": "newspaper"} in found


def test_the_table_from_what_to_what() -> None:
    position = table(player(), player(), car="alonso", silenced="alonso", value=2)
    assert changed(position, "drive 2") == [
        {"seat": 0, "what": "pesos", "by": -1},
        {"seat": 0, "what": "tobacco", "by": 2},
        {"seat": None, "what": "car", "from": 9, "to": 1},
        {"seat": None, "what": "value", "from": 2, "to": 3},
        {"seat": None, "what": "silenced:alonso", "from": True, "to": False},
    ]


def test_owners_and_markers() -> None:
    position = table(player(), player(), phase="lawyer", car="alonso")
    assert changed(position, "own cafe") == [
        {"seat": 0, "what": "markers", "by": -1},
        {"seat": None, "what": "owner:cafe", "from": None, "to": 0},
    ]


def test_a_demand_that_goes_and_one_that_comes() -> None:
    wanted = "sugar:1,citrus:0,tobacco:0,rum:0"
    position = table(player(), player(), phase="visit", car="jose", demand=wanted)
    found = changed(position, "visit customs", "clear sugar")
    assert {"seat": None, "what": "ship", "from": 1, "to": 2} in found
    assert {"seat": None, "what": "demand:sugar", "from": 1, "to": None} in found
    assert {"seat": None, "what": "demand:rum", "from": 0, "to": None} in found
    position.roll((3, 0, 0, 1, 0))
    found = changed(position, "exclude citrus")
    assert {"seat": None, "what": "demand:sugar", "from": None, "to": 3} in found
    assert {"seat": None, "what": "turn", "from": 13, "to": 14} in found
    assert {"seat": None, "what": "active", "from": 0, "to": 1} in found
    assert not any(change["what"] == "demand:citrus" for change in found)


def test_nothing_changes_by_passing() -> None:
    position = table(player(), player(), phase="lawyer", car="alonso")
    assert changed(position, "pass") == []
