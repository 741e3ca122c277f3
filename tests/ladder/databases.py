"""Databases that a test made by itself."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from ladder import model

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""For tests that take long and whose SQL other tests try on the other database, too."""


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        model.upgrade(f"sqlite:///{folder}/ladder.db")
        return Path(folder, "ladder.db").read_bytes()


def new_ladder(file: Path) -> str:
    """Make a database with the newest schema and no rows, on SQLite; return its address.

    It is a copy: to run the migrations takes half a second.
    """
    file.write_bytes(_migrated())
    return f"sqlite:///{file}"


@contextmanager
def session_on(url: str) -> Iterator[Session]:
    """A session on a database; at the end nothing of it is open any more."""
    engine = model.engine(url)
    try:
        with model.session_factory(engine)() as session:
            yield session
    finally:
        engine.dispose()
