"""The processes of the embedded service: how they are started, and a supervisor.

The supervisor restarts what ends, unless it ends at once every time.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.request import ProxyHandler, build_opener

from ladder.errors import LadderError
from ladder.local.entrants import last_lines
from ladder.local.guardian import Guardian
from referee.processes import ChildProcess

_SHORT_LIFE: Final = 5.0  # seconds
_MAX_SHORT_LIVES: Final = 3
_LAST_LINES: Final = 15
_SITE_TIMEOUT: Final = 30.0  # seconds

Start = Callable[[Path], ChildProcess]
"""Start a process that appends its output to the given file."""


class ServiceError(LadderError):
    """A part of the embedded service does not run; the message holds its last output."""


@dataclass
class _Part:
    name: str
    start: Start
    log: Path
    process: ChildProcess
    started_at: float
    short_lives: int = field(default=0)


class Supervisor:
    """The processes of the embedded service, by name, in the order in which they were started."""

    def __init__(self, logs: Path, guardian: Guardian) -> None:
        self._logs = logs
        self._guardian = guardian
        self._parts: list[_Part] = []

    def add(self, name: str, start: Start) -> None:
        """Start a process and keep it alive from now on."""
        log = self._logs / f"{name}.log"
        log.write_bytes(b"")
        process = start(log)
        self._guardian.guard(process.pid)
        self._parts.append(_Part(name, start, log, process, monotonic()))

    def check(self) -> list[str]:
        """Restart what has ended; return a sentence for each. Raises ServiceError."""
        return [self._revive(part) for part in self._parts if part.process.exit_code is not None]

    def stop(self) -> None:
        """End all processes together, but the first one last: the others may need it."""
        for part in self._parts[1:]:
            part.process.ask_to_end()
        while self._parts:
            process = self._parts.pop().process
            process.stop()
            self._guardian.forget(process.pid)

    def _revive(self, part: _Part) -> str:
        ended = f"The {part.name} ended (exit code {part.process.exit_code})"
        lived = monotonic() - part.started_at
        part.short_lives = part.short_lives + 1 if lived < _SHORT_LIFE else 0
        if part.short_lives >= _MAX_SHORT_LIVES:
            lines = last_lines(part.log, _LAST_LINES)
            raise ServiceError("\n".join([f"{ended} again and again. Its last words:", *lines]))
        self._guardian.forget(part.process.pid)
        part.process = part.start(part.log)
        part.started_at = monotonic()
        self._guardian.guard(part.process.pid)
        return f"{ended} and was started again."


def site_command() -> list[str]:
    """Return the command line of the production server, which `ladder` may start but not import."""
    return [sys.executable, "-P", "-m", "web"]


def site_environment(host: str, port: int) -> dict[str, str]:
    """Return the environment variables with which the site listens there."""
    return {"SANTIAGO_HOST": host, "SANTIAGO_PORT": str(port)}


def site_answers(url: str) -> bool:
    """Return True if the site answers and reaches its database."""
    try:
        with build_opener(ProxyHandler({})).open(f"{url}/healthz", timeout=_SITE_TIMEOUT) as answer:
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False
