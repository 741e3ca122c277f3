"""`santiago replay`: look into replay files."""

import json
from pathlib import Path

import click

from referee.errors import ReplayError
from referee.replay import read, trace, verify
from referee.wire import replay_pb2

_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@click.group()
def replay() -> None:
    """Check and print replay files (*.santiago)."""


@replay.command("verify")
@_FILE
def verify_file(file: Path) -> None:
    """Play the game again by the rules: moves, dice and result must all be right."""
    record = _read(file)
    try:
        verify(record)
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None
    ranks = ", ".join(
        f"{seat.name} {rank}" for seat, rank in zip(record.seats, record.result.ranks, strict=True)
    )
    click.echo(f"{file}: right, {len(record.entries)} entries. Ranks: {ranks}.")


@replay.command("trace")
@_FILE
def trace_file(file: Path) -> None:
    """Print the game as JSON lines."""
    record = _read(file)
    try:
        for line in trace(record):
            click.echo(json.dumps(line, separators=(",", ":")))
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None


def _read(file: Path) -> replay_pb2.Replay:
    try:
        return read(file.read_bytes())
    except (ReplayError, OSError) as error:
        raise click.ClickException(f"{file}: {error}") from None
