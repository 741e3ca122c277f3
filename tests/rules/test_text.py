"""Positions as text: what is written, and what is refused and why."""

import pytest

from referee.rules import InvalidPosition, Position
from tests.rules.table import player, table

LINE = str(table(player(on="bank", rum=2), player(pesos=0, vp=12), owners="bank:1,cafe:0"))


def test_the_text_of_a_position() -> None:
    assert LINE == (
        "citizens=pedro:white,maria:red,jose:yellow,martinez:blue,conchita:yellow,el-zorro:none,"
        "miguel:blue,pablo:red,alonso:white "
        "buildings=distillery,sawmill,customs,bank,cigar-factory,black-market,church,cafe,casino,"
        "harbour-office,trading-office,newspaper "
        "turn=13 active=0 ship=1 value=2 car=0 silenced=none "
        "demand=sugar:2,citrus:1,tobacco:1,rum:1 owners=bank:1,cafe:0 phase=drive seat=0 "
        "p0=3/2/0,0,0,2,0,0/bank p1=0/12/0,0,0,0,0,0/none"
    )


WHO = [player(sugar=1, on="bank"), player(sugar=2, pesos=1)]
EVERY_PHASE = [
    table(*WHO),
    table(*WHO, phase="visit", car="pedro", silenced="maria,alonso"),
    table(*WHO, phase="visit", car="pedro", demand="none"),
    table(player(on="casino"), *WHO, phase="function", function="casino", car="maria"),
    table(*WHO, phase="function", function="newspaper:lawyer", car="alonso", owners="newspaper:0"),
    table(*WHO, phase="deliver", seat=1, round="1"),
    table(*WHO, *WHO[1:], phase="deliver", seat=2, active=1, round="0,2"),
    table(*WHO, phase="pick", car="pablo"),
    table(*WHO, phase="lawyer", car="alonso"),
    table(*WHO, phase="tribute", car="el-zorro", seat=1),
    table(*WHO, phase="roll", demand="none"),
    table(*WHO, phase="roll", demand="none", turn=0, seat=1),
    table(*WHO, phase="demand", demand="none", dice="0,4,3,2,1"),
    table(*WHO, phase="over", ship=7, reason="ships"),
    table(*WHO, phase="over", ship=7, demand="none", reason="ships"),
    table(*WHO, phase="over", turn=300, reason="turns"),
]


@pytest.mark.parametrize("position", EVERY_PHASE, ids=lambda position: str(position.kind))
def test_position_to_text_to_position_is_the_identity_in_every_phase(position: Position) -> None:
    again = Position.parse(str(position))
    assert again == position
    assert str(again) == str(position)
    assert again.legal_moves == position.legal_moves


def test_parts_may_stand_in_any_order_and_far_apart() -> None:
    assert Position.parse("   ".join(reversed(LINE.split()))) == Position.parse(LINE)


