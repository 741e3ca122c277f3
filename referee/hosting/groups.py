"""Control groups: what the kernel counts, limits, freezes and ends for one sandbox.

Version 2 keeps all in one tree, version 1 a tree for each controller; a machine may have both. Each
of our needs takes version 2 where it is delegated to us, else version 1, else it goes without.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Final

NEEDS: Final = ("freezer", "memory", "pids", "cpuacct")
CONTROLLERS: Final = frozenset(("memory", "pids"))
"""The needs that are controllers in version 2, too; freezing and CPU time come without."""
_OURS: Final = "santiago-host"
_NUMBERS: Final = count(1)
_WITHIN: Final = 2.0
_LOOK_EVERY: Final = 0.0002
_SHORT: Final = 256  # bytes, more than the files have from which one number is read


@dataclass(frozen=True)
class Tree:
    """A folder in which we may make groups; `version` is 1 or 2."""

    folder: Path
    version: int


class Group:
    """The control groups of one sandbox, in each tree that a need is met by."""

    def __init__(self, trees: Mapping[str, Tree], memory: int, threads: int) -> None:
        """Make them, with limits of `memory` in bytes and of `threads`."""
        self._trees = trees
        self._open: dict[str, int] = {}
        self._name = f"{_prefix()}{os.getpid()}-{next(_NUMBERS)}"
        for folder in self._folders():
            folder.mkdir()
        if "memory" in trees:
            self._limit_memory(memory)
        if "pids" in trees:
            self._file("pids", "pids.max").write_text(str(threads + 1))  # process 1 is bubblewrap's

    def _limit_memory(self, memory: int) -> None:
        first, second = (
            ("memory.max", "memory.swap.max")
            if self._trees["memory"].version == 2
            else ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        )
        self._file("memory", first).write_text(str(memory))
        with suppress(OSError):  # no swap is counted here
            self._file("memory", second).write_text("0" if "swap" in second else str(memory))
        with suppress(OSError):  # version 1 has no such file
            self._file("memory", "memory.oom.group").write_text("1")

    def _folders(self) -> list[Path]:
        return list(dict.fromkeys(tree.folder / self._name for tree in self._trees.values()))

    def _file(self, need: str, name: str) -> Path:
        return self._trees[need].folder / self._name / name

    def join(self, process: int) -> None:
        """Put a process into the groups; whatever it starts is in them, too."""
        for folder in self._folders():
            (folder / "cgroup.procs").write_text(str(process))

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
            return int(self._read("cpu.stat").split(None, 2)[1]) / 1e6  # usage_usec is the first
        return int(self._read("cpuacct.usage")) / 1e9

    def _read(self, name: str) -> bytes:
        return os.pread(self._opened("cpuacct", name, os.O_RDONLY), _SHORT, 0)

    def _opened(self, need: str, name: str, flags: int) -> int:
        """Return a file that stays open, since each decision needs it."""
        if name not in self._open:
            self._open[name] = os.open(self._file(need, name), flags | os.O_CLOEXEC)
        return self._open[name]

    def memory(self) -> int:
        """Return the bytes of memory in use, files in the sandbox's tmpfs included."""
        name = "memory.current" if self._trees["memory"].version == 2 else "memory.usage_in_bytes"
        return int(self._file("memory", name).read_text())

    def peak_memory(self) -> int:
        """Return the most bytes of memory that were in use since `forget_peak`."""
        return int(self._peak_file().read_text())

    def forget_peak(self) -> None:
        """Measure the peak anew, where the kernel can."""
        with suppress(OSError):
            self._peak_file().write_text("0")

    def _peak_file(self) -> Path:
        version_2 = self._trees["memory"].version == 2
        return self._file("memory", "memory.peak" if version_2 else "memory.max_usage_in_bytes")

    def out_of_memory(self) -> bool:
        """Return True if a process was killed because memory was at its limit."""
        version_2 = self._trees["memory"].version == 2
        name = "memory.events" if version_2 else "memory.oom_control"
        return self._number("memory", name, "oom_kill") > 0

    def out_of_threads(self) -> bool:
        """Return True if a thread or process was refused because there were too many."""
        return self._number("pids", "pids.events", "max") > 0

    def _number(self, need: str, name: str, field: str) -> int:
        for line in self._file(need, name).read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == field:
                return int(value)
        return 0

    def remove(self) -> None:
        """Remove the groups once their processes have ended."""
        while self._open:
            os.close(self._open.popitem()[1])
        _remove(self._folders())


