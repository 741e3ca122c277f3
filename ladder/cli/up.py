"""`santiago up` and `santiago demo`: the whole service on this machine."""

import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from ladder.cli.database import database_at_hand
from ladder.cli.terminal import (
    Pause,
    ProgressBar,
    Stopped,
    folder_option,
    print_table,
    stoppable,
    table_console,
)
from ladder.config import HOST, LADDER_PACE, PLANNER_SECONDS, PORT, TURQUINO_SECONDS, Environment
from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.contests.tournaments.lookup import Tournament
from ladder.embedded import hosting
from ladder.embedded.service import EmbeddedService
from ladder.embedded.settings import check_settings
from ladder.errors import Refused
from ladder.model import TOURNAMENT_OVER, VersionState
from ladder.ratings.standings import standings
from referee.clock import Clock
from referee.printing import say

_CHECK_EVERY: Final = 1.0  # seconds
_PACE: Final = 4.0
"""Matches a minute: with the sample bots this takes about a quarter of one core."""
_THINKING: Final = "0.1"
"""Seconds for a decision of `turquino`, which would use the whole clock, unless it is set."""


def _service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that `up` and `demo` share."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(1, 65535),
            default=8000,
            show_default=True,
            envvar=PORT,
            show_envvar=True,
            help="The site's port.",
        ),
        click.option(
            "--host",
            default="127.0.0.1",
            show_default=True,
            envvar=HOST,
            show_envvar=True,
            help="The site's address; 0.0.0.0, or :: for IPv6, lets other machines in.",
        ),
        folder_option("The folder of the database and the logs."),
    ):
        command = option(command)
    return command


@click.command()
@click.option(
    "--pace",
    type=click.FloatRange(min=0),
    default=_PACE,
    show_default=True,
    envvar=LADDER_PACE,
    show_envvar=True,
    help="Ladder matches that are made in a minute: few keep the machine cool; 0 makes none. "
    "The sample bots play in them, too.",
)
@_service_options
def up(data: Path, host: str, port: int, pace: float) -> None:
    """Run the ladder on this machine: Redis, worker, scheduler and site, until Ctrl-C.

    The sample bots are on it, and play day and night with those that are submitted.
    """
    check_settings(pace)
    click.echo(f"Starting Redis, worker, scheduler and site; data and logs are in {data}")
    with (
        database_at_hand(),
        stoppable() as pause,
        EmbeddedService(
            data, host, port, pause, pace, house=_house(), adds_house=bool(pace), say=say
        ) as service,
    ):
        click.echo(f"The ladder is at {service.url}/  (Ctrl-C ends it)")
        if pace:
            click.echo(f"{pace:g} matches a minute are made for it (--pace gives more or fewer).")
        if service.hosts:
            click.echo(
                f"Upload a bot at {service.url}/bots/submit: it is built and run in sandboxes."
            )
        click.echo(f"Register a bot that runs: {adding(data)}")
        keep_up(service, pause)


def _house() -> dict[str, str]:
    """Return what the house bots are told: how long the strongest thinks on this one machine."""
    return {TURQUINO_SECONDS: Environment.from_environment().turquino_seconds or _THINKING}


def adding(data: Path) -> str:
    """Return the command that adds a bot to the ladder of a folder; it works in any folder."""
    return f"santiago bot add HOST:PORT --data {shlex.quote(str(data.absolute()))}"


def keep_up(service: EmbeddedService, pause: Pause) -> None:
    """Keep the service alive until the command is asked to end."""
    try:
        while True:
            for sentence in service.check():
                say(sentence)
            pause(_CHECK_EVERY)
    except Stopped:
        say("Ending.")


_CLOCK: Final = Clock(move_limit=5.0, bank=60.0, increment=0.5)
_NO_PACE: Final = 0.0  # only the tournament is played
_SECONDS: Final = "0.03"  # of the planner: keeps the demo short, unless the environment sets it
_LOOK_EVERY: Final = 0.2  # seconds
_STEPS: Final = {
    VersionState.CHECKING: "It is built, and is checked.",
    VersionState.TRIAL: "It passed, and plays its trial.",
    VersionState.ACTIVE: f"{hosting.UPLOADED} is on the ladder, and plays in a sandbox.",
}


