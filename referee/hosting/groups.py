"""Control groups: what the kernel counts, limits, freezes and ends for one sandbox."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

from referee.errors import InvalidSetting
from referee.hosting.trees import GroupTree, name_prefix, remove, trees

_NUMBERS: Final = count(1)
_SOCKETS_SHARE: Final = 8
"""Version 1 counts what waits in TCP and UDP sockets apart: this part of the memory at most."""
_NEARLY: Final = 1 << 20
"""How many bytes below a limit of version 1 its peak may stay, though it was reached."""
_SHORT: Final = 256  # bytes, more than the files have from which one number is read


class Group:
    """The control groups of one sandbox, in each tree that a need is met by; false without any."""

    def __init__(self, trees: Mapping[str, GroupTree], memory: int, threads: int) -> None:
        """Make them, with limits of `memory` in bytes and of `threads`."""
        self._trees, self._memory = trees, memory
        self._open: dict[str, int] = {}
        self._name = f"{name_prefix()}{os.getpid()}-{next(_NUMBERS)}"
        try:
            for folder in self._folders():
                folder.mkdir()
            self._limit(threads)
        except OSError:
            self.remove()
            raise

    def _limit(self, threads: int) -> None:
        if "memory" in self._trees:
            self._limit_memory(self._memory)
        if "pids" in self._trees:
            self._file("pids", "pids.max").write_text(str(threads + 1))  # process 1 is bubblewrap's

    def _limit_memory(self, memory: int) -> None:
        if self._trees["memory"].version == 2:
            first, others = "memory.max", {"memory.swap.max": 0, "memory.oom.group": 1}
        else:
            first = "memory.limit_in_bytes"
            sockets = memory // _SOCKETS_SHARE
            others = {
                "memory.memsw.limit_in_bytes": memory,
                "memory.kmem.tcp.limit_in_bytes": sockets,
            }
        self._file("memory", first).write_text(str(memory))
        for name, value in others.items():
            with suppress(OSError):  # this kernel counts no swap, or no sockets apart
                self._file("memory", name).write_text(str(value))

    def _folders(self) -> list[Path]:
        return list(dict.fromkeys(tree.folder / self._name for tree in self._trees.values()))

    def _file(self, need: str, name: str) -> Path:
        return self._trees[need].folder / self._name / name

    def _named(self, need: str, first: str, second: str) -> str:
        """Return the name that a file has in the version of a need's tree, 1 or 2."""
        return first if self._trees[need].version == 1 else second

    def join(self, process: int) -> None:
        """Put a process into the groups; whatever it starts is in them, too.

        Do nothing if it has ended. Raises InvalidSetting.
        """
        try:
            for folder in self._folders():
                (folder / "cgroup.procs").write_text(str(process))
        except ProcessLookupError:
            return
        except OSError as error:
            raise InvalidSetting(f"A sandbox cannot join its control group: {error}.") from None

    def __bool__(self) -> bool:
        return bool(self._trees)

    def __contains__(self, need: str) -> bool:
        """Return True if the groups meet this need, one of NEEDS."""
        return need in self._trees

    def __iter__(self) -> Iterator[int]:
        """Yield the ids of all processes."""
        for folder in self._folders()[:1]:
            with suppress(OSError):
                yield from map(int, (folder / "cgroup.procs").read_text().split())

    def freeze(self) -> None:
        """Freeze all processes: none runs on once it has been on its processor for an instant.

        To wait until the kernel says so would take a decision longer than all the rest.
        """
        os.write(self._opened("freezer", "cgroup.freeze", os.O_WRONLY), b"1")

    def thaw(self) -> None:
        """Let all processes go on."""
        os.write(self._opened("freezer", "cgroup.freeze", os.O_WRONLY), b"0")

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes, those that have ended included."""
        if self._trees["cpuacct"].version == 2:
            return int(self._read("cpuacct", "cpu.stat").split(None, 2)[1]) / 1e6  # the first
        return int(self._read("cpuacct", "cpuacct.usage")) / 1e9

    def _read(self, need: str, name: str) -> bytes:
        return os.pread(self._opened(need, name, os.O_RDONLY), _SHORT, 0)

    def _opened(self, need: str, name: str, flags: int) -> int:
        """Return a file that stays open: each decision, or each look of the watcher, needs it."""
        if name not in self._open:
            opened = os.open(self._file(need, name), flags | os.O_CLOEXEC)
            if self._open.setdefault(name, opened) != opened:
                os.close(opened)  # another thread was quicker
        return self._open[name]

    def memory(self) -> int:
        """Return the bytes of memory in use, files in the sandbox's tmpfs included."""
        name = self._named("memory", "memory.usage_in_bytes", "memory.current")
        return int(self._read("memory", name))

    def peak_memory(self) -> int | None:
        """Return the most bytes of memory that were in use since `forget_peak`.

        None if the kernel does not say, as before Linux 5.19 in version 2.
        """
        with suppress(FileNotFoundError):
            return int(os.pread(self._peak_file(), _SHORT, 0))
        return None

    def forget_peak(self) -> None:
        """Measure the peak anew, where the kernel can."""
        with suppress(OSError):
            os.pwrite(self._peak_file(), b"0", 0)

    def _peak_file(self) -> int:
        """Return the open file: what is forgotten in version 2 is forgotten for it alone."""
        name = self._named("memory", "memory.max_usage_in_bytes", "memory.peak")
        try:
            return self._opened("memory", name, os.O_RDWR)
        except PermissionError:
            return self._opened("memory", name, os.O_RDONLY)

    def out_of_memory(self) -> bool:
        """Return True if the kernel has killed a process since there was no memory left for it."""
        name = self._named("memory", "memory.oom_control", "memory.events")
        return self._number("memory", name, b"oom_kill") > 0

    def reached_memory_limit(self) -> bool:
        """Return False if memory was short on the machine, or in a group around, but not here."""
        if self._trees["memory"].version == 2:
            return self._number("memory", "memory.events", b"oom") > 0
        return (self.peak_memory() or 0) > self._memory - _NEARLY

    def out_of_threads(self) -> bool:
        """Return True if a thread or process was refused because there were too many."""
        return self._number("pids", "pids.events", b"max") > 0

    def _number(self, need: str, name: str, field: bytes) -> int:
        words = self._read(need, name).split()
        return int(words[words.index(field) + 1]) if field in words else 0

    def remove(self) -> None:
        """Remove the groups once their processes have ended."""
        while self._open:
            os.close(self._open.popitem()[1])
        remove(self._folders())


def make_group(memory: int, threads: int) -> Group:
    """Return new groups for a sandbox with these limits, as far as this machine lets us make any.

    Raises InvalidSetting if it lets us no more.
    """
    try:
        return Group(trees(), memory, threads)
    except OSError as error:
        raise InvalidSetting(f"No control group for a sandbox can be made: {error}.") from None
