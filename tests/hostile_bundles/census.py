"""What there is of a host: its processes, open files, files, sockets, mounts, control groups."""

import fnmatch
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.hostile_bundles.house import House

_FOLDERS: Final = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/run"))
_GROUPS: Final = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Census:
    """Equal before and after, unless something was left behind."""

    processes: frozenset[int]
    """Those of the host's process, and of the users of its sandboxes."""
    open_files: int
    files: frozenset[Path]
    """In the host's folder; and those of its users in folders where everybody may write."""
    sockets: int
    """Names by which the kernel knows sockets of sandboxes and their users."""
    mounts: str
    groups: frozenset[Path]


def count(house: House) -> Census:
    """Count what there is now."""
    return Census(
        frozenset(_processes(house)),
        len(list(Path(f"/proc/{house.pid}/fd").iterdir())),
        frozenset(_files(house)),
        _sockets(house),
        Path(f"/proc/{house.pid}/mountinfo").read_text(),
        frozenset(_groups(house)),
    )


def _processes(house: House) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                state, parent = fields[0], int(fields[1])
                ended = state == "Z" and parent != house.pid  # of interest to init alone
                if not ended and (parent == house.pid or folder.stat().st_uid in house.uids):
                    found.append(int(folder.name))
    return found


def _groups(house: House) -> Iterator[Path]:
    """Yield the host's groups, while other hosts make and remove theirs."""
    for folder, names, _ in os.walk(_GROUPS):  # Path.glob of Python 3.11 fails if one goes
        for name in fnmatch.filter(names, f"santiago-*-{house.pid}-*"):
            yield Path(folder, name)


def _files(house: House) -> list[Path]:
    found = list(house.folder.rglob("*"))
    for folder in _FOLDERS:
        for path in folder.iterdir() if folder.exists() else ():
            with suppress(OSError):
                if os.lstat(path).st_uid in house.uids:
                    found.append(path)
    return [path for path in found if "__pycache__" not in path.parts]


def _sockets(house: House) -> int:
    names = [f"santiago-sandbox-{uid}" for uid in house.uids]
    lines = Path("/proc/net/unix").read_text().splitlines()
    return sum(line.rpartition("@")[2] in names for line in lines if "@santiago-sandbox" in line)
