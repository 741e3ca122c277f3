"""Databases that a test made by itself."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from ladder import model


@contextmanager
def session_on(url: str) -> Iterator[Session]:
    """A session on a database; at the end nothing of it is open any more."""
    engine = model.engine(url)
    try:
        with model.session_factory(engine)() as session:
            yield session
    finally:
        engine.dispose()
