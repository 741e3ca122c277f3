"""`santiago tournament`: tournaments of a ladder, from the terminal."""

from pathlib import Path

import click

from ladder import tournaments
from ladder.command.clock import clock_options
from ladder.command.ladder_data import data_option, transaction
from referee.clock import Clock


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
@data_option
def start_tournament(
    bot_ids: tuple[int, ...],
    name: str,
    seats: int,
    deals: int,
    clock: Clock,
    data: Path,
) -> None:
    """Start a round robin between the bots with these ids (`santiago bot list`)."""
    with transaction(data) as session:
        made = tournaments.create(
            session, None, name=name, seats=seats, bot_ids=bot_ids, deals=deals, clock=clock
        )
        tournaments.start(session, made.id)
    click.echo(f"Tournament {made.id}: {made.total} matches are queued.")
