"""Print how often the planner looks in a tenth of a second of processor time, as JSON."""

import json
from random import Random
from statistics import fmean
from time import thread_time
from typing import Final

from referee.engine.collector import garbage_collector_rests
from referee.rules import CORE, Layout, Position
from referee.rules.playouts import roll_dice
from sample_bots.planner.search import Tree

_GAMES: Final = 24
_FEWEST_MOVES: Final = 3
_SECONDS: Final = 0.1
_LOOKS: Final = 300


def _positions() -> list[Position]:
    """Return moments of random games of 2, 3 and 4 players, each with several legal moves."""
    rng, found = Random(5), []
    for game in range(_GAMES):
        position = Position.start(Layout.shuffled(rng), 2 + game % 3)
        left = rng.randrange(20, 100)
        while left or len(position.legal_moves) < _FEWEST_MOVES:
            if position.legal_moves:
                position.apply(rng.choice(position.legal_moves))
                left = max(0, left - 1)
            else:
                position.roll(roll_dice(rng))
        found.append(position)
    return found


def _looks(position: Position) -> int:
    tree, looks, end = Tree(position, Random(1)), 0, thread_time() + _SECONDS
    while thread_time() < end:
        tree.grow()
        looks += 1
    return looks


def _chosen(position: Position) -> int:
    tree = Tree(position, Random(1))
    for _ in range(_LOOKS):
        tree.grow()
    return tree.best_move


def main() -> None:
    positions = _positions()
    with garbage_collector_rests():
        looks = fmean(_looks(position) for position in positions)
        moves = [_chosen(position) for position in positions]
    print(json.dumps({"core": CORE, "looks": looks, "moves": moves}))


if __name__ == "__main__":
    main()
