"""Train the network and the move priors anew: `python -m referee.training --help`."""

import argparse
import sys
from pathlib import Path
from time import process_time

from referee.engine import network, priors
from referee.rules import CORE
from referee.training.course import Plan, train
from referee.training.searching import Course, train_priors

_WEIGHTS = Path("referee/engine", network.WEIGHTS)
"""The engine's own, in a clone."""


def main(arguments: list[str] | None = None) -> None:
    """Train as the arguments say; write the weights after each generation, then the priors."""
    parser = argparse.ArgumentParser(prog="python -m referee.training", description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=1, help="the same seed gives the same weights (default 1)")
    add("--generations", type=int, default=3, help="of the network; 0 keeps it (default 3)")
    add("--games", type=int, default=40_000, help="of each size and generation (default 40000)")
    add("--passes", type=int, default=3, help="how often each moment is learned from (default 3)")
    add("--searched", type=int, default=50, help="games by the search for priors (default 50)")
    add("--to", type=Path, default=_WEIGHTS, help="for the network; the priors go beside it")
    add("--further", action="store_true", help="play the first games by the present weights")
    chosen = parser.parse_args(arguments)
    if chosen.generations < 0 or min(chosen.searched, chosen.passes) < 1 or chosen.games < 2:
        parser.error("a generation needs two games and one pass, the priors one game")
    if not chosen.to.parent.is_dir():
        parser.error(f"there is no folder {chosen.to.parent}: run it in a clone, or give --to")
    if CORE != "compiled":
        print("The rules are not compiled: this takes some five times as long.", file=sys.stderr)
    plan = Plan(chosen.seed, chosen.generations, chosen.games, chosen.passes, chosen.further)
    for progress in train(plan):
        chosen.to.write_bytes(progress.weights)
        losses = ", ".join(f"{loss:.4f} ({n} seats)" for n, loss in progress.losses.items())
        print(
            f"generation {progress.generation}: loss {losses}; "
            f"{process_time() / 3600:.2f} hours of one core, {len(progress.weights)} bytes",
            flush=True,
        )
    for weights in train_priors(Course(chosen.seed, chosen.searched)):
        chosen.to.with_name(priors.WEIGHTS).write_bytes(weights)
        print(f"priors: {process_time() / 3600:.2f} hours of one core, {len(weights)} bytes")


if __name__ == "__main__":
    main()
