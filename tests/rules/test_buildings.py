"""What the buildings do: B4 to B9, and that whatever asks can be declined, B11."""

import pytest

from referee.rules import Position
from tests.rules.table import CITY, Goods, awaited, legal, played, player, table

SENDER = ("conchita", "miguel", "pablo", "pedro")  # yellow, blue, red, white


def visiting(
    building: str,
    me: str,
    other: str = player(),
    demand: str = "sugar:2,citrus:1,tobacco:1,rum:1",
    value: int = 2,
) -> Position:
    """Seat 0 has just moved the pawn to a building; the citizen's gifts are over."""
    sender = SENDER[CITY.index(building) // 3]
    position = table(me, other, car=sender, phase="visit", demand=demand, value=value)
    played(position, f"visit {building}")
    return position


def test_c2_the_bank_gives_two_pesos_unasked() -> None:
    position = table(player(), player(), phase="visit", car="miguel")
    assert played(position, "visit bank") == {"p0 pawn": "bank", "p0 pesos": +2}
    assert awaited(position) == "seat 1: drive"


def test_c2_the_church_gives_a_vp_unasked() -> None:
    position = table(player(), player(), phase="visit", car="pablo")
    assert played(position, "visit church") == {"p0 pawn": "church", "p0 vp": +1}
    assert awaited(position) == "seat 1: drive"


@pytest.mark.parametrize(
    ("building", "given", "got"),
    [("distillery", "sugar", "rum"), ("cigar-factory", "tobacco", "cigars")],
)
def test_b4_as_many_as_one_likes_for_as_many(building: str, given: str, got: str) -> None:
    position = visiting(building, player(sugar=3, tobacco=3))
    assert awaited(position) == "seat 0: function"
    assert legal(position) == {"convert 1", "convert 2", "convert 3", "pass"}
    assert played(position, "convert 2") == {f"p0 {given}": -2, f"p0 {got}": +2}
    assert awaited(position) == "seat 1: drive"


def test_b4_no_more_than_the_supply_has_of_the_product() -> None:
    goods: Goods = {"sugar": 4, "tobacco": 4, "rum": 2, "cigars": 1}
    distillery = visiting("distillery", player(**goods), player(rum=4))
    assert legal(distillery) == {"convert 1", "convert 2", "pass"}
    cigar_factory = visiting("cigar-factory", player(**goods), player(cigars=6))
    assert legal(cigar_factory) == {"convert 1", "pass"}


@pytest.mark.parametrize(("sugar", "rum"), [(0, 0), (3, 8)])
def test_b4_nothing_is_asked_without_goods_or_without_supply(sugar: int, rum: int) -> None:
    position = visiting("distillery", player(sugar=sugar), player(rum=rum))
    assert awaited(position) == "seat 1: drive"


def test_b5_one_plain_good_for_another_that_the_supply_has() -> None:
    position = visiting("black-market", player(rum=2, citrus=1, wood=3), player(tobacco=8))
    assert legal(position) == {
        *("swap rum sugar", "swap rum citrus", "swap rum cigars"),
        *("swap citrus sugar", "swap citrus rum", "swap citrus cigars"),
        "pass",
    }
    assert played(position, "swap rum cigars") == {"p0 rum": -1, "p0 cigars": +1}


def test_b5_wood_cannot_be_swapped() -> None:
    assert awaited(visiting("black-market", player(wood=5))) == "seat 1: drive"


def test_b6_the_sawmill_takes_one_wood_for_a_vp_and_a_peso() -> None:
    position = visiting("sawmill", player(wood=2))
    assert legal(position) == {"sell wood", "pass"}
    assert played(position, "sell wood") == {"p0 wood": -1, "p0 vp": +1, "p0 pesos": +1}
    assert awaited(visiting("sawmill", player(sugar=2))) == "seat 1: drive"


@pytest.mark.parametrize(
    ("rum", "cigars", "offers"),
    [
        (2, 0, {"serve rum"}),
        (0, 3, {"serve cigars"}),
        (2, 2, {"serve rum", "serve cigars", "serve rum cigars"}),
    ],
)
def test_b6_the_cafe_takes_one_rum_and_one_cigars_at_most(
    rum: int, cigars: int, offers: set[str]
) -> None:
    assert legal(visiting("cafe", player(rum=rum, cigars=cigars))) == offers | {"pass"}


@pytest.mark.parametrize(
    ("move", "changes"),
    [
        ("serve rum", {"p0 rum": -1, "p0 vp": +2}),
        ("serve cigars", {"p0 cigars": -1, "p0 vp": +2}),
        ("serve rum cigars", {"p0 rum": -1, "p0 cigars": -1, "p0 vp": +4}),
    ],
)
def test_b6_the_cafe_pays_two_vp_for_each(move: str, changes: dict[str, object]) -> None:
    assert played(visiting("cafe", player(rum=2, cigars=2)), move) == changes


def test_b6_the_cafe_asks_nothing_of_whoever_has_neither() -> None:
    assert awaited(visiting("cafe", player(sugar=2, wood=1))) == "seat 1: drive"


def test_b7_customs_turn_one_die_to_zero() -> None:
    position = visiting("customs", player(), demand="sugar:2,citrus:0,rum:3,cigars:1")
    assert legal(position) == {"clear sugar", "clear rum", "clear cigars", "pass"}
    assert played(position, "clear rum") == {"demand": "sugar:2,citrus:0,rum:0,cigars:1"}


def test_b7_the_trading_office_takes_one_demanded_good_for_exactly_two_vp() -> None:
    wanted = "sugar:2,citrus:1,tobacco:0,rum:1"
    me = player(sugar=2, tobacco=1, rum=1, cigars=1, wood=2)
    position = visiting("trading-office", me, demand=wanted, value=4)
    assert legal(position) == {"ship sugar", "ship rum", "pass"}  # no wood
    assert played(position, "ship sugar") == {
        "p0 sugar": -1,
        "p0 vp": +2,  # though the value is 4
        "demand": "sugar:1,citrus:1,tobacco:0,rum:1",
    }


def test_b7_the_trading_office_asks_nothing_of_whoever_has_no_demanded_good() -> None:
    assert awaited(visiting("trading-office", player(cigars=3, wood=1))) == "seat 1: drive"


@pytest.mark.parametrize(
    ("pesos", "vp", "offers"),
    [
        (2, 0, set()),
        (3, 0, {"buy 1"}),
        (11, 2, {"buy 1", "buy 2", "buy 3", "sell 1", "sell 2"}),
        (0, 3, {"sell 1", "sell 2", "sell 3"}),
    ],
)
def test_b8_the_casino_trades_vp_at_three_pesos_each(pesos: int, vp: int, offers: set[str]) -> None:
    position = visiting("casino", player(pesos=pesos, vp=vp))
    if offers:
        assert legal(position) == offers | {"pass"}
    else:
        assert awaited(position) == "seat 1: drive"


@pytest.mark.parametrize(("pesos", "vp"), [(383, 127), (384, 127), (383, 128), (999, 300)])
def test_b8_the_casino_knows_no_highest_stake(pesos: int, vp: int) -> None:
    bought = {f"buy {n}" for n in range(1, pesos // 3 + 1)}
    sold = {f"sell {n}" for n in range(1, vp + 1)}
    assert legal(visiting("casino", player(pesos=pesos, vp=vp))) == bought | sold | {"pass"}


def test_b8_the_casino_goes_in_one_direction_a_visit() -> None:
    buying = visiting("casino", player(pesos=11, vp=2))
    assert played(buying, "buy 3") == {"p0 pesos": -9, "p0 vp": +3}
    assert awaited(buying) == "seat 1: drive"
    selling = visiting("casino", player(pesos=11, vp=2))
    assert played(selling, "sell 2") == {"p0 pesos": +6, "p0 vp": -2}
    assert awaited(selling) == "seat 1: drive"


def test_b9_the_harbour_office_moves_the_value_by_one() -> None:
    assert legal(visiting("harbour-office", player(), value=2)) == {"raise", "pass"}
    for value in (3, 4):
        position = visiting("harbour-office", player(), value=value)
        assert legal(position) == {"raise", "lower", "pass"}
        assert played(position, "lower") == {"value": value - 1}
    assert played(visiting("harbour-office", player(), value=3), "raise") == {"value": 4}


def test_b9_from_four_the_ship_leaves() -> None:
    position = visiting("harbour-office", player(), value=4)
    assert played(position, "raise") == {"ship": 2, "value": 2, "demand": "none"}
    assert awaited(position) == "seat 0: roll"


ASKING = sorted(set(CITY) - {"bank", "church"})


@pytest.mark.parametrize("building", ASKING)
def test_b11_whatever_asks_can_be_declined(building: str) -> None:
    goods: Goods = {"sugar": 1, "tobacco": 1, "rum": 1, "cigars": 1, "wood": 1}
    position = visiting(building, player(pesos=3, vp=1, **goods))
    assert awaited(position) == "seat 0: function"
    assert played(position, "pass") == {}
    assert awaited(position) == "seat 1: drive"


def test_b11_through_the_lawyer_too_and_the_pawn_still_moves() -> None:
    position = table(player(rum=1), player(), next_stop="alonso", owners="cafe:0")
    played(position, "drive 1", "use cafe")
    assert legal(position) == {"serve rum", "pass"}
    assert played(position, "pass") == {}
    assert awaited(position) == "seat 0: visit"
