"""Processes as the kernel tells of them (Linux): who started whom, and who is still there."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import missing

PROC = Path("/proc")
OF_KERNEL = (0, 2)
"""The parents of the kernel's own threads, which have no words."""


@dataclass(frozen=True)
class Process:
    """A process that lives; two of one id differ in when they started (ticks since the boot)."""

    pid: int
    parent: int
    started: int
    command: str

    def prints_to(self, file: Path) -> bool:
        """Whether this is where its output goes."""
        try:
            return (PROC / str(self.pid) / "fd" / "1").readlink() == file
        except OSError:  # it has ended
            return False


def everyone() -> list[Process]:
    """All processes but those that have ended and were not yet fetched by their parent."""
    if not (PROC / "self" / "stat").exists():
        missing("/proc, with the processes of this machine")
    found = (process(int(entry.name)) for entry in PROC.iterdir() if entry.name.isdigit())
    return [one for one in found if one is not None]


def process(pid: int) -> Process | None:
    """The process of this id; None where it has ended."""
    entry = PROC / str(pid)
    try:
        for _ in range(1000):
            stat, cmdline = (
                (entry / name).read_text(errors="replace") for name in ("stat", "cmdline")
            )
            fields, words = stat.rpartition(")")[2].split(), cmdline.split("\0")
            if words != [""] or fields[0] in "ZX" or int(fields[1]) in OF_KERNEL:
                break
            time.sleep(0.001)  # its program has just been started, and has no words for a moment
    except OSError:
        return None
    if fields[0] in "ZX":
        return None
    return Process(pid, int(fields[1]), int(fields[19]), " ".join(words))


def started_by(pid: int) -> list[Process]:
    """The processes that this one has started, and those that they have started."""
    living = everyone()
    found: list[Process] = []
    parents = {pid}
    while parents:
        children = [one for one in living if one.parent in parents and one not in found]
        found += children
        parents = {one.pid for one in children}
    return found


def still_there(processes: list[Process]) -> list[Process]:
    """Those of the processes that live."""
    return [one for one in processes if process(one.pid) == one or _moved(one)]


def _moved(one: Process) -> bool:
    """Whether it lives on with another parent."""
    now = process(one.pid)
    return now is not None and now.started == one.started


def until(happened: Callable[[], object], patience: float = 300.0) -> None:
    """Returns when it has happened; fails when it takes longer than that many seconds.

    To look costs about as much as what is waited for: the longer it takes, the less often.
    """
    begun = time.monotonic()
    while not happened():
        waited = time.monotonic() - begun
        assert waited < patience, "it did not happen in time"
        time.sleep(min(0.5, 0.02 + waited / 20))
