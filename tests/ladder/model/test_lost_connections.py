"""A connection that PostgreSQL ends is a database that does not answer, not an internal error."""

from time import monotonic

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from ladder.model import engine, session_factory

TIMEOUT = 300  # seconds


@pytest.fixture
def made(postgres_url: str) -> Engine:
    return engine(postgres_url)


def test_a_transaction_that_was_idle_for_too_long_lost_its_connection(made: Engine) -> None:
    with session_factory(made)() as session:
        backend = session.scalar(text("SELECT pg_backend_pid()"))
        session.execute(text("SET idle_in_transaction_session_timeout = '1ms'"))
        until_gone(made, backend)
        with pytest.raises(OperationalError) as lost:
            session.execute(text("SELECT 1"))
        assert lost.value.connection_invalidated
        session.rollback()
        assert session.scalar(text("SELECT 1")) == 1  # on a new connection
    made.dispose()


def until_gone(made: Engine, backend: int | None) -> None:
    query = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
    end = monotonic() + TIMEOUT
    while monotonic() < end:
        with made.connect() as connection:
            if not connection.scalar(query, {"pid": backend}):
                return
    raise AssertionError(f"backend {backend} is still there")
