"""`santiago bot`: an author's bot from its first file to a place on the ladder."""

import asyncio
from pathlib import Path
from typing import Final

import click

from ladder import bots
from ladder.bots.dialling import ways_to
from ladder.cli.bot_check import check
from ladder.cli.bot_new import new
from ladder.cli.bot_serve import serve
from ladder.cli.bot_site import COMMANDS
from ladder.cli.gateway import join_gateway, make_token
from ladder.cli.ladder_data import data_option, transaction
from ladder.config import Environment
from referee.seats.description import UNNAMED, describe
from referee.ways import Ways

_ANSWERS_WITHIN: Final = 2.0  # seconds


@click.group()
def bot() -> None:
    """Write, serve and check a bot; the bots of a ladder."""


for command in (new, serve, check, join_gateway, make_token, *COMMANDS):
    bot.add_command(command)


@bot.command("add")
@click.argument("address")
@click.option("--name", help="Instead of the name that the bot tells.")
@data_option
def add_bot(address: str, name: str | None, data: Path) -> None:
    """Register the bot that listens at ADDRESS (HOST:PORT); it must be running.

    A bot of the same name and author gets a new version, or a new address. With DATABASE_URL it is
    refused where workers would not dial it.
    """
    told = describe(address, _ANSWERS_WITHIN)
    # What workers of a data folder may dial is the setting of `santiago up` alone.
    if Environment.from_environment().database_url:
        asyncio.run(ways_to(address, None, Ways.from_environment()))
    with transaction(data) as session:
        registered = bots.register(
            session,
            name=name or told.name,
            author=told.author or "unknown",
            address=address,
            version=told.version or UNNAMED,
        )
    click.echo(f"Bot {registered.id}: {registered.name} {registered.version} at {address}")


@bot.command("list")
@data_option
def list_bots(data: Path) -> None:
    """Print the bots of the ladder, with their ids."""
    with transaction(data) as session:
        for row in bots.every(session):
            click.echo(f"{row.id:4}  {row.name} {row.version}  by {row.author}  at {row.address}")