@click.command()
@click.option("--once", is_flag=True, help="End after the standings.")
@click.option(
    "--seats", type=click.IntRange(2, 4), default=3, show_default=True, help="Bots at a table."
)
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="Layouts that every two bots play together, each in every rotation of the seats.",
)
@_service_options
def demo(once: bool, seats: int, deals: int, data: Path, host: str, port: int) -> None:
    """Let the sample bots play a round robin and open the ladder site on the result."""
    check_settings(_NO_PACE)
    seconds = Environment.from_environment().planner_seconds or _SECONDS
    house = _house() | {PLANNER_SECONDS: seconds}
    click.echo(f"Starting Redis, worker, scheduler, site and bots; data and logs are in {data}")
    with (
        database_at_hand(),
        stoppable() as pause,
        EmbeddedService(
            data, host, port, pause, _NO_PACE, house=house, adds_house=True, say=say
        ) as service,
    ):
        _await_upload(service, pause)
        tournament = _start(service, seats, deals)
        page = f"{service.url}/tournaments/{tournament.id}"
        click.echo(f"The sample bots play; watch at {page}")
        _follow(service, tournament, pause)
        _show_standings(service, seats)
        click.echo(f"Standings: {service.url}/\nMatches and replays: {page}")
        if once:
            click.echo(f"`santiago up --data {data}` shows them again.")
        else:
            click.echo(
                "A bot that you submit plays its trial here, and rated games with `santiago up`."
            )
            click.echo("Ctrl-C ends the demo.")
            keep_up(service, pause)
        _refuse_failures(service, tournament)


def _await_upload(service: EmbeddedService, pause: Pause) -> None:
    """Show how the uploaded bot comes onto the ladder, as every author's does."""
    if service.uploaded is None:
        return
    if service.uploaded_now:
        click.echo(f"{hosting.UPLOADED} comes in by upload, as authors' bots do.")
    state, told = None, set[str]()
    while state is not VersionState.ACTIVE:
        for sentence in service.check():
            say(sentence)
        with service.session() as session:
            state, why = hosting.progress(session, service.uploaded)
        if state is VersionState.REJECTED:
            raise click.ClickException(f"The upload of {hosting.UPLOADED} was rejected: {why}")
        for line in (_STEPS.get(state), why):
            if line and line not in told:
                click.echo(line)
                told.add(line)
        pause(_LOOK_EVERY)


def _start(service: EmbeddedService, seats: int, deals: int) -> Tournament:
    """Start a tournament between the sample bots."""
    with service.session() as session, session.begin():
        tournament = creating.create(
            session,
            None,
            name="Demo",
            seats=seats,
            bot_ids=service.house_bots,
            deals=deals,
            clock=_CLOCK,
        )
        lifecycle.start(session, tournament.id)
    return tournament


def _follow(service: EmbeddedService, tournament: Tournament, pause: Pause) -> None:
    """Show the progress until the tournament is over; if stopped, cancel the rest.

    The bots end with the demo.
    """
    try:
        with ProgressBar("Matches", tournament.total) as bar:
            while True:
                for sentence in service.check():
                    bar.say(sentence)
                with service.session() as session:
                    now = lookup.tournament(session, tournament.id)
                bar.show(now.settled)
                if now.state in TOURNAMENT_OVER:
                    return
                pause(_LOOK_EVERY)
    except Stopped:
        with suppress(Refused), service.session() as session, session.begin():
            lifecycle.cancel(session, tournament.id)
        click.echo("Stopped; what was not played yet is cancelled.", err=True)
        raise


def _show_standings(service: EmbeddedService, seats: int) -> None:
    table = Table("bot", "author", title=f"Tables of {seats}", title_justify="left")
    for heading in ("Elo", "games", "wins", "faults"):
        table.add_column(heading, justify="right")
    with service.session() as session:
        for place in standings(session, seats):
            table.add_row(
                place.name,
                place.author,
                f"{place.rating_milli / 1000:.0f} ± {place.deviation_milli / 1000:.0f}",
                str(place.games),
                str(place.wins),
                str(place.faults),
            )
    print_table(table_console(), table)


def _refuse_failures(service: EmbeddedService, tournament: Tournament) -> None:
    with service.session() as session:
        failed = lookup.progress(session, tournament.id).failed
    if failed:
        raise click.ClickException(
            f"{failed} of {tournament.total} matches were given up; the logs may say why."
        )
