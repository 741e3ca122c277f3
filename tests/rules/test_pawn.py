"""Where the pawn goes, and who is paid for it: B1 to B3 and B12."""

import pytest

from tests.rules.table import awaited, legal, played, player, table


def test_b1_the_pawn_goes_to_one_of_three_buildings_under_the_flower() -> None:
    position = table(player(), player(), next_stop="jose")
    played(position, "drive 1")
    assert legal(position) == {"visit distillery", "visit sawmill", "visit customs"}
    assert played(position, "visit customs") == {"p0 pawn": "customs"}


def test_b1_neither_to_a_pawn_nor_where_it_stands_already() -> None:
    position = table(player(on="harbour-office"), player(on="church"), next_stop="pedro")
    played(position, "drive 1")
    assert legal(position) == {"visit trading-office", "visit newspaper"}


def test_b1_miguel_and_the_blue_flower() -> None:
    """The rulebook's example of the pawn (B1, B12): the cigar factory is taken by Philipp, the
    black market is where Martina stands, so she goes to the bank and uses it: 2 pesos; Philipp
    owns the bank: 1 VP."""
    martina = player(on="black-market")
    philipp = player(on="cigar-factory")
    position = table(martina, philipp, player(), next_stop="miguel", owners="bank:1")
    position.step(position.parse_move("drive 1"))
    assert legal(position) == {"visit bank"}  # forced, so that nobody is asked in a game

    position = table(martina, philipp, player(), next_stop="miguel", owners="bank:1")
    assert played(position, "drive 1") == {
        "car": 7,
        "p0 wood": +2,
        "p0 pawn": "bank",
        "p0 pesos": +2,
        "p1 vp": +1,
    }
    assert awaited(position) == "seat 1: drive"


@pytest.mark.parametrize(
    "pawns",
    [
        ["church", "bank", "cigar-factory", "black-market"],  # three others
        ["bank", "cigar-factory", "black-market"],  # two others and oneself
    ],
)
def test_b1_where_none_is_free_the_pawn_stays_and_its_building_may_be_used(
    pawns: list[str],
) -> None:
    position = table(*(player(on=pawn) for pawn in pawns), next_stop="martinez")
    used = {"p0 vp": +1} if pawns[0] == "church" else {"p0 pesos": 3 + 2}
    assert played(position, "drive 1") == {"car": 4, "p0 pesos": +3} | used
    assert awaited(position) == "seat 1: drive"


def test_b1_where_none_is_free_a_building_that_asks_may_be_declined() -> None:
    pawns = ["cafe", "bank", "cigar-factory", "black-market"]
    one, *others = pawns
    position = table(
        player(on=one, rum=1), *(player(on=pawn) for pawn in others), next_stop="martinez"
    )
    played(position, "drive 1")
    assert awaited(position) == "seat 0: function"
    assert legal(position) == {"serve rum", "pass"}


def test_b1_where_none_is_free_a_pawn_off_the_board_stays_there() -> None:
    taken = [player(on=pawn) for pawn in ("bank", "cigar-factory", "black-market")]
    position = table(*taken, player(), active=3, next_stop="martinez")
    assert played(position, "drive 1") == {"car": 4, "p3 pesos": +3}
    assert awaited(position) == "seat 0: drive"


def test_b2_at_el_zorro_the_pawn_stays_and_its_building_may_be_used_again() -> None:
    position = table(player(on="casino"), player(pesos=1, vp=0), next_stop="el-zorro")
    assert played(position, "drive 1") == {"car": 6, "p0 pesos": +1, "p1 pesos": -1}
    assert awaited(position) == "seat 0: function"
    assert legal(position) == {"buy 1", "sell 1", "sell 2", "pass"}


def test_b2_also_where_nobody_has_anything_to_give() -> None:
    position = table(player(on="bank"), player(pesos=0, vp=0, wood=1), next_stop="el-zorro")
    assert played(position, "drive 1") == {"car": 6, "p0 pesos": +2}
    assert awaited(position) == "seat 1: drive"


def test_b2_at_el_zorro_in_the_first_round_there_is_no_building_to_use() -> None:
    position = table(player(), player(pesos=1, vp=0), next_stop="el-zorro", turn=1)
    played(position, "drive 1")
    assert awaited(position) == "seat 1: drive"


def test_b3_at_the_harbour_the_pawn_stays_and_its_building_is_not_used() -> None:
    position = table(player(on="bank"), player(), next_stop="harbour")
    assert played(position, "drive 1") == {"car": 0, "value": 3}
    assert awaited(position) == "seat 1: drive"


OWNED = "bank:1,church:0,cafe:2"


def test_b12_the_owner_of_the_building_gets_a_vp_after_a_visit() -> None:
    position = table(player(), player(), player(), next_stop="maria", owners=OWNED)
    changes = played(position, "drive 1", "visit cafe")
    assert changes == {"car": 2, "p0 vp": +2, "p0 pawn": "cafe", "p2 vp": +1}


def test_b12_also_where_the_function_is_declined() -> None:
    position = table(player(rum=1), player(), player(), next_stop="maria", owners=OWNED)
    changes = played(position, "drive 1", "visit cafe", "pass")
    assert changes == {"car": 2, "p0 vp": +2, "p0 pawn": "cafe", "p2 vp": +1}


def test_b12_nothing_for_ones_own_building() -> None:
    position = table(player(), player(), next_stop="maria", owners="church:0")
    changes = played(position, "drive 1", "visit church")
    assert changes == {"car": 2, "p0 vp": 2 + 1, "p0 pawn": "church"}  # María and the church


@pytest.mark.parametrize("turn", ["harbour", "pedro", "el-zorro"])
def test_b12_after_every_kind_of_turn(turn: str) -> None:
    """Harbour, silenced citizen, El Zorro: the pawn did not move, the owner is paid."""
    position = table(
        player(on="cafe"), player(pesos=0, vp=0), next_stop=turn, owners="cafe:1", silenced="pedro"
    )
    assert played(position, "drive 1")["p1 vp"] == 1
    assert awaited(position) == "seat 1: drive"


def test_b12_also_where_no_building_was_free() -> None:
    pawns = [player(on=pawn) for pawn in ("bank", "cigar-factory", "black-market")]
    position = table(*pawns, next_stop="miguel", owners="bank:2")
    assert played(position, "drive 1")["p2 vp"] == 1


def test_b12_a_building_owned_in_this_very_turn_pays_nobody_else() -> None:
    position = table(player(), player(), next_stop="alonso")
    changes = played(position, "drive 1", "own newspaper", "visit newspaper", "pass")
    assert "p0 vp" not in changes
    assert "p1 vp" not in changes
