"""All processes of one sandbox: stopped, pinned, counted and killed, with or without groups."""

import os
import select
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP
from time import clock_gettime, monotonic
from typing import Final

from referee.hosting.groups import Group
from referee.hosting.trees import kernel_lines

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_CPU_CLOCK: Final = 2  # with a process's id, the clock of its CPU time
_FEWEST_PASSES: Final = 3
_STOPS_WITHIN: Final = 0.05
_AT_REST: Final = frozenset("TtZXD")
"""States of a thread that has been sent SIGSTOP and runs no further: in D, as one that waits for
its vfork, it is in the kernel, and stops before it would return from there."""
_SOCKET: Final = 208 * 1024  # bytes: as many as Linux lets wait in a socket by default
_TCP_SOCKET: Final = 8 << 20  # whose buffers grow by themselves
_COUNTED: Final = ("RssAnon:", "RssShmem:", "VmPTE:", "VmSwap:")


class Processes:
    """The processes below `first`, process 1 of a sandbox, by the ids that they have outside."""

    def __init__(self, first: int, group: Group) -> None:
        """Take over a sandbox whose process 1 lives."""
        self.first, self.group = first, group
        self._handle = os.pidfd_open(first)  # its id may be another's after its end

    def __iter__(self) -> Iterator[int]:
        """Yield the ids of all; without a group, one that starts meanwhile may be missed."""
        if self.group:
            yield from self.group
            return
        numbers = [] if self.have_ended() else [self.first]
        for process in numbers:  # it grows: those whose parent has ended are children of `first`
            numbers.extend(_children(process))
            yield process

    def have_ended(self) -> bool:
        """Return True if process 1 has ended, and so all."""
        return bool(select.select([self._handle], [], [], 0)[0])

    def close(self) -> None:
        """Give back what was needed to find them."""
        os.close(self._handle)

    def freeze(self) -> None:
        """Stop all processes."""
        if "freezer" in self.group:
            self.group.freeze()
        else:
            self._stop()

    def _stop(self) -> None:
        """Stop all by signals: again, until a pass finds those of the pass before, all at rest.

        Process 1 stops first. So whoever ends stays in sight, and counts against the limit: who
        forks and ends, again and again, to stay ahead of us, comes to that limit. Who stays in the
        kernel for longer is not waited for, since games of others are: its CPU time tells.
        """
        before: list[int] = []
        until = monotonic() + _STOPS_WITHIN
        for number in count():
            now = list(self)
            at_rest = now == before and all(map(_is_at_rest, now))
            if at_rest or (number >= _FEWEST_PASSES and monotonic() > until):
                return
            for process in now:
                _send(process, SIGSTOP)
            before = now

    def thaw(self) -> None:
        """Let all go on after `freeze`."""
        if "freezer" in self.group:
            self.group.thaw()
            return
        for process in self:
            _send(process, SIGCONT)

    def kill(self) -> None:
        """Kill process 1: the kernel ends all others with it.

        What that takes is not taken from a bot that thinks on their processor.
        """
        self.pin(os.sched_getaffinity(0))
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, SIGKILL)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all have ended after `kill`; return False if it takes more `seconds`.

        Process 1 ends last; it is reaped if nobody else does so.
        """
        ended, _, _ = select.select([self._handle], [], [], seconds)
        with suppress(ChildProcessError):
            os.waitid(os.P_PIDFD, self._handle, os.WEXITED | os.WNOHANG)
        return bool(ended)

    def pin(self, processors: Collection[int]) -> None:
        """Let all threads run on these processors only; threads that they start inherit it."""
        for process in self:
            for thread in _threads(process):
                with suppress(OSError):
                    os.sched_setaffinity(int(thread.name), processors)

    def cpu_seconds(self) -> float:
        """Return the CPU time of all since the start, also of those that have ended."""
        if "cpuacct" in self.group:
            return self.group.cpu_seconds()
        return sum(_cpu_seconds(process) for process in self)

    def memory(self) -> int:
        """Return how many bytes of memory they use at most: shared pages count for each."""
        return 1024 * sum(_of_a_thread(process, _resident) for process in self)

    def exact_memory(self) -> int:
        """Return the bytes of memory in use, shared pages shared out; it takes its time."""
        return 1024 * sum(_of_a_thread(process, _shared_out) for process in self)

    def socket_memory(self) -> int:
        """Return how many bytes may wait in their sockets: what does is nobody's memory."""
        folder = Path(f"/proc/{self.first}/net")
        tcp = _sockets(folder / "sockstat", "TCP:") + _sockets(folder / "sockstat6", "TCP6:")
        return _sockets(folder / "sockstat", "sockets:") * _SOCKET + tcp * _TCP_SOCKET

    def threads(self) -> int:
        """Return how many threads there are, those of process 1 left out."""
        return sum(len(_threads(process)) for process in self if process != self.first)


def _send(process: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def _children(process: int) -> list[int]:
    children: list[int] = []
    for thread in _threads(process):
        with suppress(OSError):
            children.extend(map(int, (thread / "children").read_text().split()))
    return children


def _threads(process: int) -> list[Path]:
    with suppress(OSError):
        return list(Path(f"/proc/{process}/task").iterdir())
    return []


def _stat(folder: Path) -> list[str]:
    """Return the fields of a `stat` file from the state on; [] if the thread is gone."""
    with suppress(OSError):
        return kernel_lines(folder / "stat")[-1].rpartition(")")[2].split()
    return []


def _is_at_rest(process: int) -> bool:
    """Return True if no thread runs: the first may have ended, and others go on."""
    stats = map(_stat, _threads(process))
    return all(not fields or fields[0] in _AT_REST for fields in stats)


def _cpu_seconds(process: int) -> float:
    """Return a process's CPU time, exactly, and that of the children that it has seen end."""
    with suppress(OSError):
        own = clock_gettime(~process << 3 | _CPU_CLOCK)
        children = sum(int(ticks) for ticks in _stat(Path(f"/proc/{process}"))[13:15])
        return own + children / _TICKS
    return 0.0


def _resident(folder: Path) -> int:
    return _kilobytes(folder / "status", _COUNTED)


def _shared_out(folder: Path) -> int:
    pages = _kilobytes(folder / "smaps_rollup", ("Pss_Anon:", "Pss_Shmem:", "SwapPss:"))
    return pages + _kilobytes(folder / "status", ("VmPTE:",))


def _of_a_thread(process: int, measure: Callable[[Path], int]) -> int:
    """Return what the first thread says that still has the process's memory, in kilobytes.

    The first of all may have ended while others go on: it has none then.
    """
    of_first = measure(Path(f"/proc/{process}"))
    return of_first or next(filter(None, map(measure, _threads(process))), 0)


def _kilobytes(file: Path, names: tuple[str, ...]) -> int:
    with suppress(OSError):
        return sum(int(line.split()[1]) for line in kernel_lines(file) if line.startswith(names))
    return 0


def _sockets(file: Path, kind: str) -> int:
    """Return how many sockets of a kind there are in a network, by its statistics."""
    with suppress(OSError):
        return sum(int(line.split()[2]) for line in kernel_lines(file) if line.startswith(kind))
    return 0
