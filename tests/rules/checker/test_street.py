"""The drive, the citizens and the pawn in scenes that are set by hand."""

import pytest

from .citizens import meet
from .drive import drive
from .game import turn
from .names import BUILDINGS, PLAIN_GOODS
from .scene import change, goods, kinds, legal, run, scene, setup_of
from .ships import GameOver


def test_d1_every_step_but_the_first_costs_a_peso() -> None:
    table = scene()
    (due,) = run(drive(table, setup_of(3)), "drive 4")
    assert legal(due) == {"drive 1", "drive 2", "drive 3", "drive 4"}
    assert table["car"] == 4
    assert table["players"][0]["pesos"] == 0


def test_a_driver_without_pesos_is_not_asked() -> None:
    table = scene()
    table["players"][0]["pesos"] = 0
    assert run(drive(table, setup_of(3))) == []
    assert table["car"] == 1


@pytest.mark.parametrize(
    ("car", "distance", "value", "ship"),
    [
        (0, 10, 2, 1),  # starts and stops at the harbour: not passed
        (0, 11, 3, 1),
        (9, 1, 2, 1),
        (9, 2, 3, 1),
        (9, 32, 3, 2),  # passed four times: 3, 4, the ship leaves, 3
        (9, 31, 2, 2),  # passed three times, then stopped there
    ],
)
def test_d2_passing_the_harbour_raises_the_value(
    car: int, distance: int, value: int, ship: int
) -> None:
    table = scene()
    table["car"] = car
    table["players"][0]["pesos"] = 40
    run(drive(table, setup_of(3)), f"drive {distance}")
    assert (table["value"], table["ship"]) == (value, ship)
    assert (table["demand"] == {}) == (ship > 1)


def test_d3_citizens_wake_when_the_car_leaves_or_passes_them() -> None:
    table = scene()
    table["car"] = 2
    table["players"][0]["pesos"] = 20
    table["silenced"] = ["maria", "jose", "martinez", "conchita"]
    run(drive(table, setup_of(3)), "drive 2")
    assert table["silenced"] == ["martinez", "conchita"]
    run(drive(table, setup_of(3)), "drive 11")
    assert table["silenced"] == []


def test_h6_the_seventh_ship_leaves_while_the_car_passes() -> None:
    table = scene()
    change(table, ship=7, value=4, car=8, silenced=["pablo", "alonso", "maria"])
    table["players"][0]["pesos"] = 9
    with pytest.raises(GameOver):
        run(drive(table, setup_of(3)), "drive 6")
    assert table["players"][0]["pesos"] == 4
    assert table["car"] == 0
    assert table["silenced"] == ["maria"]
    assert (table["ship"], table["value"]) == (7, 4)
    assert table["demand"]["sugar"] == 2


def test_c1_whoever_is_to_get_more_than_is_left_takes_what_is_left() -> None:
    table = scene()
    table["supply"]["wood"] = 1
    run(meet(table, "miguel"))
    run(meet(table, "miguel"))
    assert table["players"][0]["goods"]["wood"] == 1
    assert table["supply"]["wood"] == 0


@pytest.mark.parametrize(("left", "asked"), [(0, 0), (1, 0), (2, 1)])
def test_c3_pablo_asks_where_there_is_a_choice(left: int, asked: int) -> None:
    table = scene()
    table["supply"] = goods(wood=5) | dict.fromkeys(PLAIN_GOODS[:left], 1)
    answers = ["take sugar"] * asked
    assert len(run(meet(table, "pablo"), *answers)) == asked
    assert table["players"][0]["goods"]["sugar"] == 1 + min(left, 1)


def test_c4_the_others_give_clockwise_from_the_left_of_the_thief() -> None:
    table = scene(players=4)
    table["active"] = 2
    change(table["players"][3], pesos=0, vp=0, goods=goods(wood=3))
    change(table["players"][0], pesos=0, vp=4, goods=goods())
    (due,) = run(meet(table, "el-zorro"), "give citrus")
    assert due.seat == 1
    assert legal(due) == {"give peso", "give vp", "give sugar", "give citrus", "give tobacco"}
    assert table["players"][2]["vp"] == 3
    assert table["players"][2]["goods"]["citrus"] == 2
    assert table["players"][0]["vp"] == 3


