"""Hold what a sandbox uses against its limits: by its control groups, else by a watcher."""

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Final

from referee.hosting.output import SharedFolder
from referee.hosting.processes import Processes
from referee.hosting.settings import MB

_LOOK_EVERY: Final = 0.02
"""Seconds, at least. Without groups a sandbox may use more than its limit for about as long."""
_REST: Final = 4
"""The watcher waits this many times as long as its looks took: their host serves games, too."""
_LONGEST_REST: Final = 0.1  # seconds
_MOST_PAUSED: Final = 0.2  # seconds of CPU time that calls of the kernel may take to their ends

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of a sandbox: bytes of memory and of files, threads, bytes kept of each output."""

    memory: int = 512 * MB
    threads: int = 64
    files: int = 256 * MB
    output: int = 64 * 1024


@dataclass(slots=True)
class _Pause:
    """A time in which the processes are stopped."""

    began: float
    used: float | None = None  # CPU seconds, at the last look
    due: float = 0.0  # when to look again


class Usage:
    """Looks at one sandbox; `over` is the first limit that it went over, in a sentence."""

    def __init__(self, processes: Processes, shared: SharedFolder, limits: SandboxLimits) -> None:
        self._processes, self._shared, self._limits = processes, shared, limits
        self._group = processes.group
        self._peak = 0
        self._lock = threading.Lock()
        self._ended = False
        self._pause: _Pause | None = None
        self._computed = 0.0  # CPU seconds in pauses of this match
        self.over: str | None = None
        self.starved = False
        """True if a process was killed since the machine, or a group around, had no memory left."""

    @property
    def is_paused(self) -> bool:
        """True from `pause` until `go_on`."""
        return self._pause is not None

    def look(self) -> None:
        """Measure; kill the sandbox if it uses too much memory. It does so once a sentence."""
        with self._lock:
            if self._ended or self.starved:
                return
            if self._kernels_peak() is None:
                self._peak = max(self._peak, self._memory())
            self.over = self.over or self._found_over()

    def pause(self) -> None:
        """Take that all processes have been told to stop."""
        self._pause = _Pause(monotonic())

    def go_on(self) -> None:
        """Take that they are about to run on."""
        self._pause = None

    def look_at_paused(self) -> None:
        """Kill the sandbox if it computes on: a process only stops where it leaves the kernel.

        One that has computed nothing since the last look is left alone for as long again as the
        pause has lasted: a look reads files of each process.
        """
        with self._lock:
            pause, now = self._pause, monotonic()
            if pause is None or now < pause.due or self._ended or self.over:
                return
            used = self._processes.cpu_seconds()
            if pause is not self._pause:
                return  # they have run on meanwhile
            if used == pause.used:
                pause.due = 2 * now - pause.began
            elif pause.used is not None:
                self._computed += used - pause.used
            pause.used = used
            if self._computed > _MOST_PAUSED:
                self._processes.kill()
                self.over = f"It computed for more than {_MOST_PAUSED:g} s while it was stopped."

    def end(self) -> None:
        """Look no more: soon the sandbox's descriptors are closed, and their numbers are others'.

        A look that has begun in another thread ends first.
        """
        with self._lock:
            self._ended = True

    def peak(self) -> int:
        """Return the most bytes of memory, files included, since the last `begin`."""
        return self._kernels_peak() or self._peak

    def _kernels_peak(self) -> int | None:
        return self._group.peak_memory() if "memory" in self._group else None

    def begin(self) -> None:
        """Forget the peak, and what was computed in pauses."""
        self._peak, self._computed = 0, 0.0
        if "memory" in self._group:
            self._group.forget_peak()

    def _memory(self) -> int:
        if "memory" in self._group:
            return self._group.memory()
        others = self._shared.used() + self._processes.socket_memory()
        used = self._processes.memory() + others
        if used <= self._limits.memory:
            return used
        return self._processes.exact_memory() + others

    def _found_over(self) -> str | None:
        limits = self._limits
        if self._is_out_of_memory():
            self._processes.kill()
            self.starved = "memory" in self._group and not self._group.reached_memory_limit()
            if self.starved:
                _log.warning("a sandbox has ended: this machine had no memory left for it")
                return None
            return f"It used more than its {limits.memory // MB} MB of memory."
        if self._is_out_of_threads():
            return f"It started more than its {limits.threads} threads."
        if self._shared.is_full():
            return f"It filled its {limits.files // MB} MB of files."
        return None

    def _is_out_of_memory(self) -> bool:
        if "memory" in self._group:
            return self._group.out_of_memory()
        return self._peak > self._limits.memory

    def _is_out_of_threads(self) -> bool:
        if "pids" in self._group:
            return self._group.out_of_threads()
        return self._processes.threads() >= self._limits.threads


class Watcher:
    """One thread that looks at all sandboxes of this process while there are any."""

    def __init__(self) -> None:
        self._watched: set[Usage] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, usage: Usage) -> None:
        """Look at a sandbox from now on."""
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._watch, name="watcher", daemon=True)
                thread.start()  # raises if the machine has no thread left; the next one tries again
                self._thread = thread
            self._watched.add(usage)

    def remove(self, usage: Usage) -> None:
        """Look at it no more."""
        with self._lock:
            self._watched.discard(usage)

    def _watch(self) -> None:
        pause = threading.Event()
        while watched := self._still_watched():
            began = monotonic()
            for usage in watched:
                with suppress(OSError, ValueError):  # it has just ended
                    usage.look_at_paused() if usage.is_paused else usage.look()
            took = monotonic() - began
            pause.wait(max(_LOOK_EVERY, min(_REST * took, _LONGEST_REST)))

    def _still_watched(self) -> list[Usage]:
        with self._lock:
            if not self._watched:
                self._thread = None
            return list(self._watched)


@cache
def watcher() -> Watcher:
    """Return this process's watcher."""
    return Watcher()
