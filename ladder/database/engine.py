"""Engines for SQLite and PostgreSQL, sessions, and transactions that write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from ladder.errors import SettingsError

_USE = "use sqlite:///FILE or postgresql://USER@HOST/NAME"
_BUSY_TIMEOUT = 30.0  # seconds that a SQLite transaction waits for its turn
_IDLE_LIMIT = 10  # seconds that a PostgreSQL client may do nothing in a transaction
_WRITES = "santiago_writes"  # execution option: this transaction is going to write
_BEGUN = "santiago_begun"  # in a session's info: its transaction has reached the database


def engine(url: str) -> Engine:
    """An engine for `sqlite:///FILE` or `postgresql://...` (by psycopg); else SettingsError."""
    try:
        address = make_url(url)
    except ArgumentError:
        raise SettingsError(f"DATABASE_URL is no database address: {_USE}") from None
    if address.get_backend_name() == "sqlite":
        return _sqlite(url)
    if address.get_backend_name() in ("postgresql", "postgres"):
        return _postgresql(address)
    raise SettingsError(f"DATABASE_URL names {address.get_backend_name()}: {_USE}")


def session_factory(engine: Engine) -> sessionmaker[Session]:
    """Sessions whose objects stay readable after the commit.

    Use `with sessions.begin() as session:` for a transaction that is committed at its end.
    """
    factory = sessionmaker(engine, expire_on_commit=False)
    event.listen(factory, "after_begin", _note_begin)
    event.listen(factory, "after_transaction_end", _note_end)
    return factory


def write(session: Session) -> None:
    """Say that this transaction is going to write; every function that writes calls it first.

    On SQLite it makes the transaction BEGIN IMMEDIATE, so that writers wait for one another
    instead of failing; there it must therefore be the first thing in its transaction, and a
    RuntimeError says when it is not. On PostgreSQL it asks for nothing.
    """
    if _BEGUN not in session.info:
        session.connection(execution_options={_WRITES: True})
    elif session.get_bind().dialect.name == "sqlite" and not _writes(session.connection()):
        raise RuntimeError(
            "this transaction began as one that only reads: call ladder.database.write(session) "
            "before the first query, or commit before"
        )


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that is going to write; committed at its end."""
    with engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
        yield connection


def now(session: Session) -> datetime:
    """The database's clock, in UTC: the one clock that leases and delays are measured by."""
    if session.get_bind().dialect.name == "sqlite":
        stamp = session.scalar(text("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')"))
        return datetime.fromisoformat(str(stamp)).replace(tzinfo=UTC)
    stamp = session.scalar(text("SELECT clock_timestamp()"))
    assert isinstance(stamp, datetime)
    return stamp.astimezone(UTC)


def _note_begin(session: Session, _transaction: SessionTransaction, _: Connection) -> None:
    session.info[_BEGUN] = True


def _note_end(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(_BEGUN, None)


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get(_WRITES))


def _postgresql(address: URL) -> Engine:
    made = create_engine(address.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    event.listen(made, "connect", _prepare_postgresql)
    return made


def _prepare_postgresql(connection: Any, _record: object) -> None:
    """A client that was stopped in a transaction must not keep its locks for ever."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_LIMIT}s'")
    connection.commit()


def _sqlite(url: str) -> Engine:
    made = create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT})
    event.listen(made, "connect", _prepare_sqlite)
    event.listen(made, "begin", _begin_sqlite)
    return made


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: _begin_sqlite does
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")
