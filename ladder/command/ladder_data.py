"""The ladder that a command works on: DATABASE_URL, else the database of `santiago up`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from ladder import database

data_option: Final = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".santiago"),
    show_default=True,
    envvar="SANTIAGO_DATA",
    show_envvar=True,
    help="The folder of `santiago up`. DATABASE_URL goes before it.",
)


@contextmanager
def transaction(data: Path) -> Iterator[Session]:
    """A session on the ladder's database, committed at the end."""
    engine = database.engine(_database_url(data))
    try:
        with database_at_hand(), database.session_factory(engine).begin() as session:
            yield session
    finally:
        engine.dispose()


@contextmanager
def database_at_hand() -> Iterator[None]:
    """What is done here needs a database with all tables: says what to do where there is none."""
    try:
        yield
    except (OperationalError, ProgrammingError) as error:  # PostgreSQL's for tables that lack
        raise click.ClickException(
            "The database does not answer, or was made by another version of santiago: restart "
            f"`santiago up`, or make its tables with `santiago db upgrade`. ({error.orig})"
        ) from None


def _database_url(data: Path) -> str:
    url = os.environ.get("DATABASE_URL", "").strip()
    if url:
        return url
    file = data.absolute() / "ladder.db"
    if not file.exists():
        raise click.ClickException(
            f"There is no ladder in {data}: start one with `santiago up`, or set DATABASE_URL."
        )
    return f"sqlite:///{file}"
