"""Engines for SQLite and PostgreSQL, sessions, and transactions that write."""

import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker

from ladder.errors import SettingsError

_USE: Final = "use sqlite:///FILE or postgresql://USER@HOST/NAME"
DAMAGED: Final = "The file of the database is damaged: end all parts and restore a back-up."
_FULL: Final = (
    *("disk is full", "DiskFull", "could not extend file"),
    *("No space left", "No usable temporary directory"),
)
"""Words of errors if there is no room: SQLite's and PostgreSQL's, and those of files."""
_BUSY_TIMEOUT: Final = 30.0  # seconds that a SQLite transaction waits for its turn
_LOOK: Final = 0.002  # seconds between two looks if it is its turn
_LOOK_FOR_PEOPLE: Final = 0.0003
_LOOK_OPTION: Final = "santiago_look"
_LOCKED: Final = "santiago_locked"  # in a SQLite connection's info: it holds the lock to write
_CHANGES: Final = "santiago_changes"  # there, too: the rows it had changed when it began
_TAKE_YOUR_TIME: Final = sa.text(
    "SET LOCAL idle_in_transaction_session_timeout = 0;"
    " SET LOCAL application_name = 'santiago, computing'"
)


def engine(url: str, timeout: float | None = None, *, for_people: bool = False) -> sa.Engine:
    """Make an engine for `sqlite:///FILE` or `postgresql://...`; raise SettingsError for others.

    `timeout`: seconds that PostgreSQL may take for a statement, waits for locks included; by
    default any time, as migrations and rebuilding need it. Its errors, which end in logs, hold no
    parameters: some are seeds, hashes and sealed secrets. `for_people`: somebody waits for what it
    writes, so on SQLite its turn comes before that of processes for which nobody does.
    """
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        return _sqlite(address, _LOOK_FOR_PEOPLE if for_people else _LOOK)
    if address.get_backend_name() in ("postgresql", "postgres"):
        from ladder.model.postgresql import postgresql_engine  # the driver, which takes its time

        return postgresql_engine(address, timeout)
    raise SettingsError(f"DATABASE_URL names {address.get_backend_name()}: {_USE}")


def sqlite_url(file: Path) -> str:
    """Return the DATABASE_URL of a SQLite file; in it `?` and `%` have meanings of their own.

    Raises SettingsError for a path that is not in UTF-8.
    """
    try:
        return sa.URL.create("sqlite", database=str(file)).render_as_string()
    except UnicodeEncodeError:
        raise SettingsError(
            f"{str(file)!r} is not in UTF-8: name another folder, or rename it"
        ) from None


def is_damaged(error: BaseException | None) -> bool:
    """Return True if SQLite says that its file is damaged."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return isinstance(error, sqlite3.Error) and (code & 0xFF) == sqlite3.SQLITE_CORRUPT


def lacks_room(error: BaseException) -> bool:
    """Return True if an error of the database, or of a file, says that its disk is full."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    if getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHMSIZE:
        return True  # the file -shm cannot grow: SQLite only says "disk I/O error"
    said = f"{type(cause).__name__}: {cause}"
    return any(word in said for word in _FULL)


OUT_OF_REACH: Final = (sa.exc.OperationalError, sa.exc.TimeoutError)
"""Errors that are raised if the database does not answer, or has no connection left."""


def own_words(error: BaseException) -> str:
    """Return what the database says of an error, without SQLAlchemy's words, for a line of a log.

    PostgreSQL adds lines with its hints.
    """
    said = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    return " ".join(str(said).split())


def _address(url: str) -> sa.URL:
    """Parse DATABASE_URL. Raises SettingsError, without any part of the password."""
    try:
        address = sa.make_url(url)
    except ArgumentError:
        raise SettingsError(f"DATABASE_URL is no database address: {_USE}") from None
    except ValueError:
        raise SettingsError("the port in DATABASE_URL is no number") from None
    if "@" in (address.host or ""):
        raise SettingsError("DATABASE_URL has two @: write that of the password as %40")
    return address


def session_factory(engine: sa.Engine) -> sessionmaker[Session]:
    """Make a factory of sessions whose objects stay readable after the commit.

    Use `with sessions.begin() as session:` for a transaction that is committed at its end.
    """
    return sessionmaker(engine, expire_on_commit=False)


def write(session: Session) -> None:
    """Announce that this transaction will write; every function that writes calls it first.

    On SQLite the transaction becomes a BEGIN IMMEDIATE, so that writers wait for one another
    instead of failing. What it has read before may change in that moment, as on PostgreSQL between
    any two statements.
    """
    _lock(session.connection())


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection in a transaction that will write; commit it at the end."""
    with engine.begin() as connection:
        _lock(connection)
        yield connection


def execute(
    session: Session,
    statement: sa.Executable,
    parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
) -> sa.CursorResult[*tuple[Any, ...]]:
    """Execute a statement on columns, once or for each of a list of `parameters`.

    It bypasses SQLAlchemy's machinery for objects, which takes longer than the database. The
    statement sees the session's changes; the session's objects do not see what it changes.
    """
    session.flush()
    return session.connection().execute(statement, parameters)


def is_postgresql(session: Session) -> bool:
    """Return True if the session's database is a PostgreSQL, not a SQLite."""
    return session.get_bind().dialect.name == "postgresql"


def take_your_time(session: Session) -> None:
    """Let this transaction's client compute for longer than others may; the server waits for it."""
    if is_postgresql(session):
        session.execute(_TAKE_YOUR_TIME)


