"""`santiago bot`: an author's bot from its first file to a place on the ladder."""

import asyncio
import sys
from pathlib import Path
from typing import Final

import click

from ladder.bots import versions
from ladder.bots.addresses import ways_to
from ladder.cli.bot_check import check
from ladder.cli.bot_site import COMMANDS
from ladder.cli.gateway import join_gateway, make_token
from ladder.cli.reaching import data_option, transaction
from ladder.cli.starters import LANGUAGES, write_project
from ladder.config import Environment
from referee.seats.description import UNNAMED, describe
from referee.ways import Ways

_TIMEOUT: Final = 2.0  # seconds
_NEXT: Final = {
    "python": ("santiago play random 'python bot.py'",),
    "node": ("npm install", "santiago play random 'node bot.js'"),
}
"""The first commands to type, by language."""


@click.group()
def bot() -> None:
    """Write, serve and check a bot; the bots of a ladder."""


for command in (check, join_gateway, make_token, *COMMANDS):
    bot.add_command(command)


@bot.command("add")
@click.argument("address")
@click.option("--name", help="In place of the bot's own name.")
@data_option
def add_bot(address: str, name: str | None, data: Path) -> None:
    """Register the bot that listens at ADDRESS (HOST:PORT); it must be running.

    A bot of the same name and author gets a new version, or a new address. With DATABASE_URL it is
    refused if workers would not dial it.
    """
    description = describe(address, _TIMEOUT)
    if (
        Environment.from_environment().database_url
    ):  # the workers of `santiago up` have their own settings
        asyncio.run(ways_to(address, None, Ways.from_environment()))
    with transaction(data) as session:
        registered = versions.register(
            session,
            name=name or description.name,
            author=description.author or "unknown",
            address=address,
            version=description.version or UNNAMED,
        )
    click.echo(f"Bot {registered.id}: {registered.name} {registered.version} at {address}")


@bot.command("list")
@data_option
def list_bots(data: Path) -> None:
    """Print the bots of the ladder, with their ids."""
    with transaction(data) as session:
        for row in versions.registered(session):
            click.echo(f"{row.id:4}  {row.name} {row.version}  by {row.author}  at {row.address}")


@bot.command()
@click.argument("name")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="The programming language.",
)
def new(name: str, language: str) -> None:
    """Write a small working bot into the new folder NAME.

    Its README explains how to run it, try it and check it.
    """
    for file in write_project(name, language, Path()):
        click.echo(f"{name}/{file}")
    click.echo(" && ".join(("Next: cd " + name, *_NEXT[language])))


@bot.command()
@click.argument("bot", metavar="MODULE:CLASS")
@click.option(
    "--address",
    metavar="ADDRESS",
    help="Where to listen: HOST:PORT or unix:/PATH. Default: SANTIAGO_ADDRESS, or else "
    "127.0.0.1:50051.",
)
def serve(bot: str, address: str | None) -> None:
    """Serve games with a bot in Python until Ctrl-C.

    MODULE is imported from the current folder, CLASS derives from referee.bot.Bot.
    """
    from referee.serving import load
    from referee.serving import serve as serve_games

    sys.path.insert(0, str(Path.cwd()))
    serve_games(load(bot), address)
