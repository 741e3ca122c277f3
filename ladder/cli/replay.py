"""`santiago replay`: look into replay files."""

import json
import sys
from pathlib import Path
from typing import TextIO

import click

from ladder.cli.replay_debug import debug
from ladder.cli.replay_download import download
from ladder.cli.replay_view import view
from referee.errors import ReplayError
from referee.replay import read, trace, verify
from referee.rules import InvalidTrace
from referee.rules.trace_reading import read_trace
from referee.wire import replay_pb2

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def replay() -> None:
    """Look into replay files (*.santiago)."""


replay.add_command(debug)
replay.add_command(download)
replay.add_command(view)


@replay.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_PATH)
def verify_files(files: tuple[Path, ...]) -> None:
    """Play each game again by the rules: moves, dice and result must all be right."""
    wrong = 0
    for file in files:
        try:
            record = read(file.read_bytes())
            verify(record)
        except (ReplayError, OSError) as error:
            click.echo(f"{file}: {error}", err=True)
            wrong += 1
        else:
            click.echo(f"{file}: right. {_in_short(record)}")
    if wrong:
        sys.exit(1)


@replay.command("trace")
@click.argument("file", type=_PATH)
def trace_file(file: Path) -> None:
    """Print the game as JSON lines: setup, rolls, decisions with the legal moves, result."""
    try:
        for line in trace(read(file.read_bytes())):
            sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None


@replay.command("check-trace")
@click.argument("file", metavar="FILE|-", type=click.File(encoding="utf-8", errors="replace"))
def check_trace(file: TextIO) -> None:
    """Play the games of a trace again by the rules: every line must be right."""
    games = choices = 0
    try:
        for game in read_trace(file):
            games += 1
            choices += len(game.choices)
    except InvalidTrace as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"The trace is right. Games: {games}, choices: {choices}.")


def _in_short(record: replay_pb2.Replay) -> str:
    ranks = zip(record.seats, record.result.ranks, strict=True)
    return "Ranks: " + ", ".join(f"{seat.name} {rank}" for seat, rank in ranks)
