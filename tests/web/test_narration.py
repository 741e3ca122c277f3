"""What is said of a frame. Each scene is a state of the rules, changed by hand."""

import re
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from referee.replay import frames
from referee.rules import Layout, Position
from referee.rules.pieces import STOPS
from referee.rules.trace import changes, setup_line, state_json
from tests.web.arena import random_game
from web.frames import You, read_by, scenes, seat_labels
from web.languages import LANGUAGES
from web.viewer.narration import text
from web.words import words_of

State = dict[str, Any]
LAYOUT = Layout.shuffled(Random(3))
CITIZENS = setup_line(LAYOUT, 3)["citizens"]
SEATS = [{"name": name, "author": "compay"} for name in ("ana", "luz", "rey")]


def stop(citizen: str) -> int:
    return 1 + int(CITIZENS.index(citizen))


def midgame() -> State:
    """Turn 5 of seat 0, whose pawn stands on the casino; the ship wants goods."""
    state = state_json(Position.start(LAYOUT, players=3))
    state |= {"turn": 5, "active": 0, "demand": {"sugar": 2, "citrus": 1, "tobacco": 3, "rum": 0}}
    state["players"][0]["pawn"] = "casino"
    return state


def narrate(game: Any) -> list[str]:
    return [text(scene, game) for scene in scenes(game, words_of("en"))]


def told(
    move: str, kind: str, change: Callable[[State], None], *, seat: int = 0, **frame: Any
) -> str:
    """The sentence for a move that changes the state so; `frame` has more of the frame."""
    before = midgame()
    after = deepcopy(before)
    change(after)
    frame = {"type": "move", "seat": seat, "move": move, "by": "bot", **frame}
    frame |= {"kind": kind} if kind else {}
    game = {
        "setup": {"citizens": CITIZENS},
        "seats": SEATS,
        "result": {"type": "result", "reason": "ships", "scores": []},
        "ranks": [1, 2, 3],
        "frames": [
            {"type": "start", "changes": [], "state": before},
            {**frame, "changes": changes(before, after), "state": after},
        ],
    }
    return narrate(game)[1]


def test_a_drive_with_what_it_costs_and_brings() -> None:
    def change(state: State) -> None:
        state["car"] = stop("pedro")
        state["players"][0]["pesos"] -= 2
        state["players"][0]["goods"]["tobacco"] += 2

    expected = "ana drives 3 stops to Pedro (2 pesos) and gets 2 tobacco."
    assert told("drive 3", "drive", change) == expected


def test_what_a_drive_costs_is_not_taken_from_what_it_brings() -> None:
    def change(state: State) -> None:
        state["car"] = stop("martinez")
        state["players"][0]["pesos"] += 3 - 1

    expected = "ana drives 2 stops to Martínez (1 peso) and gets 3 pesos."
    assert told("drive 2", "drive", change) == expected


def test_a_drive_to_whoever_has_nothing_left() -> None:
    def change(state: State) -> None:
        state["car"] = stop("jose")

    assert told("drive 1", "drive", change) == "ana drives 1 stop to José, who has nothing left."


def test_a_drive_past_the_harbour() -> None:
    def change(state: State) -> None:
        state["car"] = stop("alonso")
        state["value"] = 3
        state["players"][0]["pesos"] -= STOPS + stop("alonso") - 1

    stops = STOPS + stop("alonso")
    expected = f"ana drives {stops} stops past the harbour to Alonso ({stops - 1} pesos)."
    assert told(f"drive {stops}", "drive", change) == f"{expected} A good is now worth 3 VP."


def test_the_last_ship_sails_before_the_car_has_arrived() -> None:
    def change(state: State) -> None:
        state["players"][0]["pesos"] -= STOPS + stop("jose") - 1

    stops = STOPS + stop("jose")
    expected = f"ana drives {stops} stops past the harbour to José ({stops - 1} pesos)."
    assert told(f"drive {stops}", "drive", change) == expected


