"""Driving the car: D1 to D3."""

import pytest

from tests.rules.table import awaited, legal, played, player, table


def drives(most: int) -> set[str]:
    return {f"drive {stops}" for stops in range(1, most + 1)}


@pytest.mark.parametrize("pesos", [0, 1, 3, 12, 127, 128, 200])
def test_d1_one_step_is_free_and_each_further_one_costs_a_peso(pesos: int) -> None:
    position = table(player(pesos=pesos), player(pesos=0))
    assert legal(position) == drives(pesos + 1)


def test_d1_from_maria_to_pedro_for_two_pesos() -> None:
    """The rulebook's first example: Martina drives from María to Pedro, three stops on (D1), and
    his white flower tells her where the pawn must go (B1)."""
    street = [
        *("maria", "jose", "miguel", "pedro"),
        *("martinez", "conchita", "el-zorro", "pablo", "alonso"),
    ]
    position = table(player(pesos=3), player(), car="maria", street=street)
    assert played(position, "drive 3") == {"car": 4, "p0 pesos": -2, "p0 tobacco": +2}
    assert awaited(position) == "seat 0: visit"
    assert legal(position) == {"visit harbour-office", "visit trading-office", "visit newspaper"}


def test_d1_a_player_without_pesos_drives_to_the_next_stop() -> None:
    position = table(player(pesos=0), player(pesos=0), next_stop="maria")
    assert legal(position) == {"drive 1"}
    assert played(position, "drive 1") == {"car": 2, "p0 vp": +2}


def test_d1_a_full_lap_is_legal_for_whoever_pays_it() -> None:
    position = table(player(pesos=9), player(), car="maria")
    assert played(position, "drive 10") == {"p0 pesos": -9, "p0 vp": +2, "value": 3}


@pytest.mark.parametrize(
    ("car", "stops", "value"),
    [
        ("alonso", 1, 3),  # stops at the harbour: not D2, but nobody can deliver (H3)
        ("alonso", 2, 3),  # passes it
        ("pablo", 3, 3),
        ("harbour", 1, 2),  # drives off from it
        ("harbour", 10, 3),  # a full lap from harbour to harbour passes it not once
        ("harbour", 11, 3),
        ("alonso", 12, 4),  # passes it twice
    ],
)
def test_d2_the_value_rises_when_the_car_passes_the_harbour(
    car: str, stops: int, value: int
) -> None:
    position = table(player(pesos=20), player(), car=car)
    played(position, f"drive {stops}")
    assert position.value == value
    assert position.ship == 1


def test_d2_from_four_the_ship_leaves_while_the_car_passes() -> None:
    position = table(player(), player(), car="alonso", value=4)
    assert played(position, "drive 3") == {
        "car": 2,
        "p0 pesos": -2,
        "p0 vp": +2,  # María
        "ship": 2,
        "value": 2,
        "demand": "none",
    }
    assert awaited(position) == "seat 0: visit"


def test_d2_a_very_long_drive_moves_the_marker_more_than_once() -> None:
    position = table(player(pesos=40), player(), car="alonso", value=3)
    changes = played(position, "drive 32")  # four times past the harbour: 4, ship 2, 3, 4
    assert changes == {"car": 1, "p0 pesos": -31, "p0 tobacco": +2, "ship": 2, "value": 4} | {
        "demand": "none"
    }


ALL_BUT_PABLO = "pedro,maria,jose,martinez,conchita,miguel,el-zorro,alonso"


def test_d3_citizens_wake_where_the_car_passes() -> None:
    position = table(player(), player(), car="maria", silenced="maria,jose,martinez,conchita")
    played(position, "drive 3")
    assert (position.car, awaited(position)) == (5, "seat 1: drive")  # Conchita gives nothing (C6)
    assert played(position, "drive 1")["silenced"] == []  # and wakes when the car leaves


def test_d3_the_citizen_at_whose_stop_the_car_stands_wakes_at_the_next_drive() -> None:
    position = table(player(), player(), car="pedro", silenced="pedro")
    assert played(position, "drive 1") == {"car": 2, "p0 vp": +2, "silenced": []}


def test_d3_those_ahead_of_the_car_stay_silenced() -> None:
    position = table(player(), player(), car="miguel", silenced=ALL_BUT_PABLO)
    changes = played(position, "drive 1")
    assert changes["silenced"] == ALL_BUT_PABLO.replace("miguel,", "").split(",")


def test_d3_passing_the_harbour_wakes_those_on_both_sides_of_it() -> None:
    position = table(player(), player(), car="pablo", silenced="alonso,pedro,maria")
    changes = played(position, "drive 4")  # past Alonso, the harbour and Pedro to María
    assert changes == {"car": 2, "p0 pesos": -3, "value": 3, "silenced": ["maria"]}


def test_d3_a_full_lap_wakes_the_citizen_where_it_ends() -> None:
    position = table(player(pesos=9), player(), car="maria", silenced="maria")
    changes = played(position, "drive 10")
    assert changes == {"p0 pesos": -9, "p0 vp": +2, "silenced": [], "value": 3}