CHANGES = [
    # Parts
    ("turn=13 ", "", "lacks turn="),
    ("turn=13", "turn=13 turn=13", "key=value, each once"),
    ("turn=13", "turn", "key=value, each once; not 'turn'"),
    ("turn=13", "turn=13 round=0,1", "does not belong: round="),
    ("turn=13", "turn=13 p3=0/0/0,0,0,0,0,0/none", "lacks p2="),
    ("turn=13", "turn=13 p4=0/0/0,0,0,0,0,0/none", "does not belong: p4="),
    (
        "bank:1,cafe:0 phase=drive seat=0 p0=3/2/0,0,0,2,0,0/bank p1",
        "none phase=drive seat=0 p0",
        "two to four",
    ),
    # Numbers
    ("turn=13", "turn=x", "In turn= a number"),
    ("turn=13", "turn=-1", "In turn= a number"),
    ("turn=13", "turn=013", "In turn= a number"),
    ("turn=13", "turn=٣", "In turn= a number"),
    ("turn=13", "turn=" + "9" * 400, "In turn= a number"),
    ("turn=13", "turn=301", "out of its range"),
    ("active=0", "active=2", "out of its range"),
    ("ship=1", "ship=0", "out of its range"),
    ("ship=1", "ship=8", "out of its range"),
    ("value=2", "value=1", "out of its range"),
    ("value=2", "value=5", "out of its range"),
    ("car=0", "car=10", "out of its range"),
    # Names
    ("pedro:white", "pedra:white", "must be one of pedro"),
    ("pedro:white", "pedro:green", "must be one of yellow"),
    ("pedro:white", "pedro", "must be one of yellow"),
    ("pedro:white", "maria:white", "a name stands twice"),
    ("pedro:white,", "", "nine citizens"),
    ("customs,", "", "twelve buildings"),
    ("customs,", "bank,", "a name stands twice"),
    ("phase=drive", "phase=fly", "must be one of drive"),
    ("silenced=none", "silenced=bank", "must be one of pedro"),
    ("silenced=none", "silenced=pedro,pedro", "a name stands twice"),
    # The ship
    ("sugar:2,", "", "four goods"),
    ("sugar:2,", "sugar:2,sugar:2,", "a name stands twice"),
    ("sugar:2,", "wood:2,", "must be one of sugar"),
    ("sugar:2,", "sugar:4,", "more than its highest face"),
    ("citrus:1,", "citrus:5,", "more than its highest face"),
    ("sugar:2,citrus:1,tobacco:1,rum:1", "sugar:0,citrus:0,tobacco:0,rum:0", "does not fit"),
    ("demand=sugar:2,citrus:1,tobacco:1,rum:1", "demand=none", "does not fit the phase"),
    # Owners
    ("bank:1", "bank:2", "belongs to seat 2"),
    ("bank:1", "bank", "In owners= a number"),
    ("bank:1", "bench:1", "must be one of bank"),
    ("bank:1", "bank:0,church:0,customs:0", "more than three buildings"),
    # Players
    ("p0=3/2/0,0,0,2,0,0/bank", "p0=3/2/0,0,0,2,0/bank", "pesos/VP/six goods/pawn"),
    ("p0=3/2/0,0,0,2,0,0/bank", "p0=3/2/0,0,0,2,0,0", "pesos/VP/six goods/pawn"),
    ("p0=3/2/0,0,0,2,0,0/bank", "p0=3/2/0,0,0,9,0,0/bank", "more than the 8 units"),
    ("p1=0/12/0,0,0,0,0,0/none", "p1=0/12/0,0,0,7,0,0/none", "more than the 8 units"),
    ("p1=0/12/0,0,0,0,0,0/none", "p1=0/12/0,0,0,0,0,0/bank", "Two pawns"),
    ("p1=0/12/0,0,0,0,0,0/none", "p1=0/12/0,0,0,0,0,0/here", "must be one of bank"),
    # The phase
    ("seat=0", "seat=1", "not the one who decides"),
    ("turn=13", "turn=0", "In turn 0 only dice"),
    ("turn=13", "turn=14", "active= is not the seat whose turn it is"),
    ("active=0", "active=1", "active= is not the seat whose turn it is"),
    ("phase=drive", "phase=visit", "does not stand where this phase is played"),
    ("phase=drive", "phase=deliver", "lacks round="),
    ("phase=drive", "phase=deliver round=1", "not the one who decides"),
    ("phase=drive", "phase=deliver round=0,7", "not the one who decides"),
    ("phase=drive seat=0", "phase=deliver seat=1 round=1", "Nothing is to be decided"),
    ("phase=drive", "phase=pick", "does not stand where"),
    ("phase=drive", "phase=lawyer", "does not stand where"),
    ("phase=drive", "phase=tribute", "not the one who decides"),
    ("phase=drive", "phase=roll", "does not fit the phase"),
    ("phase=drive", "phase=demand dice=1,1,1,1", "five numbers"),
    ("phase=drive", "phase=over reason=playing", "must be one of ships"),
    ("phase=drive", "phase=over reason=ships", "The game ends with"),
    ("phase=drive", "phase=over reason=turns", "The game ends with"),
    ("phase=drive", "phase=deliver round=0,0", "a name stands twice"),
    ("phase=drive", "phase=function function=cafe", "not the building where the pawn"),
    ("phase=drive", "phase=function function=bench", "must be one of bank"),
    ("phase=drive", "phase=function function=cafe:owner", "must be one of"),
]


@pytest.mark.parametrize(("part", "instead", "complaint"), CHANGES)
def test_what_the_game_cannot_have_is_refused(part: str, instead: str, complaint: str) -> None:
    assert LINE.count(part) == 1
    with pytest.raises(InvalidPosition, match=complaint):
        Position.parse(LINE.replace(part, instead))


def test_a_visit_needs_a_citizen_with_a_flower() -> None:
    for car in ("harbour", "el-zorro"):
        with pytest.raises(InvalidPosition, match="does not stand where"):
            table(player(), player(), phase="visit", car=car)


def test_a_function_needs_the_pawn_or_the_lawyer() -> None:
    with pytest.raises(InvalidPosition, match="not the building where the pawn stands"):
        table(player(on="casino"), player(), phase="function", function="customs", car="jose")
    with pytest.raises(InvalidPosition, match="not the building where the pawn stands"):
        table(player(), player(), phase="function", function="customs:lawyer", car="alonso")


@pytest.mark.parametrize("active", [0, 2])  # the last is nobody's
def test_a_function_is_that_of_the_pawn_of_whose_turn_it_is(active: int) -> None:
    me, other = player(on="casino"), player(on="customs")
    with pytest.raises(InvalidPosition, match="not the building where the pawn stands"):
        table(me, other, phase="function", function="customs", car="jose", active=active)


def test_a_silenced_citizen_has_no_flower_in_the_text() -> None:
    with pytest.raises(InvalidPosition, match="In silenced="):
        table(player(), player(), silenced="pedro:red")


def test_where_only_passing_is_left_nobody_is_asked() -> None:
    with pytest.raises(InvalidPosition, match="Nothing is to be decided"):
        table(player(on="cafe"), player(), phase="function", function="cafe", car="maria")


@pytest.mark.parametrize("building", ["bank", "church"])
def test_bank_and_church_ask_nothing(building: str) -> None:
    with pytest.raises(InvalidPosition):
        table(player(on=building), player(), phase="function", function=building, car="maria")


def test_h7_no_roll_comes_after_turn_300() -> None:
    with pytest.raises(InvalidPosition):
        table(player(), player(), phase="roll", demand="none", turn=300)


@pytest.mark.parametrize("what", ["pesos", "vp"])
def test_riches_that_no_game_can_bring_are_refused_at_once(what: str) -> None:
    rich = "999999999"
    me = f"p0={rich}/2/" if what == "pesos" else f"p0=3/{rich}/"
    with pytest.raises(InvalidPosition):
        Position.parse(LINE.replace("p0=3/2/", me))


def test_a_very_long_line_is_refused() -> None:
    with pytest.raises(InvalidPosition, match="at most"):
        Position.parse(LINE + " " * 2000)
