"""Starts and stops the embedded service: Redis, worker, scheduler, site, and bots if wanted.

All that is to be kept stands in one folder: the database, the key to the secrets in it, the logs.
Sockets live in a folder of their own that only this user can enter, and go with the service.
"""

import fcntl
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import IO, Final, Self

from sqlalchemy.orm import Session

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model, secrets
from ladder.bots.addresses import private_while_alone
from ladder.config import LADDER_PACE, SECRET_KEY, Environment
from ladder.embedded import redis_server, site
from ladder.embedded.supervisor import ServiceError, Supervisor
from ladder.local.guardian import Guardian
from ladder.local.sockets import socket_folder
from referee.processes import BotProcess, ChildProcess

_READY_WITHIN: Final = 30.0
"""Seconds that Redis and the site have, each, until they answer."""
_ASK_EVERY: Final = 0.03


class EmbeddedService:
    """The whole service on this machine, from the `with` until it is left.

    Raises ServiceError where a part does not start, or where another one uses the folder. Waits by
    calling `pause`, which may raise to end it all.
    """

    def __init__(
        self, folder: Path, host: str, port: int, pause: Callable[[float], None], pace: float
    ) -> None:
        """`pace`: matches that are made for the ladders in a minute."""
        self._folder = folder.absolute()
        self._host = host
        self._port = port
        self._pause = pause
        self._pace = pace
        self._stack = ExitStack()

    @property
    def url(self) -> str:
        """Where the site is."""
        return f"http://{self._host}:{self._port}"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def session(self) -> Session:
        """A session on the ladder's database."""
        return self._sessions()

    def add_bot(self, name: str, target: str, extra: Mapping[str, str]) -> str:
        """Starts an installed bot (`module:Class`) as a process; returns its address.

        `extra` is added to its environment.
        """
        address = f"unix:{self._sockets / name}.bot"
        command = [sys.executable, "-P", "-m", "referee.serving", target]
        self._supervisor.add(f"bot-{name}", lambda log: BotProcess(command, address, log, extra))
        return address

    def check(self) -> list[str]:
        """Starts again what has ended; returns a sentence for each. Raises ServiceError."""
        return self._supervisor.check()

    def _start(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # luck to come is in there
        (self._folder / "logs").mkdir(exist_ok=True)
        self._stack.enter_context(_locked(self._folder / "lock"))
        _refuse_taken_port(self._host, self._port)
        self._sockets = Path(self._stack.enter_context(socket_folder()))
        self._environment = self._settings()
        self._open_database(self._environment["DATABASE_URL"])
        self._start_parts(self._stack.enter_context(Guardian()))

    def _open_database(self, url: str) -> None:
        model.upgrade(url)
        engine = model.engine(url)
        self._stack.callback(engine.dispose)
        self._sessions = model.session_factory(engine)

    def _start_parts(self, guardian: Guardian) -> None:
        guardian.guard_folder(self._sockets)
        self._supervisor = Supervisor(self._folder / "logs", guardian)
        self._stack.callback(self._supervisor.stop)
        redis_socket = self._sockets / "redis"
        self._add("redis", redis_server.command(redis_socket))
        self._wait("redis-server", lambda: redis_server.answers(redis_socket))
        self._add("worker", _santiago("worker"))
        self._add("scheduler", _santiago("scheduler"))
        self._add("site", site.command())
        self._wait("site", lambda: site.answers(self.url))

    def _settings(self) -> dict[str, str]:
        folder = self._folder
        return {
            "DATABASE_URL": f"sqlite:///{folder / 'ladder.db'}",
            "REDIS_URL": redis_server.url(self._sockets / "redis"),
            SECRET_KEY: Environment.from_environment().secret_key or secrets.key_of_folder(folder),
            **private_while_alone(self._host),
            LADDER_PACE: f"{self._pace:g}",
            **site.environment(self._host, self._port),
        }

    def _add(self, name: str, command: list[str]) -> None:
        environment: Mapping[str, str] = self._environment
        self._supervisor.add(name, lambda log: ChildProcess(command, environment, log))

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        until = monotonic() + _READY_WITHIN
        while not ready():
            self._supervisor.check()
            if monotonic() > until:
                logs = self._folder / "logs"
                raise ServiceError(f"The {name} does not answer; see what it says in {logs}.")
            self._pause(_ASK_EVERY)


def _santiago(command: str) -> list[str]:
    return [sys.executable, "-P", "-m", "ladder.cli.main", command]


def _locked(path: Path) -> IO[str]:
    """An open file that only one service at a time can hold."""
    lock = path.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise ServiceError(
            f"Another santiago runs in {path.parent}: end it, or name another folder with --data."
        ) from None
    return lock


def _refuse_taken_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ServiceError(
                f"The site cannot listen on {host}:{port} ({error.strerror}): "
                "choose another address with --host, or another port with --port."
            ) from None
