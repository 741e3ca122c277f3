"""`santiago up`: how it ends, and what a second one says."""

import signal

from tests.e2e.conftest import Start
from tests.e2e.processes import until


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
