import re
from pathlib import Path
from random import Random

import pytest

from referee.rl.actions import ACTION_OF, ACTIONS, action_mask
from referee.rules import Layout, Position, move_text, parse_move, roll_dice
from tests.rules.table import player, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "learning.md"


def offered(position: Position) -> set[str]:
    """The texts of the moves in the mask of the seat that decides."""
    mask = action_mask(position, position.seat)
    return {move_text(ACTIONS[action]) for action in mask.nonzero()[0]}


def count(text: str) -> int:
    """The N of `drive N`, `buy N`, `sell N`; 0 for other moves."""
    verb, _, number = text.partition(" ")
    return int(number) if verb in ("drive", "buy", "sell") and number.isdigit() else 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_move_of_random_games_has_an_action(players: int) -> None:
    luck = Random(players)
    for _ in range(20):
        position = Position.start(Layout.shuffled(luck), players)
        while not position.is_over:
            if position.legal_moves:
                texts = {move_text(move) for move in position.legal_moves}
                assert offered(position) == {text for text in texts if count(text) <= 64}
                position.apply(luck.choice(position.legal_moves))
            else:
                position.roll(roll_dice(luck))


def test_actions_keep_their_numbers() -> None:
    """Whoever has trained a network relies on them: new moves can only be added at the end."""
    assert len(ACTIONS) == len(ACTION_OF) == 331
    numbers = {text: ACTION_OF[parse_move(text)] for text in ("pass", "drive 1", "drive 64")}
    assert numbers == {"pass": 0, "drive 1": 1, "drive 64": 64}
    later = ("take sugar", "swap sugar citrus", "sell wood", "buy 1", "silence alonso")
    assert [ACTION_OF[parse_move(text)] for text in later] == [65, 121, 141, 150, 293]
    last = ("deliver citrus 4", "deliver wood 3 as cigars", "exclude sugar", "exclude cigars")
    assert [ACTION_OF[parse_move(text)] for text in last] == [300, 325, 326, 330]


def test_drives_beyond_64_stops_are_masked() -> None:
    position = table(player(pesos=90), player())
    assert len(position.legal_moves) == 91
    assert offered(position) == {f"drive {stops}" for stops in range(1, 65)}


def test_trades_beyond_64_vp_are_masked() -> None:
    rich = player(pesos=300, vp=70, on="casino")
    position = table(rich, player(), car="maria", phase="function", function="casino")
    buys = {f"buy {vp}" for vp in range(1, 65)}
    sells = {f"sell {vp}" for vp in range(1, 65)}
    assert offered(position) == buys | sells | {"pass"}


def test_who_is_not_asked_has_pass_alone() -> None:
    position = table(player(), player())
    assert action_mask(position, 1).nonzero()[0].tolist() == [0]
    over = table(player(), player(), phase="over", ship=7, reason="ships")
    assert action_mask(over, 0).nonzero()[0].tolist() == [0]


def test_the_document_numbers_the_actions() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+)(?: to (\d+))? \| `([^`]+)`(?: to `([^`]+)`)? \|$", text, re.M)
    expected = 0
    for first, last, first_move, last_move in rows:
        assert int(first) == expected
        assert move_text(ACTIONS[int(first)]) == first_move
        expected = int(last or first) + 1
        assert move_text(ACTIONS[expected - 1]) == (last_move or first_move)
    assert expected == len(ACTIONS)
    assert f"{len(ACTIONS)} actions" in text
