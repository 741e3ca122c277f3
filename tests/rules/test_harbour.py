"""Delivery rounds: H1 to H3, and the rulebook's examples of them."""

import pytest

from referee.rules import Position
from tests.rules.table import awaited, legal, played, player, rolled, table

WANTED = "sugar:2,citrus:4,tobacco:0,rum:1"


def the_example() -> Position:
    """Peter has driven into the harbour; the value is 3."""
    peter = player(citrus=2, rum=1)
    martina = player(sugar=2)
    philipp = player(sugar=2, citrus=2)
    wolf = player(cigars=1)
    return table(peter, martina, philipp, wolf, next_stop="harbour", demand=WANTED, value=3)


def up_to_the_last_citrus(position: Position) -> None:
    assert played(position, "drive 1") == {"car": 0}
    assert awaited(position) == "seat 0: deliver"
    assert legal(position) == {"deliver citrus 1", "deliver citrus 2", "deliver rum 1", "pass"}
    assert played(position, "deliver citrus 2") == {
        "p0 citrus": -2,
        "p0 vp": +6,
        "demand": "sugar:2,citrus:2,tobacco:0,rum:1",
    }
    assert awaited(position) == "seat 1: deliver"
    assert played(position, "deliver sugar 2") == {
        "p1 sugar": -2,
        "p1 vp": +6,
        "demand": "sugar:0,citrus:2,tobacco:0,rum:1",
    }
    assert awaited(position) == "seat 2: deliver"  # his two sugar are no longer wanted
    assert legal(position) == {"deliver citrus 1", "deliver citrus 2", "pass"}
    assert played(position, "deliver citrus 1") == {
        "p2 citrus": -1,
        "p2 vp": +3,
        "demand": "sugar:0,citrus:1,tobacco:0,rum:1",
    }
    assert awaited(position) == "seat 0: deliver"  # Wolf has nothing and must pass
    assert played(position, "deliver rum 1") == {
        "p0 rum": -1,
        "p0 vp": +3,
        "demand": "sugar:0,citrus:1,tobacco:0,rum:0",
    }
    assert awaited(position) == "seat 2: deliver"


def test_h1_h2_the_delivery_round_at_value_three() -> None:
    """The rulebook's example of a delivery round (H1, H2), which ends with one citrus still
    wanted: the value rises to 4 (H3)."""
    position = the_example()
    up_to_the_last_citrus(position)
    assert played(position, "pass") == {"value": 4}
    assert awaited(position) == "seat 1: drive"


def test_h1_h4_the_last_citrus_would_have_let_the_ship_leave() -> None:
    """The example's last sentence: had somebody delivered it, a new ship would have come."""
    position = the_example()
    up_to_the_last_citrus(position)
    assert played(position, "deliver citrus 1") == {
        "p2 citrus": -1,
        "p2 vp": +3,
        "ship": 2,
        "value": 2,
        "demand": "none",
    }
    assert awaited(position) == "seat 0: roll"  # Peter's turn, though Philipp delivered


def test_h1_wood_in_place_of_one_demanded_good() -> None:
    """The rulebook's example of wood (H1, H2): demand of 2 sugar, 2 rum, 1 tobacco; two wood go
    for the sugar or for the rum, never for one rum and one tobacco, nor with a sugar."""
    wanted = "sugar:2,tobacco:1,rum:2,cigars:0"
    me = player(wood=2, sugar=1)
    position = table(me, player(), next_stop="harbour", demand=wanted, value=4)
    played(position, "drive 1")
    assert legal(position) == {
        "deliver sugar 1",
        *("deliver wood 1 as sugar", "deliver wood 2 as sugar"),
        *("deliver wood 1 as rum", "deliver wood 2 as rum"),
        "deliver wood 1 as tobacco",
        "pass",
    }
    assert played(position, "deliver wood 2 as rum") == {
        "p0 wood": -2,
        "p0 vp": +2,  # 1 VP each, though the value is 4
        "demand": "sugar:2,tobacco:1,rum:0,cigars:0",
    }


def test_h1_up_to_what_is_held_and_what_is_demanded() -> None:
    wanted = "sugar:1,citrus:4,tobacco:2,rum:0"
    me = player(sugar=3, citrus=2, rum=2, cigars=2)
    position = table(me, player(), next_stop="harbour", demand=wanted)
    played(position, "drive 1")
    assert legal(position) == {
        "deliver sugar 1",
        "deliver citrus 1",
        "deliver citrus 2",
        "pass",  # tobacco is not held, rum no longer wanted, cigars were excluded
    }


def test_h1_the_active_player_first_then_clockwise() -> None:
    ready = player(sugar=1)
    position = table(ready, ready, ready, active=1, next_stop="harbour", demand=WANTED)
    played(position, "drive 1")
    order = []
    while position.kind == "deliver":
        order.append(position.seat)
        played(position, "pass")
    assert order == [1, 2, 0]
    assert awaited(position) == "seat 2: drive"


def test_h1_whoever_passes_is_out_for_this_round() -> None:
    position = table(
        player(sugar=1, citrus=1), player(citrus=2), next_stop="harbour", demand=WANTED
    )
    played(position, "drive 1", "pass")
    for _ in range(2):
        assert awaited(position) == "seat 1: deliver"
        played(position, "deliver citrus 1")
    assert awaited(position) == "seat 1: drive"
    assert position.value == 3


def test_h1_nobody_is_asked_where_nobody_can_deliver() -> None:
    position = table(player(cigars=3), player(), player(), next_stop="harbour", demand=WANTED)
    assert played(position, "drive 1") == {"car": 0, "value": 3}
    assert awaited(position) == "seat 1: drive"


@pytest.mark.parametrize("value", [2, 3, 4])
def test_h2_the_value_for_each_plain_good_and_one_for_each_wood(value: int) -> None:
    me = player(citrus=3, wood=2)
    position = table(me, player(), next_stop="harbour", demand=WANTED, value=value)
    played(position, "drive 1")
    assert played(position, "deliver citrus 3")["p0 vp"] == 3 * value
    assert played(position, "deliver wood 2 as sugar")["p0 vp"] == 2


def test_h2_the_delivered_goods_go_back_to_the_supply() -> None:
    position = table(player(citrus=8), player(), next_stop="harbour", demand=WANTED)
    played(position, "drive 1", "deliver citrus 4", "drive 1", "visit newspaper", "pass")
    # Conchita had none to give; now she has again (C1).
    assert played(position, "drive 4")["p0 citrus"] == 2


@pytest.mark.parametrize("value", [2, 3])
def test_h3_with_demand_left_the_value_rises(value: int) -> None:
    position = table(player(), player(), next_stop="harbour", value=value)
    assert played(position, "drive 1") == {"car": 0, "value": value + 1}
    assert awaited(position) == "seat 1: drive"


def test_h3_from_four_the_ship_leaves() -> None:
    position = table(player(sugar=1), player(), next_stop="harbour", value=4)
    played(position, "drive 1")
    changes = played(position, "pass")
    assert changes == {"ship": 2, "value": 2, "demand": "none"}
    assert awaited(position) == "seat 0: roll"
    rolled(position, sugar=3, rum=2)
    assert played(position, "exclude cigars") == {"demand": "sugar:3,citrus:0,tobacco:0,rum:2"}
    assert awaited(position) == "seat 1: drive"
