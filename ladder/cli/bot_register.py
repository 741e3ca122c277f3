"""`santiago bot add` and `list`: the bots that an operator enters into a ladder's database."""

import asyncio
from pathlib import Path
from typing import Final

import click

from ladder.bots import versions
from ladder.bots.addresses import ways_to
from ladder.cli.database import transaction
from ladder.cli.terminal import data_option
from ladder.config import Environment
from referee.seats.description import UNNAMED, describe
from referee.variables import LONGEST_PATH, MAX_PORT, is_target
from referee.ways import GATEWAY_PREFIX, Ways

_TIMEOUT: Final = 2.0  # seconds


@click.command("add")
@click.argument("address")
@click.option("--name", help="In place of the bot's own name.")
@data_option
def add_bot(address: str, name: str | None, data: Path) -> None:
    """Register the bot that listens at ADDRESS (HOST:PORT); it must be running.

    A bot of the same name and author gets a new version, or a new address. With DATABASE_URL it is
    refused if workers would not dial it.
    """
    if not is_target(address) and not address.startswith(GATEWAY_PREFIX):
        raise click.UsageError(
            f"{address!r} is no address: give HOST:PORT, with a port of 1 to {MAX_PORT}, "
            f"unix:/PATH ({LONGEST_PATH} bytes at most) or gateway:NAME."
        )
    description = describe(address, _TIMEOUT)
    if Environment.from_environment().database_url:  # those of `santiago up` have their settings
        asyncio.run(ways_to(address, None, Ways.from_environment()))
    name, author = name or description.name, description.author or "unknown"
    version = description.version or UNNAMED
    with transaction(data) as session:
        made = versions.register(
            session, name=name, author=author, address=address, version=version
        )
    before = f", no longer at {made.moved_from}" if made.moved_from else ""
    click.echo(f"Bot {made.id}: {name} {version} at {address}{before}")


@click.command("list")
@data_option
def list_bots(data: Path) -> None:
    """Print the bots of the ladder, with their ids."""
    with transaction(data) as session:
        for row in versions.registered(session):
            click.echo(f"{row.id:4}  {row.name} {row.version}  by {row.author}  at {row.address}")