def integers(session: Session, **columns: Sequence[int]) -> sa.Subquery:
    """Return rows of whole numbers, given column by column, to insert from.

    So thousands of rows take one statement, and one parameter for each column.
    """
    if is_postgresql(session):
        of_array = sa.ARRAY(sa.BigInteger)
        values = [sa.func.unnest(sa.literal(list(of), of_array)) for of in columns.values()]
    else:
        each = sa.func.json_each(json.dumps(list(zip(*columns.values(), strict=True))))
        row = each.table_valued("value").c.value
        values = [sa.func.json_extract(row, f"$[{place}]") for place in range(len(columns))]
    named = zip(columns, values, strict=True)
    return sa.select(*(value.label(name) for name, value in named)).subquery()


class Upsert:
    """Inserts rows of a table; changes those whose primary key is there already.

    Of such a row the columns in `replace` get the new values, and those in `add` grow by them; a
    column in neither keeps its value. Make one for each purpose when the module is imported: to
    build a statement takes longer than to execute it.
    """

    def __init__(
        self,
        table: type[DeclarativeBase],
        *,
        replace: Collection[str] = (),
        add: Collection[str] = (),
    ) -> None:
        self._of_dialect = {
            name: _upsert(insert, table, replace, add)
            for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
        }

    def put(self, session: Session, rows: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Write a row, or several with the same columns; objects do not see it (see `execute`)."""
        if rows:
            execute(session, self._of_dialect[session.get_bind().dialect.name], rows)


def _upsert(
    insert: Any, table: type[DeclarativeBase], replace: Collection[str], add: Collection[str]
) -> sa.Insert:
    columns = table.__table__.columns
    inserted = insert(table.__table__)
    changed = {name: inserted.excluded[name] for name in replace}
    changed |= {name: columns[name] + inserted.excluded[name] for name in add}
    keys = list(table.__table__.primary_key)
    statement: sa.Insert = (
        inserted.on_conflict_do_update(index_elements=keys, set_=changed)
        if changed
        else inserted.on_conflict_do_nothing(index_elements=keys)
    )
    return statement


def _sqlite(address: sa.URL, look: float) -> sa.Engine:
    made = sa.create_engine(
        address,
        connect_args={"timeout": _BUSY_TIMEOUT},
        execution_options={_LOOK_OPTION: look},
        hide_parameters=True,
    )
    sa.event.listen(made, "do_connect", _create_sqlite)
    sa.event.listen(made, "connect", _prepare_sqlite)
    # Not by a listener: with one, SQLAlchemy looks for others before and after each statement.
    made.dialect.do_begin = _begin_sqlite  # type: ignore[method-assign,assignment]
    return made


def _create_sqlite(_dialect: object, _record: object, arguments: Any, _options: object) -> None:
    """Create the file of a new database for its user alone; SQLite would let others read it.

    Raises OperationalError if the file of an older one was moved away without its log, which has
    the latest results: SQLite would delete that.
    """
    file = str(arguments[0])
    if file != ":memory:" and not file.startswith("file:"):
        log = Path(f"{file}-wal")
        if log.exists() and not Path(file).exists():
            raise sqlite3.OperationalError(
                f"{file} is missing, but {log} is there: bring the file back, "
                f"or remove {log} to begin anew"
            )
        with suppress(OSError):  # it is there, or SQLite will say what is wrong
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: _begin_sqlite does
    cursor = connection.cursor()
    try:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
    except sqlite3.DatabaseError as error:
        if is_damaged(error):
            raise SettingsError(DAMAGED) from None
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise SettingsError(f"the file in DATABASE_URL is no SQLite database: {_USE}") from None
    finally:
        cursor.close()


def _begin_sqlite(connection: Any) -> None:
    driver = connection.driver_connection
    connection.info[_LOCKED] = False
    connection.info[_CHANGES] = driver.total_changes
    driver.execute("BEGIN")


def _lock(connection: sa.Connection) -> None:
    """Take SQLite's lock to write, unless the transaction has it: asked for, or by a change."""
    if connection.dialect.name != "sqlite" or connection.info[_LOCKED]:
        return
    driver = _driver(connection)
    if connection.info[_CHANGES] == driver.total_changes:
        driver.execute("COMMIT")  # of nothing, which cannot fail
        _begin_immediate(connection)
    connection.info[_LOCKED] = True


def _begin_immediate(connection: sa.Connection) -> None:
    """Begin a transaction that writes as soon as no other one does.

    SQLite itself would look after 1, 3, 8, 18, 33, 53 ms and so on: where many write, a click
    would wait for most of those who came later. Who looks more often goes first.
    """
    look = connection.get_execution_options()[_LOOK_OPTION]
    driver, until = _driver(connection), monotonic() + _BUSY_TIMEOUT
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        while _others_write(driver) and monotonic() < until:
            sleep(look)
        if not driver.in_transaction:
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # raises SQLAlchemy's own errors
    finally:
        driver.execute(f"PRAGMA busy_timeout = {round(1000 * _BUSY_TIMEOUT)}")


def _others_write(driver: Any) -> bool:
    """Begin a transaction that writes, or return True if another connection has begun one."""
    try:
        driver.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        return (error.sqlite_errorcode & 0xFF) == sqlite3.SQLITE_BUSY  # or one of its kinds
    return False


def _driver(connection: sa.Connection) -> Any:
    return connection.connection.driver_connection
