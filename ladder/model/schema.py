"""Whether a database has the tables that this version of santiago was written for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import OperationalError

from ladder.errors import SettingsError
from ladder.model.engine import engine

_REVISIONS: Final = Path(__file__).parent / "migrations" / "versions"
_KEPT_IN: Final = "alembic_version"


def check_schema(url: str) -> None:
    """Raises SettingsError where the tables are older or newer, or lack: each part of the service
    looks before it starts. A database that does not answer is not judged."""
    made = engine(url)
    try:
        found = _revision(made)
    except OperationalError:
        return
    finally:
        made.dispose()
    newest = max(file.name.partition("_")[0] for file in _REVISIONS.glob("r*.py"))
    if not found:
        raise SettingsError("the database has no tables: make them with `santiago db upgrade`")
    versions = f"({found}; this version has {newest})"
    if found > newest:
        raise SettingsError(
            f"the database's tables are of a newer version of santiago {versions}: install that "
            "version here, too"
        )
    if found < newest:
        raise SettingsError(
            f"the database's tables are of an older version of santiago {versions}: stop all "
            "parts, and run `santiago db upgrade` (`santiago up` does it by itself)"
        )


def _revision(made: Engine) -> str:
    """The revision of the tables, as r0001; empty where there are none."""
    with made.connect() as connection:
        if not inspect(connection).has_table(_KEPT_IN):
            return ""
        return connection.scalar(text(f"SELECT version_num FROM {_KEPT_IN}")) or ""
