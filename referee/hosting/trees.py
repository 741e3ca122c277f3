"""Finds where control groups can be made: trees of version 1 and 2, if they are delegated.

Version 2 keeps all in one tree, version 1 a tree for each controller; a machine may have both. Each
of our needs takes version 2 where it is delegated to us, else version 1, else it goes without.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Final

NEEDS: Final = ("freezer", "memory", "pids", "cpuacct")
CONTROLLERS: Final = frozenset(("memory", "pids"))
"""The needs that are controllers in version 2, too; freezing and CPU time come without."""
_OURS: Final = "santiago-host"
_WITHIN: Final = 2.0
_LOOK_EVERY: Final = 0.0002


@dataclass(frozen=True)
class GroupTree:
    """A folder in which we may make groups; `version` is 1 or 2."""

    folder: Path
    version: int


@cache
def trees() -> Mapping[str, GroupTree]:
    """Find the trees for the groups of this process's sandboxes, for each need that is met.

    It also removes the groups of hosts that were killed.
    """
    return find_trees(_mounted(), Path("/proc/self/cgroup").read_text())


def find_trees(
    mounted: Iterable[tuple[Path, int, frozenset[str]]], own: str
) -> dict[str, GroupTree]:
    """Return the trees for our needs, from what is mounted and from /proc/self/cgroup's text."""
    trees: dict[str, GroupTree] = {}
    for root, version, options in sorted(mounted, key=lambda mount: -mount[1]):
        folder = root / _own_path(own, version, options).lstrip("/")
        if _may_make_groups(folder):
            _sweep(folder)
            for need in _met_by(folder, version, options):
                trees.setdefault(need, GroupTree(folder, version))
    return trees


def _met_by(folder: Path, version: int, options: frozenset[str]) -> list[str]:
    if version == 1:  # whose frozen processes do not even end if they are killed
        return [need for need in NEEDS if need in options and need != "freezer"]
    delegated = _delegate(folder)
    return [need for need in NEEDS if need in delegated or need not in CONTROLLERS]


def kernel_lines(file: Path) -> list[str]:
    """Return the lines of a file of the kernel's; none if it is empty, as that of mounts may be.

    Names in it may hold bytes of any kind.
    In a process's own name, which its bot chooses, only a newline is escaped: what else would end
    a line for `str.splitlines` does not end one here.
    """
    return list(filter(None, os.fsdecode(file.read_bytes()).split("\n")))


def _mounted() -> list[tuple[Path, int, frozenset[str]]]:
    """Return the mounted trees: where, their version, and the controllers of version 1."""
    mounts = []
    for line in kernel_lines(Path("/proc/self/mountinfo")):
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            version = 2 if kind == "cgroup2" else 1
            mounts.append((Path(before.split()[4]), version, frozenset(options.split(","))))
    return mounts


def _own_path(own: str, version: int, options: frozenset[str]) -> str:
    """Return our own group below a tree's root, by the lines of /proc/self/cgroup."""
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        if version == 2 and controllers == "":
            return path
        if version == 1 and set(controllers.split(",")) <= options:
            return path
    return "/"


def _may_make_groups(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _sweep(folder: Path) -> None:
    """Remove the groups of hosts that were killed, and end what a sandbox still runs there.

    A sandbox dies with its host, unless that was killed in the moment in which it was set up.
    """
    for left in folder.glob(f"{name_prefix()}*-*"):
        host = left.name.removeprefix(name_prefix()).split("-")[0]
        if not Path("/proc", host).exists():
            for process in _words(left / "cgroup.procs"):
                with suppress(ProcessLookupError):
                    os.kill(int(process), SIGKILL)
            remove([left])


def name_prefix() -> str:
    """Return how the groups of hosts begin that count processes as we do: a container may not."""
    return f"santiago-{os.stat('/proc/self/ns/pid').st_ino}-"  # noqa: PTH116


def _delegate(folder: Path) -> frozenset[str]:
    """Return the controllers of version 2 that groups below `folder` may use, after enabling them.

    A group with processes of its own cannot hand controllers on: ours go into a group below it, if
    nobody else's are there (a service of systemd with Delegate=yes).
    """
    controllers = CONTROLLERS & _words(folder / "cgroup.controllers")
    missing = controllers - _words(folder / "cgroup.subtree_control")
    with suppress(OSError):
        if missing:
            _step_aside(folder)
            enable = " ".join(f"+{name}" for name in sorted(missing))
            (folder / "cgroup.subtree_control").write_text(enable)
    return frozenset(controllers & _words(folder / "cgroup.subtree_control"))


def _step_aside(folder: Path) -> None:
    processes = _words(folder / "cgroup.procs")
    if processes == {str(os.getpid())}:
        (folder / _OURS).mkdir(exist_ok=True)
        (folder / _OURS / "cgroup.procs").write_text(str(os.getpid()))


def _words(file: Path) -> set[str]:
    with suppress(OSError):
        return set(file.read_text().split())
    return set()


def remove(folders: Iterable[Path]) -> None:
    """Remove groups as soon as the last of their processes has ended."""
    for folder in folders:
        until = monotonic() + _WITHIN
        while folder.exists():
            try:
                folder.rmdir()
            except OSError:
                if monotonic() > until:
                    break
                sleep(_LOOK_EVERY)
