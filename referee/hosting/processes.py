"""All processes of one sandbox: found in /proc by their pid namespace, stopped, counted, ended."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_MOST_PASSES: Final = 200


class Processes:
    """The processes in the pid namespace of `first`, its process 1, by their ids outside."""

    def __init__(self, first: int) -> None:
        self.first = first
        self._namespace = Path(f"/proc/{first}/ns/pid").readlink()

    def __iter__(self) -> Iterator[int]:
        """Yield the ids of all that live now; one that forks meanwhile may be missed."""
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                with suppress(OSError):
                    if (folder / "ns" / "pid").readlink() == self._namespace:
                        yield int(folder.name)

    def stop(self) -> None:
        """Stop all, again and again until none is found that runs."""
        for _ in range(_MOST_PASSES):
            running = [process for process in self if not _is_stopped(process)]
            for process in running:
                _send(process, SIGSTOP)
            if not running:
                return

    def go_on(self) -> None:
        """Let all go on after `stop`."""
        for process in self:
            _send(process, SIGCONT)

    def kill(self) -> None:
        """Kill process 1: the kernel ends all others with it."""
        _send(self.first, SIGKILL)

    def pin(self, processor: int) -> None:
        """Let all threads run on one processor only; threads that they start inherit it."""
        for process in self:
            with suppress(OSError):
                for thread in Path(f"/proc/{process}/task").iterdir():
                    with suppress(OSError):
                        os.sched_setaffinity(int(thread.name), {processor})

    def cpu_seconds(self) -> float:
        """Return the CPU time of all since the start, also of those that have ended."""
        return sum(_cpu_seconds(process) for process in self)

    def memory(self) -> int:
        """Return the bytes of memory that belong to processes; shared pages are shared out."""
        return sum(_memory(process) for process in self)


def _send(process: int, signal: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal)


def _stat(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; [] if the process is gone."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return []


def _is_stopped(process: int) -> bool:
    fields = _stat(process)
    return not fields or fields[0] in "TtZX"


def _cpu_seconds(process: int) -> float:
    fields = _stat(process)
    return sum(int(ticks) for ticks in fields[11:15]) / _TICKS


def _memory(process: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    return 0
