"""The production server and those who begin a request and never end it."""

import socket
from collections.abc import Callable, Iterator

import pytest

from ladder.config import Settings
from ladder.live.stream import LiveEvent
from tests.e2e.sites import site
from tests.web.viewer.conftest import Told

TIMEOUT = 300.0  # seconds


@pytest.fixture
def port(settings: Settings) -> Iterator[int]:
    """Of a server that waits for two seconds for a whole request."""
    redis_url = settings.redis_url
    with site(settings.database_url, module="tests.web.hasty", REDIS_URL=redis_url) as address:
        yield int(address.rpartition(":")[2])


def begun(port: int, *lines: str) -> socket.socket:
    """A connection on which these lines of a request have been sent, without what ends a line."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
    connection.sendall("\r\n".join(lines).encode())
    return connection


def test_who_does_not_end_a_request_is_cut_off_and_who_watches_is_not(
    port: int, told: Told, tell: Callable[[list[LiveEvent]], None]
) -> None:
    claim, events = told
    tell(events[:1])
    stream = f"GET /matches/{claim.match_id}/live?from=1-1 HTTP/1.1"
    with (
        begun(port, stream, "Host: here", "", "") as watcher,
        begun(port, "GET / HTTP/1.1", "Host: he") as head,
        begun(port, "POST /sign-in HTTP/1.1", "Host: me", "Content-Length: 9", "", "n=") as form,
        watcher.makefile("rb") as told_to_who_watches,
    ):
        assert b" 200 " in told_to_who_watches.readline()
        for half in (head, form):
            while half.recv(1000):
                pass
        tell(events[1:3])
        assert any(line == b"event: frames\n" for line in told_to_who_watches)