def test_a_drive_to_a_silenced_citizen() -> None:
    def change(state: State) -> None:
        state["car"] = stop("maria")
        state["silenced"] = ["maria"]

    assert told("drive 1", "drive", change) == "ana drives 1 stop to María, who is silenced."


def test_the_harbour() -> None:
    def change(state: State) -> None:
        state["players"][0]["pesos"] -= 1

    assert told("drive 2", "drive", change) == "ana drives 2 stops to the harbour (1 peso)."


def test_a_visit_to_a_building_that_gives() -> None:
    def change(state: State) -> None:
        state["players"][0]["pawn"] = "bank"
        state["players"][0]["pesos"] += 2

    assert told("visit bank", "visit", change) == "ana goes to the Bank and gets 2 pesos."


def test_a_visit_to_a_building_that_cannot_be_used() -> None:
    def visit(state: State) -> None:
        state["players"][0]["pawn"] = "cafe"

    def visit_and_end(state: State) -> None:
        visit(state)
        state |= {"turn": 6, "active": 1}

    assert told("visit cafe", "visit", visit) == "ana goes to the Café."
    text = told("visit cafe", "visit", visit_and_end)
    assert text == "ana goes to the Café but cannot use it."


def test_the_owner_of_the_building_is_paid_at_the_turns_end() -> None:
    def change(state: State) -> None:
        state["owners"] = {"casino": 1}
        state["players"][1]["vp"] += 1
        state |= {"turn": 6, "active": 1}

    text = told("pass", "function", change)
    assert text == "ana leaves the Casino unused. luz gets 1 VP as owner."


def test_an_owner_who_delivers_last_gets_both() -> None:
    def change(state: State) -> None:
        state["owners"] = {"casino": 1}
        state["players"][1]["goods"]["sugar"] -= 1
        state["players"][1]["vp"] += 2 + 1
        state |= {"turn": 6, "active": 1}

    text = told("deliver sugar 1", "deliver", change, seat=1)
    assert text == "luz delivers 1 sugar and gets 2 VP. luz gets 1 VP as owner."


def test_wood_stands_for_another_good() -> None:
    def change(state: State) -> None:
        state["players"][2]["vp"] += 2

    text = told("deliver wood 2 as citrus", "deliver", change, seat=2)
    assert text == "rey delivers 2 wood in place of citrus and gets 2 VP."


@pytest.mark.parametrize(
    ("by", "text"), [("bot", "ana passes."), ("forced", "ana has nothing to deliver.")]
)
def test_passing_at_the_harbour(by: str, text: str) -> None:
    assert told("pass", "deliver", lambda _: None, by=by) == text


def test_the_casino_both_ways() -> None:
    def buy(state: State) -> None:
        state["players"][0]["pesos"] -= 3
        state["players"][0]["vp"] += 1

    def sell(state: State) -> None:
        state["players"][0]["pesos"] += 6
        state["players"][0]["vp"] -= 2

    assert told("buy 1", "function", buy) == "ana changes 3 pesos into 1 VP at the Casino."
    assert told("sell 2", "function", sell) == "ana changes 2 VP into 6 pesos at the Casino."


def test_a_thing_given_to_the_thief() -> None:
    def change(state: State) -> None:
        state["players"][1]["pesos"] -= 1
        state["players"][0]["pesos"] += 1

    assert told("give peso", "tribute", change, seat=1) == "luz gives 1 peso to ana."


@pytest.mark.parametrize(("what", "gives"), [("pesos", "2 pesos"), ("vp", "2 VP")])
def test_the_thiefs_building_gives_after_the_last_tribute(what: str, gives: str) -> None:
    def change(state: State) -> None:
        state["players"][1]["pesos"] -= 1
        state["players"][0]["pesos"] += 1
        state["players"][0][what] += 2

    expected = f"luz gives 1 peso to ana. ana gets {gives} at the Casino."
    assert told("give peso", "tribute", change, seat=1) == expected


