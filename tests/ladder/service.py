"""The parts of a service as processes, for tests that let them live and die."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import redis_command, wait_for_redis
from tests.forking import Forked

TIMEOUT = 60.0  # seconds for whatever a test waits for

Process = Forked
Start = Callable[..., Process]


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
