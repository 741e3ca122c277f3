"""What PostgreSQL refuses, or ends, is no internal error: it is away, or not set up for us."""

from time import monotonic

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import OperationalError

from ladder.errors import SettingsError
from ladder.model import engine, session_factory
from tests.ladder.conftest import execute

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


def test_a_server_that_only_reads_is_away(made: Engine) -> None:
    with session_factory(made)() as session:
        session.execute(text("SET TRANSACTION READ ONLY"))
        with pytest.raises(OperationalError, match="in a read-only transaction") as away:
            session.execute(text("CREATE TABLE rum (id integer)"))
        assert away.value.connection_invalidated
    made.dispose()


def test_a_user_without_rights_is_told_so_in_a_sentence(made: Engine) -> None:
    with made.connect() as connection:
        connection.execute(text("SET LOCAL ROLE pg_monitor"))
        with pytest.raises(SettingsError, match="to own the database's tables: permission denied"):
            connection.execute(text("CREATE TABLE public.rum (id integer)"))
    made.dispose()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_store_every_name_is_refused(
    encoding: str, postgres_url: str
) -> None:
    name = f"test_{encoding.lower()}"
    new = f"CREATE DATABASE {name} TEMPLATE template0 LOCALE 'C' ENCODING '{encoding}'"
    execute(postgres_url, f"DROP DATABASE IF EXISTS {name}", new)
    other = engine(make_url(postgres_url).set(database=name).render_as_string(hide_password=False))
    with pytest.raises(SettingsError, match=f"is in {encoding}, which cannot hold every name"):
        other.connect()
    other.dispose()
