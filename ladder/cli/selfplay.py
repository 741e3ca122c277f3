"""`santiago selfplay`: random legal play in this process, for audit and statistics."""

import json
import sys
from random import Random

import click

from referee.rules import Layout, Position, play_out
from referee.rules.playouts import DICE_BY_NAME, trace_out


@click.command()
@click.option(
    "--players", type=click.IntRange(2, 4), default=4, show_default=True, help="Seats of each game."
)
@click.option("--games", type=click.IntRange(min=1), default=1, show_default=True, help="How many.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed, the same games."
)
@click.option(
    "--dice",
    type=click.Choice(list(DICE_BY_NAME)),
    default="fair",
    show_default=True,
    help="heavy-zero loads the dice towards 0, so that the rare rulings come up.",
)
@click.option("--trace", is_flag=True, help="Print the trace of each game as JSON lines.")
def selfplay(players: int, games: int, seed: int, dice: str, trace: bool) -> None:
    """Play games in which every choice is random among the legal moves."""
    rng, roll = Random(seed), DICE_BY_NAME[dice]
    for number in range(1, games + 1):
        position = Position.start(Layout.shuffled(rng), players)
        if trace:
            for line in trace_out(position, rng, roll):
                sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
        else:
            play_out(position, rng, roll)
            vp = " ".join(str(score.vp) for score in position.scores())
            sys.stdout.write(f"game {number}: {position.turn} turns, VP by seat {vp}\n")
