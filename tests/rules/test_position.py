"""Positions as values: copied, compared, played on; and V1, that they hide nothing but the dice."""

from random import Random

import pytest

from referee.rules import IllegalMove, InvalidMove, InvalidRoll, Layout, Position, play_out
from referee.rules.pieces import BUILDINGS, CITIZENS, GOODS
from referee.rules.trace import state_json
from tests.rules.table import awaited, legal, played, player, rolled, table


def midgame(seed: int = 5) -> Position:
    """A random game of three, 60 decisions in."""
    position = Position.start(Layout.shuffled(Random(seed)), 3)
    luck = Random(seed)
    for _ in range(60):
        if position.legal_moves:
            position.apply(luck.choice(position.legal_moves))
        else:
            rolled(position, sugar=1, citrus=1, tobacco=1, rum=1, cigars=1)
    return position


def test_v1_everything_is_seen_but_the_dice_to_come() -> None:
    """Goods, pesos and VP of all are in the text, which is enough to play the same game on."""
    position = midgame()
    state = state_json(position)
    for seat, one in enumerate(state["players"]):
        goods = ",".join(map(str, one["goods"].values()))
        assert f"p{seat}={one['pesos']}/{one['vp']}/{goods}/" in str(position)
    reader = Position.parse(str(position))
    play_out(position, Random(8))
    play_out(reader, Random(8))
    assert (reader, reader.outcome()) == (position, position.outcome())


def test_v1_a_position_knows_nothing_of_the_dice_to_come() -> None:
    position = midgame()
    twin = position.copy()
    play_out(position, Random(1))
    play_out(twin, Random(2))
    assert position != twin


def test_a_copy_goes_its_own_way() -> None:
    position = midgame()
    text = str(position)
    twin = position.copy()
    assert twin == position
    play_out(twin, Random(3))
    assert str(position) == text
    assert twin != position


def test_equal_positions_are_those_with_the_same_text() -> None:
    one = table(player(), player())
    assert one == table(player(), player())
    assert one != table(player(), player(vp=3))
    assert one != table(player(), player(), player())
    elsewhere = ["maria", "pedro", "jose", "martinez", "conchita"]
    street = [*elsewhere, "el-zorro", "miguel", "pablo", "alonso"]
    assert one != table(player(), player(), street=street)
    assert one != str(one)


def test_the_repr_can_be_read_back() -> None:
    position = midgame()
    assert repr(position).startswith("Position.parse('citizens=")
    assert eval(repr(position), {"Position": Position}) == position


def test_positions_change_and_so_cannot_be_keys() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(midgame())


def test_apply_goes_on_over_forced_moves_and_step_leaves_them_standing() -> None:
    broke = player(pesos=0)
    position, twin = (table(broke, broke, car="alonso") for _ in range(2))
    position.apply(position.parse_move("drive 1"))  # harbour, then both drive 1 without a choice
    assert awaited(position) == "seat 1: visit"
    twin.step(twin.parse_move("drive 1"))
    assert awaited(twin) == "seat 1: drive"
    assert legal(twin) == {"drive 1"}
    twin.step(twin.legal_moves[0])
    assert twin == position


def test_a_move_is_read_only_where_it_is_legal() -> None:
    position = table(player(), player())
    with pytest.raises(IllegalMove, match="'drive 5' is not legal here; legal moves: drive 1, "):
        position.parse_move("drive 5")
    with pytest.raises(InvalidMove, match="'drive far' is not a move"):
        position.parse_move("drive far")
    over = table(player(), player(), phase="over", ship=7, reason="ships")
    with pytest.raises(IllegalMove, match=r"legal moves: none, the game is over\."):
        over.parse_move("pass")
    with pytest.raises(InvalidRoll, match=r"Nobody has to roll now: the game is over\."):
        over.roll((0, 1, 2, 3, 1))
    rolls = Position.start(over.layout, players=2)
    with pytest.raises(IllegalMove, match=r"legal moves: none before `roll`\."):
        rolls.parse_move("drive 1")


def test_what_a_position_tells() -> None:
    position = table(
        player(pesos=4, vp=9, rum=2, wood=1),
        player(),
        car="jose",
        value=3,
        ship=5,
        turn=21,
        demand="citrus:4,tobacco:0,rum:2,cigars:3",
    )
    assert (position.kind, position.seat, position.active, position.turn) == ("drive", 0, 0, 21)
    assert (position.ship, position.value, position.car) == (5, 3, 3)
    assert (position.demand, position.dice) == ((0, 4, 0, 2, 3), None)
    assert (position.pesos(0), position.vp(0)) == (4, 9)
    assert position.goods(0) == (0, 0, 0, 2, 0, 1)
    assert not position.is_over


def test_what_a_position_tells_of_the_board() -> None:
    position = table(
        player(on="cafe", sugar=5), player(), owners="bank:1,casino:1", silenced="maria,pablo"
    )
    assert (position.pawn(0), position.pawn(1)) == (BUILDINGS.index("cafe"), None)
    owners = {name: position.owner(building) for building, name in enumerate(BUILDINGS)}
    assert owners == dict.fromkeys(BUILDINGS) | {"bank": 1, "casino": 1}
    assert (position.markers(0), position.markers(1)) == (3, 1)
    silenced = {name for citizen, name in enumerate(CITIZENS) if position.is_silenced(citizen)}
    assert silenced == {"maria", "pablo"}
    assert position.supply == (3, 8, 8, 8, 8, 8)


def test_what_a_position_tells_of_the_ship() -> None:
    seller = player(sugar=2)
    position = table(seller, seller, seller, phase="deliver", seat=2, active=1, round="0,2")
    assert [position.in_round(seat) for seat in range(3)] == [True, False, True]
    assert position.excluded == GOODS.index("cigars")
    between = table(seller, seller, phase="roll", demand="none")
    assert (between.excluded, between.demand) == (None, None)
    assert not between.in_round(0)


def test_a_move_can_be_played_by_its_text() -> None:
    position, twin = (table(player(), player()) for _ in range(2))
    position.play("drive 2")
    twin.apply(twin.parse_move("drive 2"))
    assert position == twin
    with pytest.raises(IllegalMove, match="'drive 9' is not legal here"):
        table(player(), player()).play("drive 9")


def test_players_take_turns_clockwise() -> None:
    quiet = "pedro,maria,jose,martinez"
    position = table(player(), player(), player(), silenced=quiet)
    turns = []
    while position.car < 4:
        turns.append((position.turn, position.active, position.seat))
        played(position, "drive 1")
    assert turns == [(13, 0, 0), (14, 1, 1), (15, 2, 2), (16, 0, 0)]
