"""`santiago up`: the whole service on this machine, until Ctrl-C."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any, Final

import click

from ladder.embedded import EmbeddedService
from ladder.errors import LadderError
from referee.errors import RefereeError

_CHECK_EVERY: Final = 1.0


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `up` and `demo` share."""
    for option in (
        click.option(
            "--data",
            type=click.Path(file_okay=False, path_type=Path),
            default=Path(".santiago"),
            show_default=True,
            envvar="SANTIAGO_DATA",
            help="The folder of the database and the logs.",
        ),
        click.option("--host", default="127.0.0.1", show_default=True, help="Where the site is."),
        click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True),
    ):
        command = option(command)
    return command


@click.command()
@service_options
def up(data: Path, host: str, port: int) -> None:
    """Run the ladder on this machine: Redis, worker, scheduler and site, until Ctrl-C."""
    with running(data, host, port) as service:
        click.echo(f"The ladder is at {service.url}  (Ctrl-C ends it; logs in {data / 'logs'})")
        click.echo("Register a bot that runs: santiago bot add HOST:PORT")
        keep_up(service)


@contextmanager
def running(data: Path, host: str, port: int) -> Iterator[EmbeddedService]:
    """The embedded service; Ctrl-C and SIGTERM end it in order, errors become messages."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with EmbeddedService(data, host, port) as service:
            yield service
    except KeyboardInterrupt:
        click.echo("Ended.")
    except (LadderError, RefereeError, OSError) as error:
        raise click.ClickException(str(error)) from None


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def keep_up(service: EmbeddedService) -> None:
    """Returns never: looks after the service until it is interrupted."""
    pause = Event()
    while not pause.wait(_CHECK_EVERY):
        for sentence in service.check():
            print(sentence, file=sys.stderr)
