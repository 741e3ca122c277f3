"""`santiago up`: the whole service on this machine, until Ctrl-C."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from ladder.cli.reaching import database_at_hand
from ladder.cli.terminal import Pause, Stopped, stoppable
from ladder.config import LADDER_PACE, Environment
from ladder.embedded.house_bots import start_house_bots
from ladder.embedded.service import EmbeddedService
from ladder.secrets import SecretBox
from referee.ways import Ways

_CHECK_EVERY: Final = 1.0  # seconds
_PACE: Final = 4.0
"""Matches a minute: with the sample bots this takes about a quarter of one core."""


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that `up` and `demo` share."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(1, 65535),
            default=8000,
            show_default=True,
            help="The site's port.",
        ),
        click.option(
            "--host",
            default="127.0.0.1",
            show_default=True,
            help="The site's address; 0.0.0.0 lets other machines in.",
        ),
        click.option(
            "--data",
            type=click.Path(file_okay=False, path_type=Path),
            default=Path(".santiago"),
            show_default=True,
            envvar="SANTIAGO_DATA",
            show_envvar=True,
            help="The folder of the database and the logs.",
        ),
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
@service_options
def up(data: Path, host: str, port: int, pace: float) -> None:
    """Run the ladder on this machine: Redis, worker, scheduler and site, until Ctrl-C.

    The sample bots are on it, and play day and night with those that are submitted.
    """
    check_settings()
    click.echo(f"Starting Redis, worker, scheduler and site; data and logs are in {data}")
    with (
        database_at_hand(),
        stoppable() as pause,
        EmbeddedService(data, host, port, pause, pace) as service,
    ):
        if pace:
            start_house_bots(service, {})
        click.echo(f"The ladder is at {service.url}/  (Ctrl-C ends it)")
        if pace:
            click.echo(f"{pace:g} matches a minute are made for it (--pace gives more or fewer).")
        click.echo(f"Register a bot that runs: {adding(data)}")
        keep_up(service, pause)


def check_settings() -> None:
    """Raise at once what the parts would only report in their logs.

    Raises SettingsError and InvalidSetting.
    """
    Ways.from_environment()
    if Environment.from_environment().secret_key:
        SecretBox.from_environment()


def adding(data: Path) -> str:
    """Return the command that adds a bot to the ladder of a folder; it works in any folder."""
    return f"santiago bot add HOST:PORT --data {shlex.quote(str(data.absolute()))}"


def keep_up(service: EmbeddedService, pause: Pause) -> None:
    """Keep the service alive until the command is asked to end."""
    try:
        while True:
            for sentence in service.check():
                click.echo(sentence, err=True)
            pause(_CHECK_EVERY)
    except Stopped:
        click.echo("Ending.", err=True)
