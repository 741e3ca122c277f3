"""Report how this machine does: what holds a sandbox here, and its trouble, such as a full disk.

A host reports trouble for a while after it was met, or until the machine does well again. Workers
give the host no work meanwhile, and then try it once more.
"""

import errno
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

from referee.errors import InvalidSetting
from referee.hosting import seccomp
from referee.hosting.bubblewrap import Mount, has_own_users, needed_programs
from referee.hosting.sandbox import UIDS, Sandbox
from referee.hosting.settings import MB
from referee.hosting.trees import CONTROLLERS, trees

_APPARMOR: Final = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_ALLOW_BY_APPARMOR: Final = (
    "AppArmor forbids bubblewrap to make user namespaces (as Ubuntu does from 23.10 on). Put a "
    "profile into /etc/apparmor.d/bwrap: abi <abi/4.0>, include <tunables/global> profile bwrap "
    "/usr/bin/bwrap flags=(unconfined) { userns, } and load it: apparmor_parser -r "
    "/etc/apparmor.d/bwrap. Or allow it to all programs: sysctl -w "
    "kernel.apparmor_restrict_unprivileged_userns=0."
)
_ADVICE: Final = (
    ("setting up uid map", _ALLOW_BY_APPARMOR),
    ("RTM_NEWADDR", _ALLOW_BY_APPARMOR),
    (
        "No permissions to creat",
        "This kernel or container forbids user namespaces. On a machine of your own: sysctl -w "
        "kernel.unprivileged_userns_clone=1 (Debian), sysctl -w user.max_user_namespaces=10000 "
        "(others). In a container: see docs/hosting.md for the options that allow them.",
    ),
    (
        "max_*_namespaces exceeded",
        "This machine allows no more user namespaces: sysctl -w user.max_user_namespaces=10000.",
    ),
    (
        "mount proc",
        "This container hides parts of /proc, so that no sandbox can have a /proc of its own: see "
        "docs/hosting.md for the options that allow it.",
    ),
    (
        "Permission denied",
        "The user of sandboxes can't read a part of this machine: let others pass through its "
        "folder and those above it (chmod o+x).",
    ),
)
"""Pairs of what bubblewrap says and what to do then; the first that fits counts."""
_REPORTED_FOR: Final = 60.0  # seconds
_FULL: Final = {errno.ENOSPC, errno.EDQUOT}
_OF_DISKS: Final = {*_FULL, errno.EROFS, errno.EIO}


@dataclass(frozen=True)
class Guards:
    """The guards in force here; `missing` says what to do if there can be no sandbox."""

    bubblewrap: str = ""
    """Its name and version."""
    own_users: bool = False
    """True if each sandbox has a user id of its own."""
    groups: Mapping[str, int] = field(default_factory=dict)
    """The needs that control groups meet, such as "memory", and their version, 1 or 2."""
    missing: str | None = None

    def lines(self) -> tuple[str, ...]:
        """Return a line for each guard, in plain English, for pages and commands."""
        if self.missing:
            return (self.missing,)
        user = "one of its own for each sandbox" if self.own_users else "the host's own"
        return (
            f"Namespaces: user, process, mount, network, IPC, host name, control group "
            f"({self.bubblewrap}); no network, no capabilities, no new privileges",
            "System calls: only those on a list (seccomp)",
            "Files: read-only, except one tmpfs that is bounded by the kernel",
            f"User: {user}",
            f"Memory: {self._by('memory', 'a watcher every 20 to 100 ms')}",
            f"Threads: {self._by('pids', 'prlimit')}",
            f"Freezing: {self._by('freezer', 'SIGSTOP to all processes')}",
            f"CPU time: {self._by('cpuacct', 'the sum over its processes')}",
        )

    def _by(self, need: str, otherwise: str) -> str:
        version = self.groups.get(need)
        if version is None:
            return f"{otherwise} (control groups are not delegated to this host)"
        untried = version == 2 and need in CONTROLLERS
        return f"control groups, version {version}" + (" (untried)" if untried else "")


def guards(uids: range = UIDS) -> Guards:
    """Return the guards that are in force here, after starting a sandbox to see if it can.

    Only success is remembered: a busy machine, or one that is being set up, is asked again. That
    sandboxes start no more later on is found out by `Trouble`.
    """
    if why := seccomp.missing():
        return Guards(missing=why)
    try:
        needed_programs()
        return _in_force(uids)
    except InvalidSetting as error:
        return Guards(missing=advice(str(error)))


@cache
def _in_force(uids: range) -> Guards:
    """Try them. Raises InvalidSetting."""
    _try(uids)
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    versions = {need: tree.version for need, tree in trees().items()}
    return Guards(said.stdout.strip(), has_own_users(uids), versions)


def _try(uids: range) -> None:
    """Start a sandbox and end it. Raises InvalidSetting."""
    mounts = [Mount(Path(part), part) for part in ("/usr", "/lib", "/lib64") if Path(part).exists()]
    with Sandbox.start(["/usr/bin/true"], mounts=mounts, uids=uids) as sandbox:
        if sandbox.wait(10) != 0:
            raise InvalidSetting(f"A sandbox did not start: {sandbox.output().stderr}")


def advice(refused: str) -> str:
    """Return what bubblewrap said, and what to do about it as far as we know."""
    for said, todo in _ADVICE:
        if said in refused and (todo is not _ALLOW_BY_APPARMOR or _is_held_by_apparmor()):
            return f"{todo} ({refused.rstrip('.')}.)"
    return f"{refused.rstrip('.')}."


def _is_held_by_apparmor() -> bool:
    return _APPARMOR.exists() and _APPARMOR.read_text().strip() != "0"


class Part(Enum):
    """A part of a machine whose trouble keeps a host from work."""

    DISK = "disk"
    SANDBOXES = "sandboxes"


def is_full(error: Exception) -> bool:
    """Return True if an error says that the disk is full."""
    return isinstance(error, OSError) and error.errno in _FULL


class Trouble:
    """The trouble that a host has met lately. Its caches in `folder` may take `most` bytes."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most
        self._met: dict[Part, tuple[float, str]] = {}

    def meet(self, error: Exception, uids: range) -> None:
        """Report an error if it is the machine's doing; what a bot brings about is none.

        It may start a sandbox to find out, so call it from a thread. `uids`: those of sandboxes.
        """
        if isinstance(error, OSError) and error.errno in _OF_DISKS:
            self._met[Part.DISK] = monotonic(), self.of_disk(error)
        elif isinstance(error, InvalidSetting) and (why := _refusal(uids)):
            self._met[Part.SANDBOXES] = monotonic(), why

    def of_disk(self, error: OSError) -> str:
        """Return a sentence about an error of the disk; if it is full, with what is free."""
        if not is_full(error):
            return f"The host's disk: {error}"
        disk = shutil.disk_usage(self._folder)
        return (
            f"The host's disk: {error}. Free: {disk.free // MB} MB of {disk.total // MB}; the "
            f"host's caches alone may take {self._most // MB} MB (see docs/hosting.md)."
        )

    def over(self, part: Part) -> None:
        """Report no more of a part, which has just done well."""
        self._met.pop(part, None)

    @property
    def now(self) -> str:
        """The sentences to report now; empty if there is no trouble."""
        late = monotonic() - _REPORTED_FOR
        return " ".join(why for met, why in self._met.values() if met > late)


def _refusal(uids: range) -> str | None:
    """Start a sandbox, whatever is remembered; return why it can't and what to do, else None."""
    try:
        _try(uids)
    except InvalidSetting as error:
        return advice(str(error))
    return None
