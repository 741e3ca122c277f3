"""`santiago worker`, `scheduler` and `db`: the parts of the service, told by the environment."""

import logging
import os
import sys

import click
from pythonjsonlogger.json import JsonFormatter

from ladder import model
from ladder.cli.ladder_data import database_at_hand
from ladder.config import Environment, Settings


@click.command()
def worker() -> None:
    """Play matches from the queue (REDIS_URL, DATABASE_URL) until SIGTERM.

    The matches that it plays then are given back, and others play them.
    """
    from ladder.worker.process import run_worker
    from referee.ways import Ways

    Ways.from_environment()  # a setting that is wrong is said at once, not at each match
    _log_to_stderr()
    with database_at_hand():
        sys.exit(run_worker(Settings.from_environment()))


@click.command()
def scheduler() -> None:
    """Queue matches, and set back those whose worker is gone, until SIGTERM.

    Needs REDIS_URL and DATABASE_URL. Any number may run at once.
    """
    from ladder.scheduler import run_scheduler

    _log_to_stderr()
    run_scheduler(Settings.from_environment())


@click.group()
def db() -> None:
    """The database (DATABASE_URL)."""


@db.command()
def upgrade() -> None:
    """Make the tables of the database, or bring them up to date."""
    without_queue = {"REDIS_URL": "not used", **os.environ}
    with database_at_hand():
        model.upgrade(Settings.from_environment(without_queue).database_url)


def _log_to_stderr() -> None:
    """Lines for people, or with SANTIAGO_LOG=json one JSON object a line, with more in it."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    if Environment.from_environment().log == "json":
        fields = "{asctime}{levelname}{name}{message}"
        logging.getLogger().handlers[0].setFormatter(JsonFormatter(fields, style="{"))
