"""`santiago show`: a position as a board in the terminal."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from referee.board import draw
from referee.errors import ReplayError
from referee.replay import read, simulate, start
from referee.rules import Position, RulesError

_STDIN: Final = "-"


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option(
    "--at", type=click.IntRange(min=0), help="Of a replay: after so many steps; else at its end."
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
    """The positions that are meant, with the players' names where they are known."""
    is_file = "=" not in words[0] and words[0] != _STDIN
    if is_file and len(words) == 1:
        yield _moment(Path(words[0]), at)
    elif is_file or at is not None:
        raise click.UsageError("Give one replay file (--at belongs to it) or one position.")
    else:
        lines = sys.stdin if words[0] == _STDIN else [" ".join(words)]
        yield from ((Position.parse(line), ()) for line in lines if line.strip())


def _moment(file: Path, at: int | None) -> tuple[Position, Sequence[str]]:
    """The position after some steps of a replay, or after the last one."""
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
