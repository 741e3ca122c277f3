"""What the citizens do for whoever drives to them: C1 to C6."""

import pytest

from tests.rules.table import awaited, legal, played, player, table

FREE_CITY = {
    *("own distillery", "own sawmill", "own customs"),
    *("own bank", "own cigar-factory", "own black-market"),
    *("own church", "own cafe", "own casino"),
    *("own harbour-office", "own trading-office", "own newspaper"),
}


@pytest.mark.parametrize(
    ("citizen", "what", "how_many"),
    [
        ("pedro", "tobacco", 2),
        ("maria", "vp", 2),
        ("jose", "sugar", 2),
        ("martinez", "pesos", 3),
        ("conchita", "citrus", 2),
        ("miguel", "wood", 2),
    ],
)
def test_c2_six_citizens_give_without_asking(citizen: str, what: str, how_many: int) -> None:
    position = table(player(), player(), next_stop=citizen)
    assert played(position, "drive 1") == {"car": position.car, f"p0 {what}": how_many}
    assert awaited(position) == "seat 0: visit"


@pytest.mark.parametrize("left", [0, 1, 2])
def test_c1_whoever_is_to_get_more_than_is_left_takes_what_is_left(left: int) -> None:
    position = table(player(), player(wood=8 - left), next_stop="miguel")
    expected = {"car": 7, "p0 wood": left} if left else {"car": 7}
    assert played(position, "drive 1") == expected
    assert awaited(position) == "seat 0: visit"


def test_c1_pesos_and_vp_are_never_short() -> None:
    rich = player(pesos=500, vp=500)
    assert played(table(rich, rich, next_stop="martinez"), "drive 1")["p0 pesos"] == 3
    assert played(table(rich, rich, next_stop="maria"), "drive 1")["p0 vp"] == 2


def test_c3_pablo_gives_one_plain_good_that_the_supply_has() -> None:
    position = table(player(sugar=3), player(sugar=5, rum=7), next_stop="pablo")
    assert played(position, "drive 1") == {"car": 8}
    assert awaited(position) == "seat 0: pick"
    # No wood, no sugar since all eight are held, and no declining.
    assert legal(position) == {"take citrus", "take tobacco", "take rum", "take cigars"}
    assert played(position, "take rum") == {"p0 rum": +1}
    assert legal(position) == {"visit church", "visit cafe", "visit casino"}


def hoard(cigars: int) -> str:
    """A player who holds all other plain goods there are."""
    return player(sugar=8, citrus=8, tobacco=8, rum=8, cigars=cigars)


def test_c3_pablo_does_not_ask_where_one_good_is_left() -> None:
    position = table(player(), hoard(cigars=7), next_stop="pablo")
    assert played(position, "drive 1") == {"car": 8, "p0 cigars": +1}
    assert awaited(position) == "seat 0: visit"


def test_c3_pablo_has_nothing_when_the_supply_has_none() -> None:
    position = table(player(), hoard(cigars=8), next_stop="pablo")
    assert played(position, "drive 1") == {"car": 8}
    assert awaited(position) == "seat 0: visit"


def test_c4_the_others_give_to_el_zorro_clockwise_what_they_choose() -> None:
    position = table(
        player(sugar=2, vp=5),
        player(pesos=1, vp=1, rum=2, wood=3),
        player(pesos=4, vp=2, on="bank"),
        player(pesos=0, vp=0, citrus=1, tobacco=1),
        active=2,
        next_stop="el-zorro",
    )
    assert played(position, "drive 1") == {"car": 6}
    assert awaited(position) == "seat 3: tribute"
    assert legal(position) == {"give citrus", "give tobacco"}
    assert played(position, "give tobacco") == {"p3 tobacco": -1, "p2 tobacco": +1}
    assert awaited(position) == "seat 0: tribute"
    assert legal(position) == {"give peso", "give vp", "give sugar"}
    assert played(position, "give vp") == {"p0 vp": -1, "p2 vp": +1}
    assert awaited(position) == "seat 1: tribute"
    assert legal(position) == {"give peso", "give vp", "give rum"}  # never wood
    # The thief's pawn stands on the bank, which then gives 2 pesos (B2).
    assert played(position, "give peso") == {"p1 pesos": -1, "p2 pesos": 1 + 2}
    assert awaited(position) == "seat 3: drive"


