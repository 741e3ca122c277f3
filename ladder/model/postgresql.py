"""Engines for PostgreSQL, whose connections notice silence: nothing waits for ever.

A connection may be swallowed instead of closed: a router forgets it, a host freezes, a standby
takes over. TCP notices if nothing is acknowledged any more. If something between still
acknowledges, only time tells: the server ends a statement after the engine's timeout, and a client
that has not even heard of that a little later gives the connection up.

What the server still holds of a silent client may have locks. In the middle of a pipeline none of
the server's own limits ends it: it waits for the rest of the pipeline without an end. So each new
connection ends those of ours that their clients left in a transaction, and who has waited for a
lock in vain makes new connections.
"""

from collections.abc import Generator
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import OperationalError

from ladder.errors import SettingsError

_T = TypeVar("_T")

CONNECTING: Final[dict[str, int]] = {
    "connect_timeout": 5,  # seconds; below, too, but for the last
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}
"""The parameters of libpq for each connection, unless the address has its own."""

_OVERDUE: Final = 2.0  # seconds beyond the timeout after which a server counts as silent
_PING: Final = 3.0  # seconds in which it has to answer the pool's ping
_IDLE_LIMIT: Final = 10.0  # seconds that a client may do nothing in a transaction
_IDLE_IN_TRANSACTION: Final = "25P03"  # PostgreSQL's code for a client that exceeded that
_GONE: Final = _IDLE_LIMIT  # seconds of silence in a transaction after which no client comes back
_STATEMENT_TIMEOUT: Final = "57014"  # its code for a statement that lasted too long
_READ_ONLY: Final = "25006"  # its code for a change where none is allowed, as on a standby
_NO_RIGHT: Final = "42501"  # its code for what the user may not do
_ENCODING: Final = "UTF8"
_LOOK_EVERY: Final = 0.1  # seconds
_END_SILENT: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database()"
    " AND application_name = current_setting('application_name')"  # as all parts of an arena
    " AND state <> 'idle' AND wait_event = 'ClientRead'"
    " AND state_change < clock_timestamp() - make_interval(secs => %s)"
)


class _Connection(psycopg.Connection[Any]):
    """A connection that is closed if the server stays silent for longer than `timeout` seconds."""

    timeout: float | None = None

    def wait(self, gen: PQGen[_T], interval: float = _LOOK_EVERY, *args: Any, **options: Any) -> _T:
        """Wait for an answer. Raises psycopg.OperationalError."""
        if self.timeout is None:
            return super().wait(gen, interval, *args, **options)
        # Nothing but the pool's ping is executed outside of transactions.
        limit = _PING if self.autocommit else self.timeout + _OVERDUE
        try:
            return super().wait(_heard(gen, limit), interval, *args, **options)
        except _Silent:
            self.pgconn.finish()  # makes the pool drop it, and all that are as old
            raise psycopg.OperationalError(
                f"no answer within {limit:g} seconds: the connection is given up"
            ) from None


class _Silent(Exception):
    """The server has not answered in time."""


def _heard(gen: PQGen[_T], limit: float) -> Generator[Any, Any, _T]:
    """Pass on what the generator waits for. Raises _Silent after `limit` seconds of silence."""
    until = monotonic() + limit
    try:
        event = next(gen)
        while True:
            ready = yield event
            if ready:
                until = monotonic() + limit
            elif monotonic() > until:
                raise _Silent
            event = gen.send(ready)
    except StopIteration as done:
        answer: _T = done.value
        return answer


def postgresql_engine(address: URL, timeout: float | None) -> Engine:
    """Make an engine. `timeout`: seconds that a statement may take; None for any time.

    To connect raises SettingsError if the database cannot store every text.
    """

    def connect(_dialect: object, _record: object, words: Any, parameters: Any) -> _Connection:
        name = {"application_name": "santiago"}
        made = _Connection.connect(*words, **CONNECTING | name | parameters)
        made.timeout = timeout
        _refuse_other_encoding(made)
        return made

    def prepare(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_settings(timeout))
            cursor.execute(_END_SILENT, [_GONE])
        connection.commit()

    made = create_engine(
        address.set(drivername="postgresql+psycopg"), pool_pre_ping=True, hide_parameters=True
    )
    event.listen(made, "do_connect", connect)
    event.listen(made, "connect", prepare)
    event.listen(made, "handle_error", _report, retval=True)
    return made


def _settings(timeout: float | None) -> str:
    """Return the statements that a connection begins with.

    They limit how long a stopped client keeps its locks and a statement lasts, have the server
    close what is left of a lost client, and switch off the JIT compiler: statements are short, to
    compile them takes longer than to run them.
    """
    idle = _IDLE_LIMIT if timeout is None else min(timeout, _IDLE_LIMIT)
    settings = {
        "idle_in_transaction_session_timeout": round(1000 * idle),
        "statement_timeout": round(1000 * (timeout or 0)),
        **{f"tcp_{name}": value for name, value in CONNECTING.items() if name.startswith("keep")},
        "jit": "off",
    }
    return ";".join(f"SET {name} = {value}" for name, value in settings.items())


def _refuse_other_encoding(connection: _Connection) -> None:
    """Raise SettingsError if the database is not in UTF-8."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding not in (_ENCODING, None):  # None: a pool between, which does not say
        connection.close()
        raise SettingsError(
            f"the database in DATABASE_URL is in {encoding}, which cannot hold every name: make "
            f"one with CREATE DATABASE ... ENCODING '{_ENCODING}' TEMPLATE template0"
        )


def _report(context: ExceptionContext) -> Exception | None:
    """Report in our own words what the driver calls an error of the program.

    A transaction that PostgreSQL ended for being idle, and a server that only reads for now, are a
    database that is away: others connect to its successor. After a statement that lasted too long
    the pool makes new connections, which end who holds the lock.
    """
    error = context.original_exception
    state = getattr(error, "sqlstate", None)
    if isinstance(error, psycopg.Error) and state == _NO_RIGHT:
        why = error.diag.message_primary
        return SettingsError(f"the user in DATABASE_URL has to own the database's tables: {why}")
    away = state in (_IDLE_IN_TRANSACTION, _READ_ONLY)
    context.is_disconnect |= away or state == _STATEMENT_TIMEOUT
    if not away:
        return None
    return OperationalError(
        context.statement, None, error, hide_parameters=True, connection_invalidated=True
    )
