"""A moment of a game in words, for readers who do not see the board."""

from itertools import pairwise
from typing import Any

import pytest

from referee.replay import frames
from tests.web.arena import random_game
from web.viewer.stills import describe, of_game
from web.words import words_of


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Wanted: citrus 1, cigars 1, rum 2. "),
        ("de", "Nachfrage: Zitrusfrüchte 1, Zigarren 1, Rum 2. "),
        ("fr", "Demande\u202f: agrumes 1, cigares 1, rhum 2. "),
    ],
)
def test_a_good_that_the_ship_wants_stands_before_its_number_in_one_form(
    code: str, said: str
) -> None:
    game: Any = frames(random_game(2, 1))
    state = game["frames"][0]["state"]
    state["demand"] = {"sugar": 0, "citrus": 1, "cigars": 1, "rum": 2}
    assert said in describe(state, game, ("ana", "luz"), words_of(code))


def test_the_supply_is_told_last() -> None:
    game: Any = frames(random_game(2, 1))
    told = describe(game["frames"][0]["state"], game, ("ana", "luz"), words_of("en"))
    assert told.endswith(". Supply: sugar 6, citrus 6, tobacco 6, rum 8, cigars 8, wood 8")


def test_if_no_later_moment_is_known_it_is_the_turn_of_who_comes_next() -> None:
    game: Any = frames(random_game(2, 1))
    states = [frame["state"] for frame in game["frames"]]
    turns = enumerate(pairwise(states), 1)
    at, now = next((at, now) for at, (was, now) in turns if was["active"] != now["active"])
    known = of_game(game, at, "en")
    game["frames"] = game["frames"][: at + 1]
    newest = of_game(game, at, "en")
    assert (known.turn, known.active) == (now["turn"] - 1, 1 - now["active"])
    assert (newest.turn, newest.active) == (now["turn"], now["active"])