def test_c5_the_lawyer_offers_free_buildings_and_useful_own_ones() -> None:
    table = scene()
    table["owners"] = {"bank": 0, "sawmill": 0, "church": 1}
    table["players"][0]["markers"] = 1
    (due,) = run(meet(table, "alonso"), "use bank")
    free = {f"own {name}" for name in BUILDINGS} - {"own bank", "own sawmill", "own church"}
    assert legal(due) == free | {"use bank", "pass"}
    assert table["players"][0]["pesos"] == 5


def test_c5_without_markers_only_use_is_left_and_without_use_nothing_is_asked() -> None:
    table = scene()
    table["owners"] = {"bank": 0, "sawmill": 0, "cafe": 0}
    table["players"][0]["markers"] = 0
    (due,) = run(meet(table, "alonso"), "pass")
    assert legal(due) == {"use bank", "pass"}
    table["owners"] = {"sawmill": 0, "cafe": 0, "cigar-factory": 0}
    table["players"][0]["goods"] = goods()
    assert run(meet(table, "alonso")) == []


def test_c6_silencing_alonso_himself_does_not_change_the_turn() -> None:
    table = scene()
    change(table, car=8, owners={"newspaper": 0})
    change(table["players"][0], pesos=0)
    answers = ["use newspaper", "silence alonso", "visit newspaper", "silence maria"]
    asked = run(turn(table, setup_of(3)), *answers)
    assert kinds(asked) == ["0 lawyer", "0 function", "0 visit", "0 function"]
    assert "silence alonso" not in legal(asked[3])
    assert table["players"][0]["pesos"] == 2
    assert table["silenced"] == ["alonso", "maria"]


def test_c6_at_a_silenced_citizen_nothing_happens_but_b12() -> None:
    table = scene()
    change(table, silenced=["pedro"], owners={"bank": 2})
    change(table["players"][0], pesos=0, pawn="bank")
    assert run(turn(table, setup_of(3))) == []
    assert table["players"][0]["goods"]["tobacco"] == 1
    assert table["players"][0]["pesos"] == 0
    assert table["players"][2]["vp"] == 3
    assert table["silenced"] == ["pedro"]


def test_b1_a_pawn_with_nowhere_to_go_uses_the_building_where_it_stands() -> None:
    table = scene(players=4)
    table["owners"] = {"church": 3}
    change(table["players"][0], pesos=0, pawn="church")
    for seat, building in enumerate(BUILDINGS[9:], start=1):
        table["players"][seat]["pawn"] = building
    assert run(turn(table, setup_of(4))) == []  # Pedro is white
    assert table["players"][0]["vp"] == 3
    assert table["players"][3]["vp"] == 3


def test_b1_the_only_free_building_is_visited_unasked() -> None:
    table = scene()
    change(table["players"][0], pesos=0, pawn="harbour-office")
    table["players"][1]["pawn"] = "newspaper"
    asked = run(turn(table, setup_of(3)), "ship sugar")
    assert kinds(asked) == ["0 function"]
    assert legal(asked[0]) == {"ship sugar", "ship citrus", "ship tobacco", "pass"}
    assert table["players"][0]["pawn"] == "trading-office"
    assert table["demand"]["sugar"] == 1


def test_b2_at_el_zorro_the_building_may_be_used_again() -> None:
    table = scene(players=2)
    change(table, car=5, owners={"newspaper": 1})
    change(table["players"][0], pesos=0, pawn="newspaper")
    change(table["players"][1], vp=0, goods=goods())
    asked = run(turn(table, setup_of(2)), "pass")
    assert kinds(asked) == ["0 function"]
    assert table["players"][0]["pesos"] == 2
    assert table["players"][1]["vp"] == 1
