"""Databases that a test made by itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy.orm import Session

from ladder import model

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""For tests that take long and whose SQL other tests try on the other database, too."""


@contextmanager
def session_on(url: str) -> Iterator[Session]:
    """A session on a database; at the end nothing of it is open any more."""
    engine = model.engine(url)
    try:
        with model.session_factory(engine)() as session:
            yield session
    finally:
        engine.dispose()
