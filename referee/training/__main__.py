"""Train the network anew: `python -m referee.training --help`."""

import argparse
import sys
from pathlib import Path
from time import process_time

from referee.engine import network
from referee.rules import CORE
from referee.training.course import Plan, train

_WEIGHTS = Path("referee/engine", network.WEIGHTS)
"""The engine's own, in a clone."""


def main(arguments: list[str] | None = None) -> None:
    """Train as the arguments say, and write the weights after each generation."""
    parser = argparse.ArgumentParser(prog="python -m referee.training", description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=1, help="the same seed gives the same weights (default 1)")
    add("--generations", type=int, default=3, help="how often the network plays (default 3)")
    add("--games", type=int, default=40_000, help="of each size and generation (default 40000)")
    add("--passes", type=int, default=3, help="how often each moment is learned from (default 3)")
    add("--to", type=Path, default=_WEIGHTS, help=f"the file to write (default {_WEIGHTS})")
    add("--further", action="store_true", help="play the first games by the present weights")
    chosen = parser.parse_args(arguments)
    if min(chosen.generations, chosen.passes) < 1 or chosen.games < 2:
        parser.error("train at least one generation, by two games, in one pass")
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


if __name__ == "__main__":
    main()
