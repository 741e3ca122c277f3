"""The processes of the embedded service: how they are started, and a supervisor.

The supervisor restarts what ends, unless it ends at once every time. What the processes print is
appended to logs, which are rotated once they are large.
"""

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import pairwise
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
_SITE_TIMEOUT: Final = 5.0  # seconds
_LARGEST_LOG: Final = 5_000_000  # bytes
_OLD_LOGS: Final = 3

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
    needed: bool
    short_lives: int = field(default=0)


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
        process = start(log)
        self._guardian.guard(process.pid)
        self._parts.append(_Part(name, start, log, process, monotonic(), needed))

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
            lines = last_lines(part.log, _LAST_LINES)
            raise ServiceError("\n".join([f"{ended} again and again. Its last words:", *lines]))
        self._guardian.forget(part.process.pid)
        part.process = part.start(part.log)
        part.started_at = monotonic()
        self._guardian.guard(part.process.pid)
        return f"{ended} and was started again."


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
