"""`santiago replay`: look into replay files."""

import json
import sys
from pathlib import Path

import click

from referee.errors import ReplayError
from referee.replay import read, trace, verify
from referee.wire import replay_pb2

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def replay() -> None:
    """Check and print replay files (*.santiago)."""


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


def _in_short(record: replay_pb2.Replay) -> str:
    ranks = zip(record.seats, record.result.ranks, strict=True)
    return "Ranks: " + ", ".join(f"{seat.name} {rank}" for seat, rank in ranks)
