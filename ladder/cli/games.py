"""`santiago show` draws a position as a board; `santiago selfplay` plays random games."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import click
from rich.console import Console

from referee.board import draw
from referee.errors import ReplayError
from referee.replay import read, simulate, start
from referee.rules import Layout, Position, RulesError, play_out
from referee.rules.playouts import DICE_BY_NAME, trace_out

_STDIN: Final = "-"


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option(
    "--at", type=click.IntRange(min=0), help="For a replay: the number of steps; default: all."
)
@click.option("--text", is_flag=True, help="Print the position's line of text instead.")
def show(position: tuple[str, ...], at: int | None, text: bool) -> None:
    """Draw a POSITION: the line of text that `str(position)` makes, `-` for lines from the
    standard input, or a replay file (*.santiago)."""
    console = Console()
    try:
        for found, names in _found(position, at):
            if text:
                click.echo(str(found))
            else:
                console.print(draw(found, names))
    except RulesError as error:
        raise click.ClickException(str(error)) from None


def _found(words: tuple[str, ...], at: int | None) -> Iterator[tuple[Position, Sequence[str]]]:
    """Yield the positions to show, with the players' names if they are known."""
    is_file = "=" not in words[0] and words[0] != _STDIN
    if is_file and len(words) == 1:
        yield _moment(Path(words[0]), at)
    elif is_file or at is not None:
        raise click.UsageError("Give one replay file (--at belongs to it) or one position.")
    else:
        lines = sys.stdin if words[0] == _STDIN else [" ".join(words)]
        yield from ((Position.parse(line), ()) for line in lines if line.strip())


def _moment(file: Path, at: int | None) -> tuple[Position, Sequence[str]]:
    """Return the position after some steps of a replay, or after the last one."""
    try:
        record = read(file.read_bytes())
        position = start(record)
        steps = 0
        for steps, _ in enumerate(simulate(position, record), 1):
            if steps - 1 == at:
                break
        else:
            if at is not None and at > steps:
                raise click.ClickException(f"{file} has {steps} steps, so --at {at} is too far.")
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None
    return position, [seat.name for seat in record.seats]


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
