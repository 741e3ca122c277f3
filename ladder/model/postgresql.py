"""Engines for PostgreSQL, whose connections notice silence: nothing waits for ever.

A connection may be swallowed instead of closed: a router forgets it, a host freezes, a standby
takes over. TCP notices if nothing is acknowledged any more. If something between still
acknowledges, only time tells: the server ends a statement after the engine's patience, and a client
that has not even heard of that a little later gives the connection up. What the server still holds
of it may have locks, and is ended as soon as a new connection is there.
"""

import secrets
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import OperationalError

_T = TypeVar("_T")

CONNECTING: Final[dict[str, int]] = {
    "connect_timeout": 5,  # seconds; below, too, but for the last
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}
"""The parameters of libpq for each connection, unless the address has its own."""

_OVERDUE: Final = 2.0  # seconds beyond its patience after which a server counts as silent
_PING: Final = 3.0  # seconds in which it has to answer the pool's ping
_IDLE_LIMIT: Final = 10.0  # seconds that a client may do nothing in a transaction
_IDLE_IN_TRANSACTION: Final = "25P03"  # PostgreSQL's code for a client that exceeded that
_LOOK_EVERY: Final = 0.1  # seconds
_END: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid = %s AND application_name = %s"
)


class _Connection(psycopg.Connection[Any]):
    """A connection that is closed if the server stays silent for longer than `patience` seconds."""

    patience: float | None = None
    given_up: deque[tuple[int, str]]
    """The server's process and the name of each connection of its engine that was silent."""

    def wait(self, gen: PQGen[_T], interval: float = _LOOK_EVERY, *args: Any, **options: Any) -> _T:
        """Wait for an answer. Raises psycopg.OperationalError."""
        if self.patience is None:
            return super().wait(gen, interval, *args, **options)
        # Nothing but the pool's ping is executed outside of transactions.
        limit = _PING if self.autocommit else self.patience + _OVERDUE
        try:
            return super().wait(_heard(gen, limit), interval, *args, **options)
        except _Silent:
            self.given_up.append(
                (self.info.backend_pid, self.info.parameter_status("application_name") or "")
            )
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
        wanted = next(gen)
        while True:
            ready = yield wanted
            if ready:
                until = monotonic() + limit
            elif monotonic() > until:
                raise _Silent
            wanted = gen.send(ready)
    except StopIteration as done:
        answer: _T = done.value
        return answer


def postgresql_engine(address: URL, patience: float | None) -> Engine:
    """Make an engine. `patience`: seconds that a statement may take; None for any time."""

    given_up: deque[tuple[int, str]] = deque()

    def connect(_dialect: object, _record: object, words: Any, parameters: Any) -> _Connection:
        name = {"application_name": f"santiago {secrets.token_hex(4)}"}  # tells it from others
        made = _Connection.connect(*words, **CONNECTING | name | parameters)
        made.patience, made.given_up = patience, given_up
        return made

    def prepare(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_settings(patience))
            with suppress(IndexError):  # there is no more of them
                while True:
                    cursor.execute(_END, given_up.popleft())
        connection.commit()

    made = create_engine(
        address.set(drivername="postgresql+psycopg"), pool_pre_ping=True, hide_parameters=True
    )
    event.listen(made, "do_connect", connect)
    event.listen(made, "connect", prepare)
    event.listen(made, "handle_error", _report_timeout, retval=True)
    return made


def _settings(patience: float | None) -> str:
    """Return the statements that a connection begins with.

    They limit how long a stopped client keeps its locks and a statement lasts, have the server
    close what is left of a lost client, and switch off the JIT compiler: statements are short, to
    compile them takes longer than to run them.
    """
    idle = _IDLE_LIMIT if patience is None else min(patience, _IDLE_LIMIT)
    settings = {
        "idle_in_transaction_session_timeout": round(1000 * idle),
        "statement_timeout": round(1000 * (patience or 0)),
        **{f"tcp_{name}": value for name, value in CONNECTING.items() if name.startswith("keep")},
        "jit": "off",
    }
    return ";".join(f"SET {name} = {value}" for name, value in settings.items())


def _report_timeout(context: ExceptionContext) -> OperationalError | None:
    """Report a transaction that PostgreSQL ended for being idle as a lost connection.

    The driver calls it an internal error, which nobody expects of a database that is away.
    """
    error = context.original_exception
    if getattr(error, "sqlstate", None) != _IDLE_IN_TRANSACTION:
        return None
    context.is_disconnect = True
    return OperationalError(
        context.statement, None, error, hide_parameters=True, connection_invalidated=True
    )
