"""Train the network, the prices and the move priors anew: `python -m referee.training --help`."""

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from referee.engine import network, prices, priors
from referee.engine.stored import own
from referee.files import replace_file
from referee.rules import CORE
from referee.training.course import Plan, Progress, train, train_further
from referee.training.kinds import KindsPlan
from referee.training.pricing import Course, train_prices

_WEIGHTS = Path("referee/engine", network.WEIGHTS)
"""The engine's own, in a clone."""
_LEAST: Final = {
    "seed": 0,
    "generations": 0,
    "games": 2,
    "passes": 1,
    "rounds": 0,
    "searched": 1,
    "kinds": 0,
}
"""The smallest number that each option takes; one of the games is not learned from."""


def main(arguments: list[str] | None = None) -> None:
    """Train as the arguments say; write the weights after each generation and each round."""
    chosen = _chosen(arguments)
    if CORE != "compiled":
        print("The rules are not compiled: this takes some five times as long.", file=sys.stderr)
    plan = Plan(chosen.seed, chosen.generations, chosen.games, chosen.passes, chosen.further)
    weights = {name: own(name) for name in (network.WEIGHTS, prices.WEIGHTS, priors.WEIGHTS)}
    for progress in train(plan):
        weights[network.WEIGHTS] = _kept(progress, chosen.to)
    course = Course(chosen.seed, chosen.searched, chosen.rounds, chosen.further)
    for number, lesson in enumerate(train_prices(course)):
        weights |= {prices.WEIGHTS: lesson.prices, priors.WEIGHTS: lesson.priors}
        for name in (prices.WEIGHTS, priors.WEIGHTS):
            replace_file(chosen.to.with_name(name), weights[name])
        print(
            f"round {number}: shares were {lesson.error:.4f} off; {_hours():.2f} hours of one core",
            flush=True,
        )
    if chosen.kinds:
        kinds = KindsPlan(
            chosen.seed, chosen.kinds, weights[prices.WEIGHTS], weights[priors.WEIGHTS]
        )
        _kept(train_further(weights[network.WEIGHTS], kinds), chosen.to)


def _chosen(arguments: list[str] | None) -> argparse.Namespace:
    """Read the arguments; exit with a sentence if they make no training."""
    parser = argparse.ArgumentParser(prog="python -m referee.training", description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=1, help="the same seed gives the same weights (default 1)")
    add("--generations", type=int, default=4, help="of the network; 0 keeps it (default 4)")
    add(
        "--games",
        type=int,
        default=20_000,
        help="of each size in the last generation; each before it plays half as many (default "
        "20000)",
    )
    add("--passes", type=int, default=3, help="how often each moment is learned from (default 3)")
    add("--rounds", type=int, default=6, help="of prices and priors; 0 keeps them (default 6)")
    add("--searched", type=int, default=160, help="games of each size and round (default 160)")
    add(
        "--kinds",
        type=int,
        default=20_000,
        help="games of three and of four by players of many kinds, and fewer between two, "
        "from which the network learns last; 0 leaves them out (default 20000)",
    )
    add("--to", type=Path, default=_WEIGHTS, help="for the network; the others go beside it")
    add("--further", action="store_true", help="begin with the present weights, not with a guess")
    chosen = parser.parse_args(arguments)
    for name, least in _LEAST.items():
        if getattr(chosen, name) < least:
            parser.error(f"--{name} has to be {least} or more")
    if chosen.kinds == 1:
        parser.error("--kinds has to be 0, or 2 or more: one game of each size is not learned from")
    if not chosen.to.parent.is_dir():
        parser.error(f"there is no folder {chosen.to.parent}: run it in a clone, or give --to")
    return chosen


def _kept(progress: Progress, file: Path) -> bytes:
    """Write a network down, say how good it is, and return its weights."""
    replace_file(file, progress.weights)
    losses = ", ".join(f"{loss:.4f} ({n} seats)" for n, loss in progress.losses.items())
    print(
        f"{progress.title}: loss {losses}; "
        f"{_hours():.2f} hours of one core, {len(progress.weights)} bytes",
        flush=True,
    )
    return progress.weights


def _hours() -> float:
    """Return the processor time so far, with that of the processes that have played and ended."""
    return sum(os.times()[:4]) / 3600


if __name__ == "__main__":
    main()
