"""`santiago bot` and `santiago tournament`: bots and tournaments of a ladder, from the terminal.

They work on the database of the environment (DATABASE_URL), else on that of `santiago up`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from ladder import bots, database, tournaments
from ladder.command.clock import clock_options
from referee.clock import Clock
from referee.processes import describe

_ANSWERS_WITHIN: Final = 2.0  # seconds

_DATA = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".santiago"),
    show_default=True,
    envvar="SANTIAGO_DATA",
    show_envvar=True,
    help="The folder of `santiago up`. DATABASE_URL goes before it.",
)


@contextmanager
def _transaction(data: Path) -> Iterator[Session]:
    """A session on the ladder's database, committed at the end."""
    engine = database.engine(_database_url(data))
    try:
        with database.session_factory(engine).begin() as session:
            yield session
    except OperationalError as error:
        raise click.ClickException(
            f"The database does not answer, or has no tables yet (`santiago db upgrade` makes "
            f"them): {error.orig}"
        ) from None
    finally:
        engine.dispose()


def _database_url(data: Path) -> str:
    url = os.environ.get("DATABASE_URL", "").strip()
    if url:
        return url
    file = data.absolute() / "ladder.db"
    if not file.exists():
        raise click.ClickException(
            f"There is no ladder in {data}: start one with `santiago up`, or set DATABASE_URL."
        )
    return f"sqlite:///{file}"


@click.group()
def bot() -> None:
    """The bots of a ladder."""


@bot.command("add")
@click.argument("address")
@click.option("--name", help="Instead of the name that the bot tells.")
@_DATA
def add_bot(address: str, name: str | None, data: Path) -> None:
    """Register the bot that listens at ADDRESS (HOST:PORT); it must be running.

    A bot of the same name and author gets a new version, or a new address.
    """
    told = describe(address, _ANSWERS_WITHIN)
    with _transaction(data) as session:
        registered = bots.register(
            session,
            name=name or told.name,
            author=told.author or "unknown",
            address=address,
            version=told.version or "1",
        )
    click.echo(f"Bot {registered.id}: {registered.name} {registered.version} at {address}")


@bot.command("list")
@_DATA
def list_bots(data: Path) -> None:
    """Print the bots of the ladder, with their ids."""
    with _transaction(data) as session:
        for row in bots.every(session):
            click.echo(f"{row.id:4}  {row.name} {row.version}  by {row.author}  at {row.address}")


@click.group()
def tournament() -> None:
    """The tournaments of a ladder."""


@tournament.command("start")
@click.argument("bot_ids", nargs=-1, type=int, required=True)
@click.option("--name", default="Round robin", show_default=True, help="What the site calls it.")
@click.option(
    "--seats", type=click.IntRange(2, 4), default=2, show_default=True, help="Bots at a table."
)
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="Layouts that each table plays, in every rotation of the seats.",
)
@clock_options
@_DATA
def start_tournament(
    bot_ids: tuple[int, ...],
    name: str,
    seats: int,
    deals: int,
    clock: Clock,
    data: Path,
) -> None:
    """Start a round robin between the bots with these ids (`santiago bot list`)."""
    with _transaction(data) as session:
        made = tournaments.create(
            session, name=name, seats=seats, bot_ids=bot_ids, deals=deals, clock=clock
        )
        tournaments.start(session, made.id)
    click.echo(f"Tournament {made.id}: {made.total} matches are queued.")
