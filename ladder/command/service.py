"""`santiago worker`, `scheduler` and `db`: the parts of the service, told by the environment."""

import logging
import sys

import click

from ladder import database
from ladder.config import Settings
from ladder.errors import LadderError


def settings() -> Settings:
    """The settings of the environment; what is wrong with them becomes a message."""
    try:
        return Settings.from_environment()
    except LadderError as error:
        raise click.ClickException(str(error)) from None


@click.command()
def worker() -> None:
    """Play matches from the queue (REDIS_URL, DATABASE_URL) until SIGTERM."""
    from ladder.worker import run_worker

    _log_to_stderr()
    sys.exit(run_worker(settings()))


@click.command()
def scheduler() -> None:
    """Queue matches, and set back those whose worker is gone, until SIGTERM."""
    from ladder.scheduler import run_scheduler

    _log_to_stderr()
    run_scheduler(settings())


@click.group()
def db() -> None:
    """The database (DATABASE_URL)."""


@db.command()
def upgrade() -> None:
    """Bring the tables of the database up to date."""
    database.upgrade(settings().database_url)


def _log_to_stderr() -> None:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