def test_the_building_under_a_pawn_that_stays_gives_beside_pablo_and_the_lawyer() -> None:
    def pick(state: State) -> None:
        state["players"][0]["goods"]["rum"] += 1
        ask(state)

    def ask(state: State) -> None:
        state["players"][0]["pesos"] += 2

    assert told("take rum", "pick", pick) == "ana takes 1 rum from Pablo and gets 2 pesos."
    assert told("pass", "lawyer", ask) == "ana asks nothing of Alonso and gets 2 pesos."


def test_a_building_taken_and_one_used_through_the_lawyer() -> None:
    def own(state: State) -> None:
        state["owners"] = {"church": 0}
        state["players"][0]["markers"] -= 1

    def use(state: State) -> None:
        state["players"][0]["vp"] += 1

    assert told("own church", "lawyer", own) == "ana takes possession of the Church."
    expected = "ana uses their Church through Alonso and gets 1 VP."
    assert told("use church", "lawyer", use) == expected
    assert told("pass", "lawyer", lambda _: None) == "ana asks nothing of Alonso."


def test_the_demand_of_a_new_ship() -> None:
    def change(state: State) -> None:
        state["demand"] = {"sugar": 1, "citrus": 0, "tobacco": 0, "rum": 2}

    text = told("exclude cigars", "demand", change)
    assert text == "ana leaves cigars ashore; the ship wants 1 sugar and 2 rum."


def test_a_ship_that_sails() -> None:
    def change(state: State) -> None:
        state |= {"ship": 2, "value": 2, "demand": {}}

    text = told("raise", "function", change)
    assert text == "ana raises the flag at the Casino. The ship sails, number 2 arrives."


def test_a_roll() -> None:
    dice = {"sugar": 1, "citrus": 4, "tobacco": 0, "rum": 2, "cigars": 3}
    text = told("", "", lambda _: None, type="roll", dice=dice)
    assert text == "ana rolls 1 sugar, 4 citrus, 0 tobacco, 2 rum and 3 cigars."


def test_seats_of_one_name_are_told_apart() -> None:
    seats: list[Any] = [{"name": name, "author": "rey"} for name in ("ana", "luz", "ana")]
    assert seat_labels(seats) == ["ana (1)", "luz", "ana (3)"]
    seats[0]["author"] = "sol"
    assert seat_labels(seats) == ["ana (sol)", "luz", "ana (rey)"]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_every_vp_that_another_seat_gets_is_told(players: int, seed: int) -> None:
    game = frames(random_game(players, seed))
    names = [seat["name"] for seat in game["seats"]]
    for frame, sentence in zip(game["frames"], narrate(game), strict=True):
        assert sentence[-1] == "."
        gains = [c for c in frame["changes"] if c["what"] == "vp" and c["seat"] != frame["seat"]]
        if frame.get("kind") == "tribute":
            continue
        for change in gains:
            assert f"{names[change['seat']]} gets {change['by']} VP as owner." in sentence
        if not gains and frame.get("kind") != "deliver":
            assert "as owner" not in sentence


@pytest.mark.parametrize("code", LANGUAGES)
def test_who_plays_in_a_game_is_addressed(code: str) -> None:
    words = words_of(code)
    game: Any = frames(random_game(3, 1))
    own = read_by(game, You(1, "luz"), words)
    you, you_act = words.say("you"), words.say("you.act")
    assert seat_labels(own["seats"]) == ["ana", you, "rey"]
    others, mine = ([text(scene, told) for scene in scenes(told, words)] for told in (game, own))
    assert mine[0].startswith(you)
    addressed = 0
    for frame, sentence, to_you in zip(game["frames"], others, mine, strict=True):
        assert not re.search(r"luz|[\[|\]]", to_you)
        if frame.get("seat") == 1:
            assert to_you.startswith(f"{you_act} ")
            addressed += 1
        elif "luz" not in sentence:
            assert to_you == sentence
    assert addressed > 20


