"""What a bot might have done, in words and on the board."""

import re
from random import Random
from typing import Any

import pytest
from flask import Flask, render_template

from referee.replay import frames
from referee.rules import Layout, Position
from referee.rules.pieces import STOPS
from referee.rules.trace import setup_line, state_json
from tests.web.arena import random_game
from web.frames import Scene, scenes
from web.viewer.choices import Offered, decision, explained, offered, place
from web.viewer.replays import document
from web.words import words_of

LAYOUT = Layout.shuffled(Random(3))
CITIZENS = setup_line(LAYOUT, 2)["citizens"]


def asked(kind: str, *legal: str, pawn: str | None = None, car: int = 0, **state: Any) -> Offered:
    """What is told of a decision of seat 0, whose pawn stands on a building."""
    return offered(scene(kind, *legal, pawn=pawn, car=car, **state))


def scene(kind: str, *legal: str, pawn: str | None = None, **changed: Any) -> Scene:
    """A decision of seat 0 in turn 5, unless `changed` names other parts of the state."""
    state = state_json(Position.start(LAYOUT, players=2)) | {"turn": 5, **changed}
    state["players"][0]["pawn"] = pawn
    move = {"type": "move", "seat": 0, "kind": kind, "move": legal[0], "by": "bot"}
    game: Any = {
        "setup": {"citizens": CITIZENS},
        "seats": [{"name": name, "author": "compay"} for name in ("ana", "luz")],
        "frames": [
            {"type": "start", "changes": [], "state": state},
            {**move, "legal": list(legal), "changes": [], "state": state},
        ],
    }
    return list(scenes(game, words_of("en")))[1]


def test_what_is_asked_and_how_many_choices_there_are() -> None:
    assert asked("visit", "visit bank", "visit church") == {
        "asked": "Where to send the pawn: 2 choices",
        "choices": ["go to the Bank", "go to the Church"],
    }
    assert asked("visit", "visit bank")["asked"] == "Where to send the pawn: one choice"


def test_drives_say_where_they_lead_and_what_they_cost() -> None:
    before_harbour = len(CITIZENS)
    last = asked("drive", "drive 1", "drive 2", car=before_harbour - 1)["choices"]
    assert last[0].startswith("drive 1 stop to ")
    assert last[1] == "drive 2 stops to the harbour (1 peso)"
    assert asked("drive", "drive 1", car=before_harbour)["choices"] == [
        "drive 1 stop to the harbour"
    ]


def test_drives_of_more_than_a_lap_stand_apart(app: Flask) -> None:
    legal = [f"drive {stops}" for stops in range(1, 14)]
    state = state_json(Position.start(LAYOUT, players=2))
    frame: Any = {"type": "move", "seat": 0, "kind": "drive", "legal": legal, "move": legal[0]}
    frame |= {"changes": [], "state": state}
    seats = [{"name": name, "author": "compay"} for name in ("ana", "luz")]
    start = {"type": "start", "changes": [], "state": state}
    game: Any = {"setup": {"citizens": CITIZENS}, "seats": seats, "frames": [start]}
    with app.test_request_context():
        shown = render_template("play/choices.html", decision=decision(1, frame, game, "en"))
    near, told, far = re.split("<summary>(.+)</summary>", shown)
    assert (near.count("<button name"), far.count("<button name")) == (STOPS, 3)
    assert told == "More than a whole lap: 3 choices"
    assert "drive 11 stops to " in far
    assert " open>" not in near


def test_drives_say_who_gives_nothing() -> None:
    before_jose = CITIZENS.index("jose")
    silent = asked("drive", "drive 1", car=before_jose, silenced=["jose"])
    assert silent["choices"] == ["drive 1 stop to José, who is silenced"]
    empty = asked("drive", "drive 1", car=before_jose, supply={"sugar": 0, "rum": 1})
    assert empty["choices"] == ["drive 1 stop to José, who has nothing left"]
    last = asked("drive", "drive 1", car=before_jose, supply={"sugar": 1, "rum": 0})
    assert last["choices"] == ["drive 1 stop to José"]


