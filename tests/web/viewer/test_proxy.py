"""The site behind the Caddy of docker-compose.yml: visitors, limits and live streams."""

import json
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

from ladder.config import Settings
from ladder.live.stream import LiveEvent
from tests.caddy import caddy
from tests.conftest import free_port
from tests.e2e.sites import site
from tests.web.viewer.conftest import Told

TIMEOUT = 300.0  # seconds


@dataclass(frozen=True)
class Behind:
    """A visitor's way to the site, and the site's log."""

    visitor: httpx.Client
    log: Path

    def addresses(self, path: str) -> list[str]:
        """The addresses from which the site was asked for a path, by its access log."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line["address"] for line in lines if line.get("path") == path]


@pytest.fixture
def behind(settings: Settings, tmp_path: Path) -> Iterator[Behind]:
    given = {
        "REDIS_URL": settings.redis_url,
        "SANTIAGO_ACCESS_LOG": "1",
        "SANTIAGO_LOG": "json",
        "SANTIAGO_PROXIES": "1",
        "SANTIAGO_PUBLIC_URL": "https://localhost",
    }
    log = tmp_path / "log"
    with (
        site(settings.database_url, log=log, **given) as address,
        caddy(tmp_path, site=int(address.rpartition(":")[2])) as proxy,
        httpx.Client(
            base_url=f"https://localhost:{proxy.site}",
            timeout=TIMEOUT,
            transport=httpx.HTTPTransport(
                verify=ssl.create_default_context(cafile=proxy.ca_file), local_address="127.0.0.7"
            ),
        ) as visitor,
    ):
        yield Behind(visitor, log)


def test_visitors_come_through_it(
    behind: Behind, told: Told, tell: Callable[[list[LiveEvent]], None]
) -> None:
    claim, events = told
    visitor = behind.visitor
    # Pages: under the site's name, over TLS, with the visitor's address, whatever that claims.
    page = visitor.get("/sign-in", headers={"X-Forwarded-For": "192.0.2.1"})
    assert page.status_code == 200
    assert "__Host-" in page.headers["Set-Cookie"]
    assert "Alt-Svc" not in page.headers  # no port for HTTP/3 is published
    assert "Strict-Transport-Security" not in page.headers  # this is localhost
    assert page.headers.get_list("Server") == ["Caddy"]
    assert behind.addresses("/sign-in") == ["127.0.0.7"]
    # Numbers: not from here.
    assert visitor.get("/metrics").status_code == 404
    # Live streams: each piece as it comes.
    tell(events[:1])
    with visitor.stream("GET", f"/matches/{claim.match_id}/live?from=1-1") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        for number in (1, 2, 3):
            tell(events[number : number + 1])
            assert any(line == "event: frames" for line in lines)


def test_who_comes_while_the_site_restarts_waits_for_it(tmp_path: Path) -> None:
    port = free_port()
    with caddy(tmp_path, site=port) as proxy, ThreadPoolExecutor() as threads:
        verify = ssl.create_default_context(cafile=proxy.ca_file)
        asked = threads.submit(
            httpx.get, f"https://localhost:{proxy.site}/", verify=verify, timeout=TIMEOUT
        )
        with pytest.raises(TimeoutError):
            asked.result(timeout=1)
        with HTTPServer(("127.0.0.1", port), Restarted) as server:
            server.handle_request()
        assert asked.result().text == "back"


class Restarted(BaseHTTPRequestHandler):
    """Answers as a site that is there again."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"back")
