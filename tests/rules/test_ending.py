"""How a game ends: H6 and H7."""

from referee.rules import Position, Reason
from referee.rules.trace import state_json
from tests.rules.table import awaited, legal, played, player, rolled, table

LAST_ONE = "sugar:0,citrus:0,tobacco:1,rum:0"
SEVENTH = 7


def ended_by(position: Position) -> Reason:
    outcome = position.outcome()
    assert outcome is not None
    assert position.is_over
    assert legal(position) == set()
    return outcome.reason


def test_h6_a_delivery_to_the_seventh_ship_ends_the_game_at_once() -> None:
    position = table(
        player(tobacco=1, on="cafe"),
        player(tobacco=4),
        next_stop="harbour",
        demand=LAST_ONE,
        ship=SEVENTH,
        value=3,
        owners="cafe:1",
    )
    played(position, "drive 1")
    # The VP of the delivery still count; the owner of the café is not paid (no B12).
    assert played(position, "deliver tobacco 1") == {
        "p0 tobacco": -1,
        "p0 vp": +3,
        "demand": "sugar:0,citrus:0,tobacco:0,rum:0",
    }
    assert ended_by(position) is Reason.SHIPS
    assert (position.ship, position.value) == (7, 3)


def test_h6_the_game_ends_when_all_pass_at_value_four() -> None:
    position = table(
        player(on="cafe"), player(), next_stop="harbour", ship=SEVENTH, value=4, owners="cafe:1"
    )
    assert played(position, "drive 1") == {"car": 0}
    assert ended_by(position) is Reason.SHIPS


def test_h6_passing_the_harbour_may_end_the_game_on_the_way() -> None:
    """The whole drive is paid (D1); the car is left at the harbour; whom it had not yet passed
    stays silenced (D3); no citizen gives, the pawn does not move, nobody is paid (no B12)."""
    position = table(
        player(on="cafe"),
        player(),
        car="pablo",
        ship=SEVENTH,
        value=4,
        owners="cafe:1",
        silenced="pablo,alonso,pedro",
    )
    changes = played(position, "drive 4")
    assert changes == {"p0 pesos": -3, "car": 0, "silenced": ["pedro"]}
    assert ended_by(position) is Reason.SHIPS
    state = state_json(position)
    assert (state["ship"], state["value"]) == (7, 4)
    assert state["demand"] == {"sugar": 2, "citrus": 1, "tobacco": 1, "rum": 1}


def test_h6_a_long_drive_may_end_the_game_at_a_later_lap() -> None:
    position = table(player(pesos=41), player(), car="alonso", ship=6, value=3)
    played(position, "drive 40")  # four times past the harbour: 4, then ship 7 with 2, 3, 4
    assert (position.ship, position.value) == (7, 4)
    assert awaited(position) == "seat 0: lawyer"

    position = table(player(pesos=41), player(), car="alonso", ship=6, value=3)
    assert played(position, "drive 42") == {
        "p0 pesos": -41,
        "car": 0,
        "ship": 7,
        "value": 4,
        "demand": "none",
    }
    assert ended_by(position) is Reason.SHIPS


def test_h6_customs_may_end_the_game() -> None:
    position = table(
        player(),
        player(),
        phase="visit",
        car="jose",
        demand=LAST_ONE,
        ship=SEVENTH,
        owners="customs:1",
    )
    played(position, "visit customs")
    assert played(position, "clear tobacco") == {"demand": "sugar:0,citrus:0,tobacco:0,rum:0"}
    assert ended_by(position) is Reason.SHIPS


def test_h6_the_trading_office_may_end_the_game() -> None:
    position = table(
        player(tobacco=1), player(), phase="visit", car="pedro", demand=LAST_ONE, ship=SEVENTH
    )
    changes = played(position, "visit trading-office", "ship tobacco")
    assert changes["p0 vp"] == 2
    assert ended_by(position) is Reason.SHIPS


def test_h6_the_harbour_office_may_end_the_game() -> None:
    position = table(player(), player(), phase="visit", car="pedro", ship=SEVENTH, value=4)
    assert played(position, "visit harbour-office", "raise") == {"p0 pawn": "harbour-office"}
    assert ended_by(position) is Reason.SHIPS


def test_h6_when_the_lawyer_ends_the_game_the_pawn_does_not_move() -> None:
    position = table(
        player(on="cafe"),
        player(),
        next_stop="alonso",
        demand=LAST_ONE,
        ship=SEVENTH,
        owners="customs:0,cafe:1",
    )
    played(position, "drive 1", "use customs")
    assert played(position, "clear tobacco") == {"demand": "sugar:0,citrus:0,tobacco:0,rum:0"}
    assert ended_by(position) is Reason.SHIPS


def test_h6_four_zeros_on_the_seventh_ship_end_the_game() -> None:
    position = table(
        player(), player(), car="maria", phase="roll", demand="none", ship=SEVENTH, active=1
    )
    rolled(position, citrus=1)
    played(position, "exclude citrus")
    assert ended_by(position) is Reason.SHIPS


def test_h6_even_the_setup_can_end_the_game() -> None:
    position = table(player(), player(), phase="roll", demand="none", turn=0, seat=1)
    for _ in range(7):
        rolled(position)
        played(position, "exclude sugar")
    assert ended_by(position) is Reason.SHIPS
    assert (position.turn, position.active, position.ship) == (0, 0, 7)


def test_h7_the_game_ends_after_turn_300_with_its_owner_paid() -> None:
    position = table(player(), player(on="cafe"), next_stop="harbour", owners="cafe:0", turn=300)
    assert played(position, "drive 1") == {"car": 0, "value": 3, "p0 vp": +1}
    assert ended_by(position) is Reason.TURNS
    assert position.turn == 300


def test_h7_the_game_ends_before_the_roll_for_a_new_ship() -> None:
    position = table(player(on="cafe"), player(), next_stop="harbour", value=4, turn=300)
    assert played(position, "drive 1") == {"car": 0, "ship": 2, "value": 2, "demand": "none"}
    assert ended_by(position) is Reason.TURNS


def test_h7_the_seventh_ship_in_turn_300_is_the_ships_end() -> None:
    position = table(
        player(on="cafe"), player(), next_stop="harbour", value=4, ship=SEVENTH, turn=300
    )
    played(position, "drive 1")
    assert ended_by(position) is Reason.SHIPS


def test_h7_turn_299_is_not_the_last() -> None:
    position = table(player(), player(), next_stop="harbour", turn=299)
    played(position, "drive 1")
    assert awaited(position) == "seat 1: drive"
    assert position.turn == 300


def test_h7_players_who_never_deliver_and_always_lower_the_value_come_to_an_end() -> None:
    position = table(player(), player(), phase="roll", demand="none", turn=0, seat=1)
    rolled(position, sugar=1, rum=1)
    played(position, "exclude citrus")
    wishes = ["drive 1", "visit harbour-office", "lower", "pass"]
    while not position.is_over:
        texts = legal(position)
        played(position, next((wish for wish in wishes if wish in texts), min(texts)))
    assert ended_by(position) is Reason.TURNS
    assert (position.turn, position.ship) == (300, 1)
