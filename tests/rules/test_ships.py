"""Ships that leave and ships that come: H4 and H5."""

import pytest

from referee.rules import InvalidRoll, Position
from referee.rules.pieces import PLAIN_GOODS
from tests.rules.table import awaited, legal, played, player, rolled, table

LAST_ONE = "sugar:0,citrus:0,tobacco:1,rum:0"
NEXT_SHIP: dict[str, object] = {"ship": 4, "value": 2, "demand": "none"}


def test_h4_the_ship_leaves_with_the_last_delivery_and_the_round_is_over() -> None:
    ready = player(tobacco=2, wood=1)
    position = table(ready, ready, next_stop="harbour", demand=LAST_ONE, ship=3, value=4)
    played(position, "drive 1")
    gains = {"p0 tobacco": -1, "p0 vp": +4}
    assert played(position, "deliver tobacco 1") == gains | NEXT_SHIP
    assert awaited(position) == "seat 0: roll"


def test_h4_customs_can_turn_the_last_die() -> None:
    position = table(player(), player(), phase="visit", car="jose", demand=LAST_ONE, ship=3)
    played(position, "visit customs")
    assert legal(position) == {"clear tobacco", "pass"}
    assert played(position, "clear tobacco") == {"ship": 4, "demand": "none"}
    assert awaited(position) == "seat 0: roll"


def test_h4_the_trading_office_can_turn_the_last_die() -> None:
    me = player(tobacco=2)
    position = table(me, player(), phase="visit", car="pedro", demand=LAST_ONE, ship=3, value=3)
    played(position, "visit trading-office")
    gains = {"p0 tobacco": -1, "p0 vp": +2}
    assert played(position, "ship tobacco") == gains | NEXT_SHIP
    assert awaited(position) == "seat 0: roll"


def test_h4_the_new_demand_is_rolled_after_the_owner_was_paid() -> None:
    position = table(
        player(), player(), phase="visit", car="jose", demand=LAST_ONE, owners="customs:1"
    )
    played(position, "visit customs")
    changes = played(position, "clear tobacco")
    assert changes == {"ship": 2, "demand": "none", "p1 vp": +1}  # B12
    assert awaited(position) == "seat 0: roll"
    rolled(position, citrus=4, sugar=1, tobacco=2, rum=3, cigars=0)
    assert awaited(position) == "seat 0: demand"
    assert legal(position) == {f"exclude {good}" for good in PLAIN_GOODS}
    played(position, "exclude citrus")
    assert awaited(position) == "seat 1: drive"
    assert position.demand == (1, 0, 2, 3, 0)


def passing_at_four(owners: str = "none") -> Position:
    """Seat 0 is about to pass the harbour at value 4, so that a ship without demand comes."""
    me = player(pesos=12, tobacco=3, rum=3, on="cafe")
    return table(me, player(tobacco=1), car="alonso", value=4, owners=owners)


@pytest.mark.parametrize(
    ("stops", "building"), [(4, "customs"), (2, "trading-office"), (10, "trading-office")]
)
def test_h4_without_demand_no_die_can_be_turned(stops: int, building: str) -> None:
    position = passing_at_four()
    played(position, f"drive {stops}")
    if position.kind == "lawyer":
        played(position, "pass")
    played(position, f"visit {building}")
    assert awaited(position) == "seat 0: roll"


def test_h4_without_demand_the_lawyer_does_not_offer_customs_and_trading_office() -> None:
    position = passing_at_four(owners="customs:0,trading-office:0,harbour-office:0")
    played(position, "drive 10")
    assert awaited(position) == "seat 0: lawyer"
    assert legal(position) == {"use harbour-office", "pass"}


def test_h4_without_demand_the_harbour_office_still_works() -> None:
    position = passing_at_four()
    played(position, "drive 2", "visit harbour-office")
    assert legal(position) == {"raise", "pass"}
    assert played(position, "raise") == {"value": 3}
    assert awaited(position) == "seat 0: roll"
    rolled(position, sugar=1)
    assert played(position, "exclude rum") == {"demand": "sugar:1,citrus:0,tobacco:0,cigars:0"}
    assert position.value == 3


def test_h4_a_ship_without_demand_can_leave_as_well() -> None:
    """Two more laps bring the new ship's value to 4; the harbour office sends it off."""
    me = player(pesos=40)
    position = table(me, player(), car="alonso", value=4)
    played(position, "drive 22", "visit harbour-office")
    assert (position.ship, position.value, position.demand) == (2, 4, None)
    assert played(position, "raise") == {"ship": 3, "value": 2}
    assert awaited(position) == "seat 0: roll"


def test_h4_a_harbour_stop_without_demand_is_a_round_in_which_all_pass() -> None:
    position = passing_at_four()
    changes = played(position, "drive 11")
    assert changes == {"car": 0, "p0 pesos": -10, "ship": 2, "value": 3, "demand": "none"}
    assert awaited(position) == "seat 0: roll"


def test_h4_after_customs_by_the_lawyer_the_pawn_still_moves() -> None:
    position = table(
        player(tobacco=1), player(), next_stop="alonso", demand=LAST_ONE, owners="customs:0"
    )
    played(position, "drive 1", "use customs")
    assert played(position, "clear tobacco") == {"ship": 2, "demand": "none"}
    assert awaited(position) == "seat 0: visit"
    played(position, "visit trading-office")
    assert awaited(position) == "seat 0: roll"


def at_the_roll() -> Position:
    return table(player(), player(), car="maria", phase="roll", demand="none", ship=3)


def test_h5_the_dice_lie_as_they_fell_but_for_the_excluded_one() -> None:
    position = at_the_roll()
    rolled(position, sugar=3, citrus=4, tobacco=1, rum=0, cigars=2)
    assert position.dice == (3, 4, 1, 0, 2)
    assert position.demand is None
    assert played(position, "exclude sugar") == {"demand": "citrus:4,tobacco:1,rum:0,cigars:2"}
    assert awaited(position) == "seat 1: drive"


def test_h5_four_zeros_send_the_ship_off_and_the_same_player_rolls_again() -> None:
    position = at_the_roll()
    rolled(position, tobacco=2)
    assert legal(position) == {f"exclude {good}" for good in PLAIN_GOODS}
    assert played(position, "exclude tobacco") == {"ship": 4}
    assert awaited(position) == "seat 0: roll"
    rolled(position)  # five zeros: whatever is excluded, this ship leaves too
    assert played(position, "exclude rum") == {"ship": 5}
    assert awaited(position) == "seat 0: roll"
    rolled(position, tobacco=2)
    assert played(position, "exclude rum") == {"demand": "sugar:0,citrus:0,tobacco:2,cigars:0"}
    assert awaited(position) == "seat 1: drive"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_h5_also_at_the_setup(seats: int) -> None:
    players = [player()] * seats
    position = table(*players, phase="roll", demand="none", turn=0, seat=seats - 1)
    rolled(position, rum=3)
    assert played(position, "exclude rum") == {"ship": 2}
    assert awaited(position) == f"seat {seats - 1}: roll"
    rolled(position, rum=3)
    played(position, "exclude sugar")
    assert awaited(position) == "seat 0: drive"
    assert (position.ship, position.value) == (2, 2)


def test_h5_dice_are_rolled_only_when_they_are_awaited() -> None:
    with pytest.raises(InvalidRoll, match="the next is a drive decision"):
        rolled(table(player(), player()), sugar=1)
