"""Redis, whose clients notice silence: a connection may be swallowed instead of closed.

Each answer has a time-out, after which a client tries once more, on a new connection. A connection
that has rested is pinged before it is used. TCP looks after connections that only listen.
"""

import socket
from typing import Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

TIMEOUT: Final = 2.0
"""Seconds for an answer of Redis, or for its greeting."""

_PING_AFTER: Final = 3  # seconds of rest
_UNIX: Final = ("unix://", "redis+unix://")
_TCP: Final = {
    "TCP_KEEPIDLE": 5,  # seconds; below, too, but for the last
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 10_000,  # milliseconds
}


def open_redis(url: str, timeout: float = TIMEOUT) -> Redis:
    """Open a client; the caller closes it. `timeout`: seconds for an answer."""
    return Redis.from_url(url, **client_options(url, timeout))


def client_options(url: str, timeout: float = TIMEOUT) -> dict[str, Any]:
    """Return the options of a client of redis-py for `redis://`, `rediss://` or `unix://`."""
    options = {**_time_limits(timeout), "retry": Retry(NoBackoff(), 1)}
    return options if url.startswith(_UNIX) else options | _keepalive()


def transport_options() -> dict[str, Any]:
    """Return the options of Celery's transport.

    Its consumer waits for messages in a poll, where no time-out counts; kombu gives the connection
    up if the answer that is due every second is overdue by twice the pause between two pings.
    """
    return _time_limits(TIMEOUT) | _keepalive()


def _time_limits(timeout: float) -> dict[str, Any]:
    return {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "health_check_interval": _PING_AFTER,
    }


def _keepalive() -> dict[str, Any]:
    """Return options with all that this platform can do; a socket of a file needs none."""
    options = {getattr(socket, name, None): value for name, value in _TCP.items()}
    options.pop(None, None)
    return {"socket_keepalive": True, "socket_keepalive_options": options}