def test_a_decision_is_explained_and_on_the_first_turn_the_aim_of_the_game() -> None:
    assert explained(scene("drive", "drive 1")).startswith("The first stop is free")
    aim = "Whoever has the most victory points (VP) when the seventh ship has sailed wins. "
    assert explained(scene("drive", "drive 1", turn=2)).startswith(f"{aim}The first stop is free")
    assert explained(scene("deliver", "pass", value=3)).startswith(
        "Each good brings 3 VP, each wood 1 VP."
    )
    assert explained(scene("function", "pass", pawn="bank")) == "Bank: 2 pesos."
    assert explained(scene("tribute", "give vp")).startswith("El Zorro: the pickpocket: ")
    assert explained(scene("pick", "take rum")) == ""  # the question says it


@pytest.mark.parametrize(
    ("building", "move", "words"),
    [
        ("distillery", "convert 2", "turn 2 sugar into 2 rum"),
        ("cigar-factory", "convert 1", "turn 1 tobacco into 1 cigar"),
        ("black-market", "swap sugar citrus", "swap 1 sugar for 1 citrus"),
        ("sawmill", "sell wood", "give 1 wood"),
        ("cafe", "serve rum cigars", "give 1 rum and 1 cigar"),
        ("customs", "clear rum", "turn the rum die to 0"),
        ("casino", "buy 2", "buy 2 VP"),
        ("casino", "sell 1", "sell 1 VP"),
        ("harbour-office", "raise", "raise the flag"),
        ("trading-office", "ship cigars", "ship 1 cigar"),
        ("newspaper", "silence el-zorro", "silence El Zorro"),
        ("bank", "pass", "leave it unused"),
    ],
)
def test_functions_of_buildings(building: str, move: str, words: str) -> None:
    assert asked("function", move, pawn=building)["choices"] == [words]


@pytest.mark.parametrize(
    ("kind", "move", "words"),
    [
        ("pick", "take tobacco", "take 1 tobacco"),
        ("lawyer", "own bank", "take possession of the Bank"),
        ("lawyer", "use cafe", "use the Café"),
        ("lawyer", "pass", "ask nothing"),
        ("tribute", "give peso", "give 1 peso"),
        ("tribute", "give vp", "give 1 VP"),
        ("deliver", "deliver sugar 2", "deliver 2 sugar"),
        ("deliver", "deliver wood 1 as rum", "deliver 1 wood in place of rum"),
        ("deliver", "pass", "pass"),
        ("demand", "exclude cigars", "leave cigars ashore"),
    ],
)
def test_other_choices(kind: str, move: str, words: str) -> None:
    assert asked(kind, move)["choices"] == [words]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_choices_of_whole_games_have_words_of_their_own(players: int) -> None:
    for seed in range(3):
        played: Any = frames(random_game(players, seed))
        game = document(played, words_of("en"))
        for frame in game["frames"]:
            choices = frame.get("choices", [])
            assert len(set(choices)) == len(frame.get("legal", []))
            assert not any("{" in text or "-" in text for text in choices)


@pytest.mark.parametrize(
    ("move", "at"),
    [
        ("drive 2", "citizen:citizen-1"),
        ("drive 1", "pier"),
        ("visit bank", "building:bank"),
        ("silence pedro", "citizen:pedro"),
        ("exclude rum", "good:rum"),
        ("deliver rum 2", "good:rum"),
        ("deliver wood 1 as rum", "good:rum"),
        ("swap rum sugar", None),
        ("pass", None),
    ],
)
def test_a_move_has_its_place_on_the_board(move: str, at: str | None) -> None:
    assert place(move, 9, [f"citizen-{stop}" for stop in range(1, 10)]) == at
