"""What worker and scheduler tell the operator: numbers for Prometheus, and lines of JSON."""

import json
import os
import re
import time
from pathlib import Path
from socket import create_server
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import update

from ladder.config import Settings
from ladder.jobs.celery import celery_app, send
from ladder.matches.states import JOB
from ladder.model import MatchKind, Version
from ladder.wiring import KINDS
from sample_bots.random_bot import RandomBot
from tests.conftest import free_port
from tests.e2e.processes import until
from tests.forking import Forked
from tests.ladder.cli.terminal import TIMEOUT, run
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.league import start_tournament
from tests.referee.games import served


def fetched(url: str, worker: Forked) -> str:
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            with urlopen(url, timeout=TIMEOUT) as answer:
                return str(answer.read().decode())
        except OSError:  # it does not listen yet
            assert worker.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)


def queue_a_match(settings: dict[str, str], address: str) -> None:
    """A match between two bots that both listen at the address, and the message that it waits."""
    with session_on(settings["DATABASE_URL"]) as session:
        start_tournament(session)
        session.execute(update(Version).values(address=address))
        session.commit()
    app = celery_app(Settings.from_environment(settings), KINDS.order)
    send(app, JOB, MatchKind.TOURNAMENT, [1])


def test_a_worker_tells_its_numbers_and_logs_json(tmp_path: Path, redis_url: str) -> None:
    url, port, log = new_ladder(tmp_path / "ladder.db"), free_port(), tmp_path / "worker.log"
    settings = {
        "DATABASE_URL": url,
        "REDIS_URL": redis_url,
        "SANTIAGO_METRICS_PORT": str(port),
        "SANTIAGO_LOG": "json",
        "PATH": os.environ["PATH"],
    }
    queue_a_match(settings, f"unix:{tmp_path}/bot")
    with (
        served(RandomBot, f"unix:{tmp_path}/bot"),
        Forked("ladder.cli.main", "worker", env=os.environ | settings, log=log) as worker,
    ):
        numbers = fetched(f"http://127.0.0.1:{port}/metrics", worker)
        until(lambda: "think_seconds" in log.read_text())
        ping = ("celery", "-A", "ladder.jobs.celery", "inspect", "ping")
        with Forked(*ping, env=settings, piped=True) as pong:
            said = pong.stdout.read()
            assert pong.wait(TIMEOUT) == 0
    assert "pong" in said
    assert re.search(rf"worker@\S+:{worker.pid}:", said), "several on one machine can be told apart"
    assert "santiago_matches_total" in numbers
    assert "santiago_loop_lag_seconds_bucket" in numbers
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert all({"levelname", "name", "message"} <= set(line) for line in lines)
    (played,) = (line for line in lines if line["message"] == "match 1 was played")
    assert (played["match"], played["attempt"], played["faults"]) == ("1", 1, {})
    assert played["decisions"] > 100


@pytest.mark.parametrize("part", ["worker", "scheduler"])
@pytest.mark.parametrize("host", ["127.0.0.1", "nosuch.invalid"])
def test_where_no_numbers_can_be(
    part: str, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.scheduler._REGISTRY", CollectorRegistry())
    with create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = {
            "DATABASE_URL": new_ladder(tmp_path / "ladder.db"),
            "REDIS_URL": "unix:///nowhere",
            "SANTIAGO_METRICS_HOST": host,
            "SANTIAGO_METRICS_PORT": str(port),
        }
        ended = run(part, **settings)
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"Error: The metrics cannot be at {host}:{port} (")
    assert "choose another SANTIAGO_METRICS_PORT or SANTIAGO_METRICS_HOST" in ended.stderr


def test_the_scheduler_tells_how_the_queue_stands(tmp_path: Path, redis_url: str) -> None:
    url, port = new_ladder(tmp_path / "ladder.db"), free_port()
    settings = {"DATABASE_URL": url, "REDIS_URL": redis_url, "SANTIAGO_METRICS_PORT": str(port)}
    with Forked("ladder.cli.main", "scheduler", env=os.environ | settings) as scheduler:
        numbers = fetched(f"http://127.0.0.1:{port}/metrics", scheduler)
    assert 'santiago_queued{kind="ladder"} 0.0' in numbers
    assert "santiago_workers 0.0" in numbers
    assert "santiago_reaped_total 0.0" in numbers
    assert "santiago_matches_total" not in numbers