def make_group(memory: int, threads: int) -> Group | None:
    """Return new groups for a sandbox with these limits; None if this machine lets us make none."""
    return Group(trees(), memory, threads) if trees() else None


def _remove(folders: Iterable[Path]) -> None:
    for folder in folders:
        until = monotonic() + _WITHIN
        while folder.exists():
            try:
                folder.rmdir()
            except OSError:
                if monotonic() > until:
                    break
                sleep(_LOOK_EVERY)


@cache
def trees() -> Mapping[str, Tree]:
    """Return where the groups of this process's sandboxes are made, for each need that is met.

    It also removes the groups of hosts that were killed.
    """
    return find_trees(_mounted(), Path("/proc/self/cgroup").read_text())


def find_trees(mounted: Iterable[tuple[Path, int, frozenset[str]]], own: str) -> dict[str, Tree]:
    """Return the trees for our needs, from what is mounted and from /proc/self/cgroup's text."""
    found: dict[str, Tree] = {}
    for root, version, options in sorted(mounted, key=lambda mount: -mount[1]):
        folder = root / _own_path(own, version, options).lstrip("/")
        if _may_make_groups(folder):
            _sweep(folder)
            for need in _met_by(folder, version, options):
                found.setdefault(need, Tree(folder, version))
    return found


def _met_by(folder: Path, version: int, options: frozenset[str]) -> list[str]:
    if version == 1:  # whose frozen processes do not even end if they are killed
        return [need for need in NEEDS if need in options and need != "freezer"]
    delegated = _delegate(folder)
    return [need for need in NEEDS if need in delegated or need not in CONTROLLERS]


def _mounted() -> list[tuple[Path, int, frozenset[str]]]:
    """Return the mounted trees: where, their version, and the controllers of version 1."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            version = 2 if kind == "cgroup2" else 1
            found.append((Path(before.split()[4]), version, frozenset(options.split(","))))
    return found


def _own_path(own: str, version: int, options: frozenset[str]) -> str:
    """Return our own group below a tree's root, by the lines of /proc/self/cgroup."""
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        if version == 2 and controllers == "":
            return path
        if version == 1 and controllers and set(controllers.split(",")) <= options:
            return path
    return "/"


def _may_make_groups(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _sweep(folder: Path) -> None:
    """Remove the groups of hosts that were killed, and end what a sandbox still runs there.

    A sandbox dies with its host, unless that was killed in the moment in which it was set up.
    """
    for left in folder.glob(f"{_prefix()}*-*"):
        host = left.name.removeprefix(_prefix()).split("-")[0]
        if not Path("/proc", host).exists():
            for process in _words(left / "cgroup.procs"):
                with suppress(ProcessLookupError):
                    os.kill(int(process), SIGKILL)
            _remove([left])


def _prefix() -> str:
    """Return how the groups of hosts begin that count processes as we do: a container may not."""
    return f"santiago-{os.stat('/proc/self/ns/pid').st_ino}-"  # noqa: PTH116


def _delegate(folder: Path) -> frozenset[str]:
    """Return the controllers of version 2 that groups below `folder` may use, after enabling them.

    A group with processes of its own cannot hand controllers on: ours go into a group below it, if
    nobody else's are there (a service of systemd with Delegate=yes).
    """
    wanted = CONTROLLERS & _words(folder / "cgroup.controllers")
    missing = wanted - _words(folder / "cgroup.subtree_control")
    with suppress(OSError):
        if missing:
            _step_aside(folder)
            enable = " ".join(f"+{name}" for name in sorted(missing))
            (folder / "cgroup.subtree_control").write_text(enable)
    return frozenset(wanted & _words(folder / "cgroup.subtree_control"))


def _step_aside(folder: Path) -> None:
    processes = _words(folder / "cgroup.procs")
    if processes == {str(os.getpid())}:
        (folder / _OURS).mkdir(exist_ok=True)
        (folder / _OURS / "cgroup.procs").write_text(str(os.getpid()))


def _words(file: Path) -> set[str]:
    with suppress(OSError):
        return set(file.read_text().split())
    return set()
