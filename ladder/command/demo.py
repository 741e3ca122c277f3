"""`santiago demo`: sample bots, a round robin between them, and the site on the result."""

from pathlib import Path
from time import sleep
from typing import Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from ladder import bots, tournaments
from ladder.command.up import keep_up, running, service_options
from ladder.embedded import EmbeddedService
from ladder.local.entrants import installed_bots
from ladder.standings import standings
from referee.clock import Clock
from referee.serving import load

_CLOCK: Final = Clock(move_limit=5.0, bank=60.0, increment=0.5)
_THINKING: Final = {"SANTIAGO_PLANNER_SECONDS": "0.03"}  # so that a demo takes no coffee break
_LOOK_EVERY: Final = 0.25


@click.command()
@click.option("--once", is_flag=True, help="End after the standings.")
@click.option("--seats", type=click.IntRange(2, 4), default=3, show_default=True)
@click.option("--deals", type=click.IntRange(min=1), default=8, show_default=True)
@service_options
def demo(once: bool, seats: int, deals: int, data: Path, host: str, port: int) -> None:
    """Let the sample bots play a round robin and open the ladder site on the result."""
    console = Console(highlight=False)
    with running(data, host, port) as service:
        tournament_id = _start(service, seats, deals)
        page = f"{service.url}/tournaments/{tournament_id}"
        console.print(f"The sample bots play; watch at {page}")
        _show_progress(console, service, tournament_id)
        _show_standings(console, service, seats)
        console.print(f"Standings: {service.url}/\nMatches and replays: {page}")
        if not once:
            console.print("Ctrl-C ends the demo.")
            keep_up(service)


def _start(service: EmbeddedService, seats: int, deals: int) -> int:
    """Starts and registers the sample bots and lets them play; returns the tournament's id."""
    entrants = []
    for name, target in sorted(installed_bots().items()):
        bot, address = load(target), service.add_bot(name, target, _THINKING)
        with service.session() as session, session.begin():
            registered = bots.register(
                session, name=bot.name, author=bot.author, address=address, version=bot.version
            )
        entrants.append(registered.id)
    with service.session() as session, session.begin():
        tournament = tournaments.create(
            session,
            name="Demo",
            seats=seats,
            bot_ids=entrants,
            deals=deals,
            clock=_CLOCK,
        )
        tournaments.start(session, tournament.id)
    return tournament.id


def _show_progress(console: Console, service: EmbeddedService, tournament_id: int) -> None:
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress("Matches", *columns, console=console) as bar:
        task = bar.add_task("matches", total=None)
        while True:
            for sentence in service.check():
                bar.console.print(sentence)
            with service.session() as session:
                progress = tournaments.progress(session, tournament_id)
            bar.update(task, total=progress.total, completed=progress.finished)
            if progress.over:
                return
            sleep(_LOOK_EVERY)


def _show_standings(console: Console, service: EmbeddedService, seats: int) -> None:
    table = Table("bot", "author", title=f"Tables of {seats}", title_justify="left")
    for heading in ("Elo", "games", "wins", "faults"):
        table.add_column(heading, justify="right")
    with service.session() as session:
        for place in standings(session, seats):
            table.add_row(
                place.name,
                place.author,
                f"{place.rating_milli / 1000:.0f}",
                str(place.games),
                str(place.wins),
                str(place.faults),
            )
    console.print(table)
