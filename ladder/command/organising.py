"""`santiago bot` and `santiago tournament`: bots and tournaments of a ladder, from the terminal.

They work on the database of the environment (DATABASE_URL), else on that of `santiago up`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from sqlalchemy.orm import Session

from ladder import bots, database, tournaments
from ladder.errors import LadderError
from referee.clock import Clock
from referee.errors import RefereeError
from referee.processes import describe

_DATA = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".santiago"),
    show_default=True,
    envvar="SANTIAGO_DATA",
    help="The folder of `santiago up`; DATABASE_URL goes before it.",
)


@contextmanager
def _session(data: Path) -> Iterator[Session]:
    """A session that is committed at the end; errors become messages."""
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{data.absolute() / 'ladder.db'}"
    if "DATABASE_URL" not in os.environ and not (data / "ladder.db").exists():
        raise click.ClickException(
            f"There is no ladder in {data}: start one with `santiago up`, or set DATABASE_URL."
        )
    engine = database.engine(url)
    try:
        with database.session_factory(engine).begin() as session:
            yield session
    except (LadderError, RefereeError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    finally:
        engine.dispose()


@click.group()
def bot() -> None:
    """Bots of the ladder."""


@bot.command("add")
@click.argument("address")
@click.option("--name", help="Instead of the name that the bot tells.")
@_DATA
def add_bot(address: str, name: str | None, data: Path) -> None:
    """Register the bot that listens at ADDRESS (host:port); it must be running."""
    with _session(data) as session:
        told = describe(address, timeout=5.0)
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
    """Print the bots of the ladder."""
    with _session(data) as session:
        for row in bots.every(session):
            click.echo(f"{row.id:4}  {row.name} {row.version}  by {row.author}  at {row.address}")


@click.group()
def tournament() -> None:
    """Tournaments of the ladder."""


@tournament.command("start")
@click.argument("bot_ids", nargs=-1, type=int, required=True)
@click.option("--name", default="Round robin", show_default=True)
@click.option("--seats", type=click.IntRange(2, 4), default=2, show_default=True)
@click.option("--deals", type=click.IntRange(min=1), default=4, show_default=True)
@click.option("--move-limit", type=float, default=10.0, show_default=True, help="Seconds a move.")
@click.option("--bank", type=float, default=60.0, show_default=True, help="Seconds a game.")
@click.option("--increment", type=float, default=0.5, show_default=True, help="Seconds a decision.")
@_DATA
def start_tournament(
    bot_ids: tuple[int, ...],
    name: str,
    seats: int,
    deals: int,
    move_limit: float,
    bank: float,
    increment: float,
    data: Path,
) -> None:
    """Start a round robin between the bots with these ids (`santiago bot list`)."""
    with _session(data) as session:
        clock = Clock(move_limit, bank, increment)
        made = tournaments.create(
            session, name=name, seats=seats, bot_ids=bot_ids, deals=deals, clock=clock
        )
        tournaments.start(session, made.id)
        click.echo(f"Tournament {made.id}: {made.total} matches are queued.")
