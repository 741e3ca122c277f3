"""Databases that a test made by itself."""

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import psycopg
import pytest
from sqlalchemy import Engine, MetaData, QueuePool, event, insert, select, text
from sqlalchemy.orm import Session, sessionmaker

from ladder import model

T = TypeVar("T")

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""For tests that take long and whose SQL other tests try on the other database, too."""
_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def plan(session: Session, statement: str, values: Any) -> list[str]:
    """How SQLite executes a statement, as the driver gets it: its steps."""
    driver: Any = session.connection().connection
    return [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


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


def meanwhile(sessions: sessionmaker[Session], session: Session, what: Callable[[Session], T]) -> T:
    """Do it in another transaction while this one is open; commit this one, and return its result.

    It has a second for what it must not do before.
    """

    def do() -> T:
        with sessions.begin() as other:
            return what(other)

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(do)
        wait([found], 1)
        session.commit()
        return found.result(60)


class Emptied:
    """A database on PostgreSQL that one test after another gets, each time as it was at first.

    To copy one takes the server twenty times as long. Connections stay, too: what a new one has to
    look up before its first statements takes longer than a short test.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._shared = model.engine(url)
        self._kept: list[int] = []  # the server's processes behind its connections
        event.listen(self._shared, "connect", self._keep)
        self._engine = model.engine(url)
        self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # Foreign keys are not looked at, so that any order will do.
        self._connection.execute(text("SET session_replication_role = replica"))
        made = MetaData()
        made.reflect(self._connection)
        tables = {table: self._connection.execute(select(table)) for table in made.sorted_tables}
        rows = {table: [dict(row) for row in found.mappings()] for table, found in tables.items()}
        self._first = {table: found for table, found in rows.items() if found}
        sequences = self._connection.scalars(
            text("SELECT schemaname || '.' || sequencename FROM pg_sequences")
        )
        self._statements = [
            *(f"DELETE FROM {table.name}" for table in made.sorted_tables),
            *(f"SELECT setval('{name}', 1, false)" for name in sequences),
        ]

    def empty(self) -> None:
        """Forget what the last test has written."""
        self._end_others()
        self._connection.exec_driver_sql(";".join(self._statements))
        for table, rows in self._first.items():
            self._connection.execute(insert(table), rows)

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """An engine of a test's own, with the connections that all tests share."""
        yield self._shared.execution_options()
        if cast("QueuePool", self._shared.pool).checkedout():
            self._shared.dispose()

    def close(self) -> None:
        self._connection.close()
        self._engine.dispose()
        self._shared.dispose()

    def _keep(self, connection: psycopg.Connection[Any], _record: object) -> None:
        self._kept.append(connection.info.backend_pid)

    def _end_others(self) -> None:
        """End what the last test has left: it may be in the middle of a transaction."""
        kept = "pid = ANY (%(kept)s) AND state = 'idle'"
        self._connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND datname = current_database() AND backend_type = 'client backend'"
            f" AND NOT ({kept})",
            {"kept": self._kept},
        )


def waits(sessions: sessionmaker[Session]) -> bool:
    """Whether a transaction waits for another one, in this database of PostgreSQL."""
    with sessions() as session:
        return bool(session.scalars(_WAITING).one())
