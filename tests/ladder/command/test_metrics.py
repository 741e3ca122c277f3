"""What worker and scheduler tell the operator: numbers for Prometheus, and lines of JSON."""

import json
import os
import socket
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from ladder import database
from referee.processes import ChildProcess

PATIENCE = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def fetched(url: str, worker: ChildProcess) -> str:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(url, timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        except URLError:
            assert worker.exit_code is None
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_worker_tells_its_numbers_and_logs_json(tmp_path: Path, redis_url: str) -> None:
    url, port, log = f"sqlite:///{tmp_path}/ladder.db", free_port(), tmp_path / "worker.log"
    database.upgrade(url)
    settings = {
        "DATABASE_URL": url,
        "REDIS_URL": redis_url,
        "SANTIAGO_METRICS_PORT": str(port),
        "SANTIAGO_LOG": "json",
        "PATH": os.environ["PATH"],
    }
    command = [sys.executable, "-m", "ladder.command.main", "worker"]
    with ChildProcess(command, settings, log) as worker:
        numbers = fetched(f"http://127.0.0.1:{port}/metrics", worker)
    assert "santiago_matches_total" in numbers
    assert "santiago_loop_lag_seconds_bucket" in numbers
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert all({"levelname", "name", "message"} <= set(line) for line in lines)


def test_the_scheduler_tells_how_the_queue_stands(tmp_path: Path, redis_url: str) -> None:
    url, port = f"sqlite:///{tmp_path}/ladder.db", free_port()
    database.upgrade(url)
    settings = {"DATABASE_URL": url, "REDIS_URL": redis_url, "SANTIAGO_METRICS_PORT": str(port)}
    command = [sys.executable, "-m", "ladder.command.main", "scheduler"]
    with ChildProcess(command, settings, tmp_path / "scheduler.log") as scheduler:
        numbers = fetched(f"http://127.0.0.1:{port}/metrics", scheduler)
    assert 'santiago_queued{kind="ladder"} 0.0' in numbers
    assert "santiago_workers 0.0" in numbers
    assert "santiago_reaped_total 0.0" in numbers
    assert "santiago_matches_total" not in numbers
