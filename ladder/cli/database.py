"""The database that a command works on: DATABASE_URL, or that of the folder --data.

The option itself is in `ladder.cli.terminal`, so that commands can have it without a database.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.orm import Session

from ladder import model
from ladder.config import Environment, Settings


@contextmanager
def transaction(data: Path) -> Iterator[Session]:
    """Open a session on the ladder's database and commit at the end. Raises SettingsError."""
    import ladder.wiring  # noqa: F401  (sets what follows from a match; not for health checks)

    url = Environment.from_environment().database_url
    file = data.absolute() / "ladder.db"
    if not url and not file.exists():
        raise click.ClickException(
            f"There is no ladder in {data}: start one with `santiago up`, or set DATABASE_URL."
        )
    url = url or model.sqlite_url(file)
    model.check_schema(url)
    engine = model.engine(url)
    try:
        with database_at_hand(), model.session_factory(engine).begin() as session:
            yield session
    finally:
        engine.dispose()


def database_url() -> str:
    """Return the DATABASE_URL of a part of the service. Raises SettingsError."""
    without_queue = {**os.environ, "REDIS_URL": "unix:///not/used"}
    return Settings.from_environment(without_queue).database_url


@contextmanager
def database_at_hand() -> Iterator[None]:
    """Report in one sentence if the database does not answer, is damaged, or has no room."""
    try:
        yield
    except OperationalError as error:
        if model.lacks_room(error):
            raise click.ClickException(
                f"Nothing was stored: the disk of the database is full ({error.orig}). "
                "Make room on it, and try again."
            ) from None
        raise click.ClickException(f"The database does not answer: {error.orig}") from None
    except DatabaseError as error:
        if not model.is_damaged(error.orig):
            raise
        raise click.ClickException(model.DAMAGED) from None
