"""The database that a command works on: DATABASE_URL, or that of the folder --data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from ladder.config import Environment

_Command = TypeVar("_Command", bound=Callable[..., Any])


def folder_option(summary: str) -> Callable[[_Command], _Command]:
    """Make the option `--data`, a folder; `summary` is its help."""
    return click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(".santiago"),
        show_default=True,
        envvar="SANTIAGO_DATA",
        show_envvar=True,
        help=summary,
    )


data_option: Final = folder_option("The folder of `santiago up`; ignored if DATABASE_URL is set.")


@contextmanager
def transaction(data: Path) -> Iterator[Session]:
    """Open a session on the ladder's database and commit at the end. Raises SettingsError."""
    url = Environment.from_environment().database_url
    file = data.absolute() / "ladder.db"
    if not url and not file.exists():
        raise click.ClickException(
            f"There is no ladder in {data}: start one with `santiago up`, or set DATABASE_URL."
        )
    url = url or f"sqlite:///{file}"
    model.check_schema(url)
    engine = model.engine(url)
    try:
        with database_at_hand(), model.session_factory(engine).begin() as session:
            yield session
    finally:
        engine.dispose()


@contextmanager
def database_at_hand() -> Iterator[None]:
    """Report in one sentence if the database does not answer."""
    try:
        yield
    except OperationalError as error:
        raise click.ClickException(f"The database does not answer: {error.orig}") from None