def test_what_others_do_to_who_plays() -> None:
    words = words_of("en")
    game: Any = frames(random_game(3, 1))
    own = read_by(game, You(1), words)
    told = " ".join(text(scene, own) for scene in scenes(own, words))
    for sentence in (r"(ana|rey) gives you 1 \w+\.", r"You get 1 VP as owner\."):
        assert re.search(sentence, told), sentence


@pytest.mark.parametrize(
    ("totals", "ranks", "words"),
    [
        ([(30, 0, 1), (29, 2, 9), (9, 1, 0)], [1, 2, 3], "ana wins with 30 VP."),
        ([(30, 1, 1), (30, 1, 1), (9, 1, 0)], [1, 1, 3], "ana and luz share the win with 30 VP."),
        (
            [(30, 2, 0), (30, 1, 9), (30, 2, 0)],
            [1, 3, 1],
            "ana and rey share the win with 30 VP. The goods left over break the tie with luz.",
        ),
        (
            [(30, 1, 0), (30, 1, 9), (30, 0, 9)],
            [2, 1, 3],
            "luz wins with 30 VP. The goods left over break the tie with rey. "
            "Pesos break the tie with ana.",
        ),
    ],
)
def test_the_end_and_what_broke_ties(
    totals: list[tuple[int, int, int]], ranks: list[int], words: str
) -> None:
    assert ending(totals, ranks, ranks) == words


@pytest.mark.parametrize(
    ("totals", "places", "words"),
    [
        (
            [(30, 1, 1), (30, 0, 9), (9, 1, 0)],
            [1, 2, 3],
            "ana wins with 30 VP. Seats that faulted rank last, whatever their VP.",
        ),
        (
            [(30, 1, 1), (37, 0, 9), (30, 0, 0)],
            [2, 1, 3],
            "ana wins with 30 VP. The goods left over break the tie with rey. "
            "Seats that faulted rank last, whatever their VP.",
        ),
        ([(30, 1, 1), (29, 0, 9), (9, 1, 0)], [1, 2, 3], "ana wins with 30 VP."),
    ],
)
def test_a_seat_that_faulted_ranks_last_for_that_alone(
    totals: list[tuple[int, int, int]], places: list[int], words: str
) -> None:
    fault = {"code": "timeout", "sentence": "Too late."}
    frame = {"type": "fault", "seat": 1, "fault": fault, "changes": [], "state": midgame()}
    assert ending(totals, places, [1, 3, 2], frame) == words


def ending(
    totals: list[tuple[int, int, int]], places: list[int], ranks: list[int], *before: State
) -> str:
    """What is said after the ship and the goods; `places` are those by the scores alone."""
    scores = [
        {"seat": seat, "vp": vp, "leftover": leftover, "pesos": pesos, "rank": places[seat]}
        for seat, (vp, leftover, pesos) in enumerate(totals)
    ]
    game = {
        "setup": {"citizens": CITIZENS},
        "seats": SEATS,
        "result": {"type": "result", "reason": "ships", "scores": scores},
        "ranks": ranks,
        "frames": [*before, {"type": "end", "changes": [], "state": midgame()}],
    }
    said = narrate(game)[-1]
    always = "The last ship sails. Every 3 goods that are left bring 1 VP. "
    assert said.startswith(always)
    return said.removeprefix(always)


def test_a_bot_that_did_not_appear() -> None:
    fault = {"code": "absent", "sentence": "The bot did not appear."}
    said = told("", "", lambda _: None, seat=1, type="fault", fault=fault)
    assert said == "luz did not appear: a caretaker plays the seat."


def test_of_a_move_after_a_gap_nothing_else_is_known() -> None:
    assert told("drive 3", "", lambda _: None) == "ana: drive 3."
