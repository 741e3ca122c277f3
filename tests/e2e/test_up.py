"""`santiago up`: how it ends when it is killed, or stopped early; `test_house` has the rest."""

import json
import signal
from functools import partial
from urllib.request import urlopen

import pytest

from tests.conftest import free_port
from tests.e2e.bots import listens
from tests.e2e.conftest import Start
from tests.e2e.processes import until
from tests.e2e.santiago import ITSELF

NUMBERS = ("santiago_loop_lag_seconds", "santiago_workers", "santiago_site_requests")
"""Of worker, scheduler and site, by their ports."""


def test_its_parts_have_numbers_and_end_when_it_is_killed(
    santiago: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = free_port(more=3)  # one after the other: none of them is another one's
    monkeypatch.setenv("SANTIAGO_METRICS_PORT", str(first))
    monkeypatch.setenv("SANTIAGO_LOG", "json")
    up = santiago("up", "--pace", "0", "--port", str(first + 3), program=ITSELF)
    up.says("The ladder is at http://")
    for port, name in enumerate(NUMBERS, first):
        until(partial(listens, "127.0.0.1", port))  # the site is often the first to answer
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            assert name in answer.read().decode()
    logs = [up.data / "logs" / f"{name}.log" for name in ("worker", "scheduler", "site")]
    until(lambda: all(log.read_text() for log in logs))  # a part has numbers before it says a word
    parts = up.parts()
    assert not [part for part in parts if "referee.serving" in part.command]  # no house bots
    up.send(signal.SIGKILL)
    assert up.ends() == -signal.SIGKILL
    up.leaves_nothing(parts)
    for log in logs:
        assert [json.loads(line)["levelname"] for line in log.read_text().splitlines()]


def test_stopped_while_it_starts_it_leaves_nothing(santiago: Start) -> None:
    up = santiago("up", program=ITSELF)
    until(lambda: [part for part in up.parts() if "redis" in part.command])
    parts = up.parts()
    up.send(signal.SIGINT)
    up.send(signal.SIGINT)
    assert up.ends() == 128 + signal.SIGINT
    up.leaves_nothing(parts)
