"""A connection that is swallowed is given up in time, and the next one is a new one."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import OperationalError

from ladder.model import engine, postgresql
from tests.e2e.processes import until
from tests.swallowing import Proxy, postgresql_behind, socket_of

TIMEOUT = 2.0  # seconds


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """But a server on a busy machine is not silent."""
    monkeypatch.setattr(postgresql, "_OVERDUE", 300.0)
    monkeypatch.setattr(postgresql, "_PING", 0.6)
    monkeypatch.setattr(postgresql, "_GONE", 0.3)
    monkeypatch.setitem(postgresql.CONNECTING, "connect_timeout", 300)


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[Proxy]:
    with Proxy(socket_of(postgres_url)) as proxy:
        yield proxy


@pytest.fixture
def made(proxy: Proxy, postgres_url: str) -> Iterator[Engine]:
    made = engine(postgresql_behind(proxy, postgres_url), TIMEOUT)
    yield made
    made.dispose()


def test_a_statement_without_an_answer_loses_its_connection(
    made: Engine, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made.connect() as connection:
        proxy.swallow()
        monkeypatch.setattr(postgresql, "_OVERDUE", 0.2)
        with pytest.raises(OperationalError, match=r"no answer within 2\.2 seconds") as lost:
            connection.execute(text("SELECT 1"))
        monkeypatch.setattr(postgresql, "_OVERDUE", 300.0)
        assert lost.value.connection_invalidated
        connection.rollback()
        assert connection.scalar(text("SELECT 2")) == 2  # on a new connection


def test_what_the_server_holds_of_a_silent_client_is_ended(made: Engine, postgres_url: str) -> None:
    """PostgreSQL waits without an end for the rest of a pipeline, with all its locks."""
    url = make_url(postgres_url).set(drivername="postgresql")
    address = url.render_as_string(hide_password=False)
    with (
        made.connect() as waiting,  # first, since each new connection ends who is silent by then
        closing(psycopg.connect(address, application_name="santiago")) as silent,
        closing(psycopg.connect(address, application_name="another")) as other,
    ):
        silent.execute("SELECT pg_advisory_xact_lock(7)")
        silent.pgconn.enter_pipeline_mode()
        silent.pgconn.send_query_params(b"SELECT 1", None)
        silent.pgconn.send_flush_request()
        silent.pgconn.flush()  # and no end of the pipeline
        other.execute("SELECT pg_advisory_xact_lock(8)")
        with pytest.raises(OperationalError, match="statement timeout"):
            waiting.execute(text("SELECT pg_advisory_xact_lock(7)"))
        waiting.rollback()
        until(lambda: waiting.scalar(text("SELECT pg_try_advisory_xact_lock(7)")))
        assert not waiting.scalar(text("SELECT pg_try_advisory_xact_lock(8)"))


def test_connections_that_rest_are_looked_at_before_they_are_used(
    made: Engine, proxy: Proxy
) -> None:
    with made.connect(), made.connect():
        pass
    proxy.swallow()
    with made.connect() as first, made.connect() as second:
        assert [first.scalar(text("SELECT 1")), second.scalar(text("SELECT 1"))] == [1, 1]


def test_a_server_that_does_not_even_greet_is_not_waited_for(
    made: Engine, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(postgresql.CONNECTING, "connect_timeout", 2)  # the shortest of libpq
    proxy.swallow(new_ones=True)
    with pytest.raises(OperationalError, match="timeout expired"):
        made.connect()
    proxy.pass_on()
    monkeypatch.setitem(postgresql.CONNECTING, "connect_timeout", 300)
    with made.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1


def test_the_server_ends_a_statement_that_lasts(made: Engine) -> None:
    with made.connect() as connection:
        with pytest.raises(OperationalError, match="statement timeout"):
            connection.execute(text("SELECT pg_sleep(60)"))
        connection.rollback()
        assert connection.scalar(text("SELECT 1")) == 1


def test_commands_may_take_any_time(postgres_url: str) -> None:
    patient = engine(postgres_url)
    with patient.connect() as connection:
        assert connection.scalar(text("SHOW statement_timeout")) == "0"
    patient.dispose()


def test_libpq_is_told_to_look_after_its_connections(made: Engine) -> None:
    with made.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        said = driver.info.get_parameters()
    for name, value in postgresql.CONNECTING.items():
        assert said[name] == str(value)