def test_c4_who_has_only_one_thing_gives_it_unasked_and_who_has_none_nothing() -> None:
    position = table(
        player(),
        player(pesos=0, vp=0, wood=2),
        player(pesos=0, vp=3),
        player(pesos=0, vp=0, cigars=4),
        next_stop="el-zorro",
    )
    changes = played(position, "drive 1")
    assert changes == {"car": 6} | {"p2 vp": -1, "p0 vp": +1, "p3 cigars": -1, "p0 cigars": +1}
    assert awaited(position) == "seat 1: drive"


def test_c5_alonso_sells_any_building_that_nobody_owns() -> None:
    position = table(
        player(), player(on="church"), next_stop="alonso", owners="bank:1,church:1,customs:1"
    )
    assert played(position, "drive 1") == {"car": 9}
    assert awaited(position) == "seat 0: lawyer"
    # Pawns do not matter, owners do; customs, bank and church are another player's.
    assert legal(position) == FREE_CITY - {"own bank", "own church", "own customs"} | {"pass"}
    assert played(position, "own casino") == {"owner casino": 0, "p0 markers": -1}
    assert legal(position) == {"visit harbour-office", "visit trading-office", "visit newspaper"}


def test_c5_a_fourth_building_cannot_be_owned() -> None:
    position = table(player(), player(), next_stop="alonso", owners="bank:0,church:0,sawmill:0")
    played(position, "drive 1")
    assert legal(position) == {"use bank", "use church", "pass"}  # no wood: no sawmill


def test_c5_alonso_asks_nothing_where_there_is_nothing_to_choose() -> None:
    position = table(player(), player(), next_stop="alonso", owners="cafe:0,distillery:0,sawmill:0")
    assert played(position, "drive 1") == {"car": 9}
    assert awaited(position) == "seat 0: visit"


def test_c5_neither_is_allowed() -> None:
    position = table(player(), player(), next_stop="alonso", owners="bank:0")
    assert played(position, "drive 1", "pass") == {"car": 9}
    assert awaited(position) == "seat 0: visit"


def test_c5_the_bank_is_used_by_the_lawyer_and_then_the_pawn_moves() -> None:
    """The rulebook's example at Alonso: Martina uses the bank that she owns for 2 pesos, then her
    pawn goes under a white flower and may use that building as well (C5, B1)."""
    position = table(player(on="church"), player(on="bank"), next_stop="alonso", owners="bank:0")
    assert played(position, "drive 1", "use bank") == {"car": 9, "p0 pesos": +2}
    assert legal(position) == {"visit harbour-office", "visit trading-office", "visit newspaper"}
    assert played(position, "visit harbour-office", "raise")["value"] == 3


def test_c5_using_a_building_may_ask_a_choice_and_the_pawn_moves_after_it() -> None:
    position = table(
        player(tobacco=2), player(on="cigar-factory"), next_stop="alonso", owners="cigar-factory:0"
    )
    played(position, "drive 1", "use cigar-factory")
    assert awaited(position) == "seat 0: function"
    assert legal(position) == {"convert 1", "convert 2", "pass"}
    assert played(position, "convert 2") == {"p0 tobacco": -2, "p0 cigars": +2}
    assert awaited(position) == "seat 0: visit"


def test_c5_the_building_under_the_own_pawn_may_be_used_too() -> None:
    position = table(player(on="bank"), player(), next_stop="alonso", owners="bank:0")
    assert played(position, "drive 1", "use bank")["p0 pesos"] == 2
    assert awaited(position) == "seat 0: visit"


def test_c6_a_silenced_citizen_does_nothing_and_neither_does_the_building() -> None:
    position = table(player(on="bank"), player(), next_stop="pedro", silenced="pedro")
    assert played(position, "drive 1") == {"car": 1}
    assert awaited(position) == "seat 1: drive"


@pytest.mark.parametrize("citizen", ["el-zorro", "pablo", "alonso", "maria"])
def test_c6_every_citizen_can_be_silenced(citizen: str) -> None:
    position = table(player(), player(), next_stop=citizen, silenced=citizen)
    assert played(position, "drive 1") == {"car": position.car}
    assert awaited(position) == "seat 1: drive"


def test_c6_silencing_the_citizen_of_the_running_turn_does_not_change_the_turn() -> None:
    position = table(player(), player(), next_stop="alonso", owners="newspaper:0")
    changes = played(position, "drive 1", "use newspaper", "silence alonso")
    assert changes == {"car": 9, "p0 pesos": +1, "silenced": ["alonso"]}
    assert awaited(position) == "seat 0: visit"
    assert played(position, "visit trading-office") == {"p0 pawn": "trading-office"}
    assert awaited(position) == "seat 1: drive"
    assert played(position, "drive 1")["silenced"] == []  # D3
