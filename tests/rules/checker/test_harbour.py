"""Buildings, deliveries, ships and scores in scenes that are set by hand."""

import pytest

from .buildings import use
from .game import pay_owner, play, turn
from .harbour import delivery_round
from .scene import STREET, change, dice, goods, kinds, legal, run, scene, setup_of
from .scoring import scores
from .ships import GameOver, roll_demand
from .start import table_of


@pytest.mark.parametrize(
    ("building", "offered"),
    [
        ("bank", set()),
        ("church", set()),
        ("distillery", {"convert 1"}),
        ("cigar-factory", set()),
        ("black-market", {"swap sugar tobacco", "swap sugar rum", "swap rum tobacco"}),
        ("sawmill", {"sell wood"}),
        ("cafe", {"serve rum"}),
        ("customs", {"clear sugar", "clear citrus", "clear tobacco", "clear rum"}),
        ("casino", {"buy 1", "sell 1", "sell 2"}),
        ("harbour-office", {"raise"}),
        ("trading-office", {"ship sugar", "ship rum"}),
        ("newspaper", {f"silence {name}" for name in STREET} - {"silence pablo"}),
    ],
)
def test_what_buildings_offer(building: str, offered: set[str]) -> None:
    table = scene()
    table["silenced"] = ["pablo"]
    table["supply"] = goods(tobacco=3, rum=1)
    change(table["players"][0], pesos=4, goods=goods(sugar=3, rum=1, wood=2))
    asked = run(use(table, 0, building), *(["pass"] if offered else []))
    assert [legal(due) for due in asked] == ([offered | {"pass"}] if offered else [])


@pytest.mark.parametrize("building", ["customs", "trading-office"])
def test_h4_while_no_demand_is_rolled_no_die_can_be_turned(building: str) -> None:
    table = scene()
    table["demand"] = {}
    assert run(use(table, 0, building)) == []
    asked = run(use(table, 0, "harbour-office"), "raise")
    assert legal(asked[0]) == {"raise", "pass"}
    assert table["value"] == 3


def test_h1_the_round_goes_on_until_all_have_passed() -> None:
    table = scene(players=2)
    table["active"] = 1
    table["players"][0]["goods"] = goods(wood=2)
    answers = ["deliver tobacco 1", "deliver wood 1 as sugar", "deliver sugar 1", "pass", "pass"]
    asked = run(delivery_round(table), *answers)
    assert kinds(asked) == ["1 deliver", "0 deliver", "1 deliver", "0 deliver", "1 deliver"]
    assert legal(asked[1]) == {
        "deliver wood 1 as sugar",
        "deliver wood 2 as sugar",
        "deliver wood 1 as citrus",
        "deliver wood 1 as rum",
        "pass",
    }
    assert table["demand"] == {"sugar": 0, "citrus": 1, "tobacco": 0, "rum": 1}
    assert (table["players"][0]["vp"], table["players"][1]["vp"]) == (3, 6)
    assert table["value"] == 3


def test_h3_h4_a_harbour_turn_without_demand_raises_the_value_and_rolls_at_the_end() -> None:
    table = scene(players=2)
    change(table, car=9, value=4, owners={"church": 1})
    change(table["players"][0], pesos=10, pawn="church")
    roll = dice(sugar=3, citrus=4)
    asked = run(turn(table, setup_of(2)), "drive 11", roll, "exclude rum")
    assert kinds(asked) == ["0 drive", "0 roll", "0 demand"]
    assert (table["ship"], table["value"]) == (2, 3)
    assert table["players"][1]["vp"] == 3
    assert table["demand"] == {"sugar": 3, "citrus": 4, "tobacco": 0, "cigars": 0}


def test_h4_the_last_delivery_sends_the_ship_off_without_raising_the_next_one() -> None:
    table = scene(players=2)
    table["demand"] = {"sugar": 1, "citrus": 0, "tobacco": 0, "rum": 0}
    run(delivery_round(table), "pass", "deliver sugar 1")
    assert (table["ship"], table["value"], table["demand"]) == (2, 2, {})


def test_h6_after_the_seventh_ship_the_owner_gets_nothing() -> None:
    table = scene(players=2)
    change(table, ship=7, car=9, owners={"church": 1})
    table["demand"] = {"sugar": 0, "citrus": 0, "tobacco": 0, "rum": 1}
    change(table["players"][0], pesos=0, pawn="church", goods=goods(rum=1))
    with pytest.raises(GameOver):
        run(turn(table, setup_of(2)), "deliver rum 1")
    assert table["players"][0]["vp"] == 4
    assert table["players"][1]["vp"] == 2
    assert table["demand"]["rum"] == 0


def test_h5_a_ship_that_demands_nothing_leaves_and_the_same_player_rolls_again() -> None:
    table = scene()
    change(table, demand={}, value=3)
    answers = [dice(rum=2), "exclude rum", dice(rum=2), "exclude sugar"]
    asked = run(roll_demand(table, seat=2), *answers)
    assert kinds(asked) == ["2 roll", "2 demand", "2 roll", "2 demand"]
    assert (table["ship"], table["value"]) == (2, 2)
    assert table["demand"] == {"citrus": 0, "tobacco": 0, "rum": 2, "cigars": 0}


def test_h5_at_setup_turn_and_active_are_0_and_seven_empty_ships_end_the_game() -> None:
    setup = setup_of(3)
    table = table_of(setup)
    asked = run(play(table, setup), *[dice(), "exclude rum"] * 7)
    assert {due.seat for due in asked} == {2}
    assert (table["turn"], table["active"], table["ship"]) == (0, 0, 7)
    assert table["demand"] == {"sugar": 0, "citrus": 0, "tobacco": 0, "cigars": 0}


def test_h7_turn_300_ends_the_game_before_its_roll() -> None:
    table = scene(players=2)
    change(table, turn=300, demand={}, owners={"church": 1}, silenced=["pedro"])
    change(table["players"][0], pesos=0, pawn="church")
    with pytest.raises(GameOver) as over:
        run(turn(table, setup_of(2)))
    assert over.value.reason == "turns"
    assert table["players"][1]["vp"] == 3


def test_b12_the_own_building_pays_nothing() -> None:
    table = scene()
    table["owners"] = {"church": 0}
    table["players"][0]["pawn"] = "church"
    pay_owner(table)
    assert [player["vp"] for player in table["players"]] == [2, 2, 2]


def test_e1_e2_goods_leftovers_and_pesos_decide_and_equals_share_a_rank() -> None:
    table = scene(players=4)
    change(table["players"][0], vp=10, pesos=1, goods=goods(wood=1))
    change(table["players"][1], vp=9, pesos=1, goods=goods(rum=2, wood=2))
    change(table["players"][2], vp=10, pesos=9, goods=goods())
    change(table["players"][3], vp=8, pesos=0, goods=goods(sugar=8))
    assert [tuple(row.values()) for row in scores(table)] == [
        (0, 10, 1, 1, 2),
        (1, 10, 1, 1, 2),
        (2, 10, 0, 9, 4),
        (3, 10, 2, 0, 1),
    ]
