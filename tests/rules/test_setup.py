"""Setting the table up: S1 to S5."""

from random import Random

import pytest

from referee.rules import InvalidLayout, InvalidPosition, InvalidRoll, Layout, Position, roll_dice
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.trace import setup_line, state_json
from tests.rules.table import awaited, legal, played, rolled

LAYOUT = Layout.shuffled(Random(7))
ORDER = tuple(range(12))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_s1_what_each_player_starts_with(players: int) -> None:
    state = state_json(Position.start(LAYOUT, players))
    goods = {"sugar": 1, "citrus": 1, "tobacco": 1, "rum": 0, "cigars": 0, "wood": 0}
    assert (
        state["players"]
        == [{"pesos": 3, "vp": 2, "goods": goods, "pawn": None, "markers": 3}] * players
    )
    assert state["supply"] == {good: 8 - players * held for good, held in goods.items()}
    assert state["owners"] == {}


@pytest.mark.parametrize("players", [0, 1, 5])
def test_s1_two_to_four_can_play(players: int) -> None:
    with pytest.raises(InvalidPosition, match="Two to four"):
        Position.start(LAYOUT, players)


def test_s2_nine_citizens_and_twelve_buildings_three_under_each_flower() -> None:
    line = setup_line(LAYOUT, 4)
    citizens = "pedro maria jose martinez conchita el-zorro miguel pablo alonso"
    assert sorted(line["citizens"]) == sorted(citizens.split())
    assert len(set(line["buildings"])) == len(line["buildings"]) == 12
    assert sorted(line["space_flowers"]) == sorted(["yellow", "blue", "red", "white"] * 3)


def test_s2_citizens_and_buildings_are_shuffled_apart() -> None:
    boards = [Layout.shuffled(Random(seed)) for seed in range(20)]
    assert len({board.citizens for board in boards}) == 20
    assert len({board.buildings for board in boards}) == 20
    assert Layout.shuffled(Random(3)) == Layout.shuffled(Random(3))


@pytest.mark.parametrize(
    ("citizens", "buildings", "complaint"),
    [
        (ORDER[:8], ORDER, "nine citizens"),
        ((*ORDER[:8], 7), ORDER, "nine citizens"),
        (ORDER[:9], ORDER[:11], "twelve buildings"),
        (ORDER[:9], (*ORDER[1:], 12), "twelve buildings"),
    ],
)
def test_s2_a_board_needs_every_tile_once(
    citizens: tuple[int, ...], buildings: tuple[int, ...], complaint: str
) -> None:
    with pytest.raises(InvalidLayout, match=complaint):
        Layout(citizens, buildings)


@pytest.mark.parametrize("flowers", [(), (0,) * 8, (0,) * 8 + (5,), (0,) * 8 + (-1,)])
def test_s3_each_citizen_needs_a_flower_or_none(flowers: tuple[int, ...]) -> None:
    with pytest.raises(InvalidLayout, match="a flower"):
        Layout(ORDER[:9], ORDER, flowers)


def test_s3_the_flowers_of_the_citizens() -> None:
    assert setup_line(LAYOUT, 2)["citizen_flowers"] == {
        "pedro": "white",  # the rulebook names these four
        "alonso": "white",
        "miguel": "blue",
        "el-zorro": None,
        "maria": "red",  # these are assumed
        "jose": "yellow",
        "martinez": "blue",
        "conchita": "yellow",
        "pablo": "red",
    }


@pytest.mark.parametrize("players", [2, 3, 4])
def test_s4_the_player_right_of_the_first_rolls_and_excludes(players: int) -> None:
    position = Position.start(LAYOUT, players)
    state = state_json(position)
    assert (state["car"], state["ship"], state["value"], state["demand"]) == (0, 1, 2, {})
    assert (state["active"], state["turn"]) == (0, 0)
    assert awaited(position) == f"seat {players - 1}: roll"
    assert position.legal_moves == ()

    rolled(position, sugar=1, citrus=4, tobacco=0, rum=2, cigars=3)
    assert awaited(position) == f"seat {players - 1}: demand"
    assert state_json(position)["demand"] == {}
    assert legal(position) == {f"exclude {good}" for good in PLAIN_GOODS}

    assert played(position, "exclude tobacco") == {"demand": "sugar:1,citrus:4,rum:2,cigars:3"}
    assert awaited(position) == "seat 0: drive"
    assert (position.turn, position.active) == (1, 0)


class Turning(Random):
    """A generator that gives the middles of the six sixths, one after the other."""

    def __init__(self) -> None:
        super().__init__(0)
        self.given = 0

    def random(self) -> float:
        self.given += 1
        return ((self.given - 1) // len(PLAIN_GOODS) % 6 + 0.5) / 6


def test_s5_the_six_faces_of_each_die() -> None:
    turning = Turning()
    rolls = [roll_dice(turning) for _ in range(6)]
    faces = dict(zip(PLAIN_GOODS, map(sorted, zip(*rolls, strict=True)), strict=True))
    plain = [0, 1, 1, 2, 2, 3]
    assert faces == {
        "sugar": plain,
        "citrus": [0, 1, 2, 2, 3, 4],
        "tobacco": plain,
        "rum": plain,
        "cigars": plain,
    }


@pytest.mark.parametrize("good", PLAIN_GOODS)
def test_s5_a_die_shows_only_its_own_faces(good: str) -> None:
    highest = 4 if good == "citrus" else 3
    for face in range(highest + 1):
        position = Position.start(LAYOUT, 2)
        rolled(position, **{good: face})
        assert position.dice is not None
        assert max(position.dice) == face
    for face in (-1, highest + 1):
        with pytest.raises(InvalidRoll, match=f"{good} die has no face {face}"):
            rolled(Position.start(LAYOUT, 2), **{good: face})


@pytest.mark.parametrize("dice", [(), (1, 1, 1, 1), (1,) * 6])
def test_s5_a_roll_is_five_dice(dice: tuple[int, ...]) -> None:
    with pytest.raises(InvalidRoll, match="five dice"):
        Position.start(LAYOUT, 2).roll(dice)
