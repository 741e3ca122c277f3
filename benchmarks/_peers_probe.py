"""Measure random play in other game libraries; runs in their environment and prints JSON.

A decision with a choice is one where two or more actions are legal, as in our own figures.
"""

import json
import random
import sys
from collections.abc import Callable
from time import process_time

SECONDS = 2.0
SPIEL_GAMES = ("backgammon", "gin_rummy", "hearts", "liars_dice")


def open_spiel(name: str) -> int:
    """Play a random game through OpenSpiel's Python interface; return its number of decisions."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, chances)[0])
        else:
            actions = state.legal_actions()
            decisions += len(actions) > 1
            state.apply_action(actions[int(random.random() * len(actions))])
    return decisions


def catanatron() -> int:
    """Play a random four-player game of catanatron; return its number of decisions."""
    from catanatron import Color, Game, RandomPlayer

    class Counting(RandomPlayer):
        decisions = 0

        def decide(self, game, playable_actions):
            Counting.decisions += len(playable_actions) > 1
            return super().decide(game, playable_actions)

    Game([Counting(color) for color in Color]).play()
    return Counting.decisions


def rate(play: Callable[[], int]) -> float:
    """Return decisions per second of this process's processor time."""
    decisions, began = 0, process_time()
    while process_time() - began < SECONDS:
        decisions += play()
    return decisions / (process_time() - began)


if __name__ == "__main__":
    random.seed(1)
    found = {"catanatron, 4 players (Python)": rate(catanatron)}
    for game in SPIEL_GAMES:
        found[f"OpenSpiel {game} (C++, from Python)"] = rate(lambda game=game: open_spiel(game))
    json.dump(found, sys.stdout)
