"""`santiago up`: the whole service on this machine, until Ctrl-C."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from ladder.command.stopping import Pause, Stopped, stoppable
from ladder.embedded import EmbeddedService

_CHECK_EVERY: Final = 1.0


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `up` and `demo` share."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(1, 65535),
            default=8000,
            show_default=True,
            help="Where the site listens.",
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
@service_options
def up(data: Path, host: str, port: int) -> None:
    """Run the ladder on this machine: Redis, worker, scheduler and site, until Ctrl-C."""
    click.echo(f"Starting Redis, worker, scheduler and site; data and logs are in {data}")
    with stoppable() as pause, EmbeddedService(data, host, port, pause) as service:
        click.echo(f"The ladder is at {service.url}/  (Ctrl-C ends it)")
        click.echo("Register a bot that runs: santiago bot add HOST:PORT")
        keep_up(service, pause)


def keep_up(service: EmbeddedService, pause: Pause) -> None:
    """Looks after the service until the command is asked to end."""
    try:
        while True:
            for sentence in service.check():
                click.echo(sentence, err=True)
            pause(_CHECK_EVERY)
    except Stopped:
        click.echo("Ending.", err=True)
