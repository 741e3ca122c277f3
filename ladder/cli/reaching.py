"""How a command reaches its ladder: the database (--data), or the site's API (--site)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from ladder.cli.client import SITE, Site
from ladder.config import Environment

data_option: Final = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".santiago"),
    show_default=True,
    envvar="SANTIAGO_DATA",
    show_envvar=True,
    help="The folder of `santiago up`; ignored if DATABASE_URL is set.",
)


@contextmanager
def transaction(data: Path) -> Iterator[Session]:
    """Open a session on the ladder's database and commit at the end. Raises SettingsError."""
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
    """Report in one sentence if the database does not answer."""
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


def site_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --site; the command gets a Site as `site`."""

    @click.option(
        "--site",
        "url",
        metavar="URL",
        default="http://127.0.0.1:8000",
        show_default=True,
        envvar=SITE,
        show_envvar=True,
        help="The ladder's site. Your token is read from SANTIAGO_API_TOKEN.",
    )
    @wraps(command)
    def with_site(*, url: str, **others: Any) -> Any:
        return command(site=Site.from_environment(url), **others)

    return with_site
