"""The parts of a service as processes, for tests that let them live and die."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import Job, now
from tests.conftest import redis_command, wait_for_redis
from tests.forking import Forked

TIMEOUT = 300.0  # seconds for whatever a test waits for

Process = Forked
Start = Callable[..., Process]


def end_leases(session: Session) -> None:
    """As if the leases of all that is being done had passed a moment ago; committed.

    For who has killed a worker. Short leases a living one would lose, on a busy machine.
    """
    running = update(Job).where(Job.lease_until.is_not(None))
    session.execute(running.values(lease_until=now(session) - timedelta(seconds=1)))
    session.commit()


class RedisServer:
    """A redis-server that can be lost and come back empty."""

    def __init__(self, folder: Path) -> None:
        self.url = f"unix://{folder}/redis.sock"
        self._command = redis_command(folder / "redis.sock")
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        wait_for_redis(self.url, self._process)

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Accept connections meanwhile, but answer nobody."""
        self._process.send_signal(signal.SIGSTOP)
        yield
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(TIMEOUT)
