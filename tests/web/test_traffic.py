"""What operators see of the site's requests: numbers on ports of their own, and the access log."""

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from socket import create_connection, create_server
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client import REGISTRY
from sqlalchemy.orm import Session

from ladder.config import Settings
from ladder.people import tickets
from tests.conftest import free_port
from tests.e2e.processes import until
from tests.e2e.sites import site
from tests.ladder.casual.tables import friends
from tests.ladder.databases import new_ladder
from web import traffic

TIMEOUT = 300.0
COUNT = re.compile(r'^santiago_site_requests_total\{endpoint="(\S+)",status="(\d+)"\} (\S+)$', re.M)


@pytest.fixture
def app(app_of_its_own: Flask) -> Flask:
    return app_of_its_own


@pytest.fixture
def watched(app: Flask, caplog: pytest.LogCaptureFixture) -> Iterator[FlaskClient]:
    caplog.set_level(logging.INFO, "web.traffic")
    traffic.watch(app, log=True)
    with app.test_client() as client:
        yield client


def counted(endpoint: str, status: int) -> float:
    labels = {"endpoint": endpoint, "status": str(status)}
    return traffic._REGISTRY.get_sample_value("santiago_site_requests_total", labels) or 0.0


def test_each_endpoint_is_counted_and_timed(watched: FlaskClient) -> None:
    before = counted("bots.bot", 404), counted("none", 404)
    watched.get("/bots/12345")
    watched.get("/no-such-page")
    assert (counted("bots.bot", 404), counted("none", 404)) == (before[0] + 1, before[1] + 1)
    labels = {"endpoint": "bots.bot"}
    seen = traffic._REGISTRY.get_sample_value("santiago_site_seconds_count", labels)
    assert seen is not None
    assert seen >= 1


def test_an_error_of_ours_is_counted(watched: FlaskClient, app: Flask) -> None:
    def fails() -> str:
        raise RuntimeError("broken")

    app.view_functions["standings.ladder"] = fails
    app.config["PROPAGATE_EXCEPTIONS"] = False
    before = counted("standings.ladder", 500)
    assert watched.get("/").status_code == 500
    assert counted("standings.ladder", 500) == before + 1


def test_the_log_holds_no_query_and_no_ticket(
    watched: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    watched.get("/bots/12345?q=secret")
    watched.get("/reset/very-secret")
    watched.get("/odd%0Apath")
    lines = [record.getMessage() for record in caplog.records if record.name == "web.traffic"]
    assert [line.split()[1:4] for line in lines] == [
        ["GET", "/bots/12345", "404"],
        ["GET", "/reset/<ticket>", "404"],
        ["GET", "/odd%0Apath", "404"],
    ]
    assert "secret" not in caplog.text


def test_the_log_holds_no_ticket_of_a_mistyped_link(
    watched: FlaskClient, app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    ticket = tickets.draw()
    app.config["TRUSTED_HOSTS"] = ["ladder.example"]
    here = "http://ladder.example"
    watched.get(f"/reset/{ticket}/", base_url=here)
    watched.put(f"/reset/{ticket}", base_url=here)
    watched.get(f"/reset/{ticket}", base_url="http://other.example")
    lines = [record.getMessage() for record in caplog.records if record.name == "web.traffic"]
    assert [line.split()[1:4] for line in lines] == [
        ["GET", "/reset/<secret>/", "404"],
        ["PUT", "/reset/<secret>", "405"],
        ["GET", "/reset/<secret>", "400"],
    ]


def test_no_log_holds_the_address_of_a_seat(
    watched: FlaskClient, app: Flask, session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    key = str(friends(session).table[0].key)
    for path in (f"/play/{key}", f"/de/play/{key}/turn", f"/play/{key}/nowhere"):
        watched.get(path)
    watched.put(f"/play/{key}/move")
    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.view_functions["play.frames"] = lambda key: [][0]  # noqa: ARG005
    watched.get(f"/play/{key}/frames")
    lines = [record.getMessage() for record in caplog.records if record.name == "web.traffic"]
    assert [line.split()[3] for line in lines] == ["200", "200", "404", "405", "500"]
    assert "Exception on /play/<" in caplog.text
    assert key not in caplog.text


def test_the_site_s_numbers_are_apart_from_the_match_runner_s() -> None:
    assert not [one for one in REGISTRY.collect() if one.name.startswith("santiago_site")]


def test_two_processes_have_numbers_and_none_of_them_is_public(tmp_path: Path) -> None:
    """The real server, with an access log in JSON."""
    url, log = new_ladder(tmp_path / "ladder.db"), tmp_path / "log"
    ports = free_port(more=1)
    settings = {
        "SANTIAGO_METRICS_PORT": str(ports),
        "SANTIAGO_LOG": "json",
        "SANTIAGO_ACCESS_LOG": "1",
        "WEB_CONCURRENCY": "2",
    }
    server = ["sh", "-c", f"exec {sys.executable} -m web 2>{log}"]
    with site(url, server=server, **settings) as address:
        for _ in range(3):
            with pytest.raises(HTTPError, match="404"):
                urlopen(f"{address}/metrics", timeout=TIMEOUT)
        counts = told(ports), told(ports + 1)
    assert sum(count.get(("none", "404"), 0) for count in counts) == 3
    assert sum(count.get(("health.healthz", "200"), 0) for count in counts) >= 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {"gunicorn.error", "web.traffic"} <= {line["name"] for line in lines}
    for line in lines:
        assert datetime.fromisoformat(line["asctime"]).utcoffset() == timedelta(0)
    asked = [line for line in lines if line.get("path") == "/metrics"]
    assert [(line["status"], line["endpoint"]) for line in asked] == [(404, "none")] * 3


@pytest.mark.parametrize("host", ["127.0.0.1", "nosuch.invalid"])
def test_why_a_process_has_no_numbers(
    host: str, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        traffic.serve_metrics(replace(settings, metrics_host=host, metrics_port=port), 1)
    (said,) = (record.getMessage() for record in caplog.records if record.name == "web.traffic")
    if host == "127.0.0.1":
        assert said == f"SANTIAGO_METRICS_PORT {port}: all ports of 1 processes are taken"
    else:
        assert said.startswith(f"the metrics cannot be at nosuch.invalid:{port} (")
        assert said.endswith("choose another SANTIAGO_METRICS_PORT or SANTIAGO_METRICS_HOST")


def told(port: int) -> dict[tuple[str, str], float]:
    """The counts by endpoint and status of the process with this port, once it listens."""
    until(lambda: listens(port))
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT) as answer:
        text = answer.read().decode()
    return {(name, status): float(count) for name, status, count in COUNT.findall(text)}


def listens(port: int) -> bool:
    with suppress(OSError), create_connection(("127.0.0.1", port), TIMEOUT):
        return True
    return False
