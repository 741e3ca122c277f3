"""`santiago up`: how it ends when it is killed, or stopped early; `test_house` has the rest."""

import signal

from tests.e2e.conftest import Start
from tests.e2e.processes import until


def test_when_it_is_killed_its_parts_end(santiago: Start) -> None:
    up = santiago("up", "--pace", "0")
    up.says("The ladder is at http://")
    parts = up.parts()
    assert not [part for part in parts if "referee.serving" in part.command]  # no house bots
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
