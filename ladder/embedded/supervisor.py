"""Keeps a set of processes alive: what ends is started again, unless it ends at once every time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from ladder.errors import LadderError
from ladder.local.guardian import Guardian
from ladder.local.printed import last_lines
from referee.processes import ChildProcess

_SHORT_LIFE: Final = 5.0  # seconds
_MOST_SHORT_LIVES: Final = 3
_LAST_LINES: Final = 15

Start = Callable[[Path], ChildProcess]
"""Starts the process; it appends what it prints to the file given."""


class ServiceError(LadderError):
    """A part of the embedded service does not run; the message holds what it printed last."""


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
        """Starts a process and takes care of it from now on."""
        log = self._logs / f"{name}.log"
        log.write_bytes(b"")
        process = start(log)
        self._guardian.guard(process.pid)
        self._parts.append(_Part(name, start, log, process, monotonic()))

    def check(self) -> list[str]:
        """Starts again what has ended; returns a sentence for each. Raises ServiceError."""
        return [self._revive(part) for part in self._parts if part.process.exit_code is not None]

    def stop(self) -> None:
        """Ends all processes together, but the first one, which the others may need, at last."""
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
        if part.short_lives >= _MOST_SHORT_LIVES:
            lines = last_lines(part.log, _LAST_LINES)
            raise ServiceError("\n".join([f"{ended} again and again. Its last words:", *lines]))
        self._guardian.forget(part.process.pid)
        part.process = part.start(part.log)
        part.started_at = monotonic()
        self._guardian.guard(part.process.pid)
        return f"{ended} and was started again."
