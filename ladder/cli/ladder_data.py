"""The ladder that a command works on: DATABASE_URL, else the database of `santiago up`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from ladder.config import Environment

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
    """A session on the ladder's database, committed at the end. Raises SettingsError."""
    url = _database_url(data)
    model.check_schema(url)
    engine = model.engine(url)
    try:
        with database_at_hand(), model.session_factory(engine).begin() as session:
            yield session
    finally:
        engine.dispose()


@contextmanager
def database_at_hand() -> Iterator[None]:
    """Says in one sentence where the database does not answer what is done here."""
    try:
        yield
    except OperationalError as error:
        raise click.ClickException(f"The database does not answer: {error.orig}") from None


def _database_url(data: Path) -> str:
    url = Environment.from_environment().database_url
    if url:
        return url
    file = data.absolute() / "ladder.db"
    if not file.exists():
        raise click.ClickException(
            f"There is no ladder in {data}: start one with `santiago up`, or set DATABASE_URL."
        )
    return f"sqlite:///{file}"
