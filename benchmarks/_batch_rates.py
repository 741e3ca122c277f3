"""Print decisions a second of the batched and of the single environment, as JSON.

Both play random actions and are measured by turns, by the time of the process; what it takes to
choose the actions is left out of both.
"""

import json
from collections.abc import Callable
from random import Random
from statistics import median
from time import process_time
from typing import Final

import numpy as np

from referee.rl import BatchedEnvironment, SantiagoEnv
from referee.rules import CORE

_GAMES: Final = (1, 64, 1024, 4096)
_SINGLE_DECISIONS: Final = 6_000
_BATCHED_DECISIONS: Final = 120_000
_FEWEST_STEPS: Final = 30
_ROUNDS: Final = 5

Rate = Callable[[], float]
"""Plays on for a while; returns decisions a second."""


def single(players: int) -> Rate:
    """Play as a training loop does: observe who decides, choose, step."""
    game, luck = SantiagoEnv(players), Random(1)
    game.reset(seed=1)

    def rate() -> float:
        spent = 0.0
        for _ in range(_SINGLE_DECISIONS):
            began = process_time()
            seen = game.observe(game.agent_selection)
            spent += process_time() - began
            action = luck.choice(seen["action_mask"].nonzero()[0])
            began = process_time()
            game.step(action)
            if game.position.is_over:
                game.reset()
            spent += process_time() - began
        return _SINGLE_DECISIONS / spent

    return rate


def batched(games: int, players: int) -> Rate:
    """Play so many games side by side, from their middle on."""
    environment, luck = BatchedEnvironment(games, players, seed=1), np.random.default_rng(1)
    steps = max(_FEWEST_STEPS, min(_SINGLE_DECISIONS, _BATCHED_DECISIONS // games))

    def rate() -> float:
        spent = 0.0
        for _ in range(steps):
            mask = environment.batch.action_mask
            actions = (luck.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1)
            began = process_time()
            environment.step(actions)
            spent += process_time() - began
        return steps * games / spent

    return rate


def main() -> None:
    rates = {"single": single(3)} | {f"{games:,} games": batched(games, 3) for games in _GAMES}
    for rate in rates.values():
        rate()  # caches are filled, and the games do not all stand at their beginning
    rounds = [{name: rate() for name, rate in rates.items()} for _ in range(_ROUNDS)]
    found = {name: median(one[name] for one in rounds) for name in rates}
    ratios = {name: median(one[name] / one["single"] for one in rounds) for name in rates}
    print(json.dumps({"core": CORE, "a_second": found, "ratio": ratios}))


if __name__ == "__main__":
    main()
