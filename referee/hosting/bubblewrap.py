"""Starts bubblewrap: its command line, and the moment between its set-up and the bot's first step.

bubblewrap makes the namespaces and mounts, says which process is the first in them, and waits.
Then limits are set and groups are joined, and only then it starts the command. If the host runs as
root, each sandbox has a user id of its own.
"""

import json
import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Final

from referee.errors import InvalidSetting
from referee.hosting import seccomp
from referee.hosting.groups import Group
from referee.hosting.trees import kernel_lines

SHARED: Final = "/run/santiago"
"""The only place in a sandbox that can be written to: a bounded tmpfs; /tmp leads into it."""
_SET_UP_WITHIN: Final = 20.0
_LOOK_EVERY: Final = 0.0005
_SIGNALS: Final = 256  # that wait for a process; they count against a host's user, who has more
_FIRST_TO_GO: Final = "1000"  # if the machine has no memory left
_HOST_NAME: Final = "sandbox"
_INIT: Final = 1  # the process that becomes the parent of those who have lost theirs


@dataclass(frozen=True)
class Mount:
    """A file or folder of this machine that a sandbox sees, read-only, at the path `at`."""

    source: Path
    at: str


@dataclass(frozen=True)
class Bounds:
    """Limits that the kernel keeps from the first step on: bytes of files, threads, open files.

    `shared_memory`: it may map memory that belongs to no process, because control groups count it.
    """

    files: int
    threads: int
    open_files: int = 256
    shared_memory: bool = False


class Bubblewrap:
    """A bubblewrap that has set a sandbox up; `go` starts the command in it."""

    def __init__(
        self,
        command: Sequence[str],
        mounts: Sequence[Mount],
        bounds: Bounds,
        environment: Mapping[str, str],
        user: int | None,
        directory: str,
        group: Group,
    ) -> None:
        """Set up a sandbox for `command`, run as `user` (None: as the caller), in control groups.

        Raises InvalidSetting with what bubblewrap said if it can't.
        """
        self._bounds, self._user, self.first = bounds, user, 0
        prefix = _prefix(bounds, user)
        info, tell = os.pipe()
        waits, self._go = os.pipe()
        filtered = seccomp.filter_file(bounds.shared_memory)
        options = ["--info-fd", str(tell), "--block-fd", str(waits), "--seccomp"]
        line = [*options, str(filtered.fileno()), *_options(mounts, bounds, directory)]
        try:
            self.process = subprocess.Popen(
                [*prefix, *line, "--", *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(tell, waits, filtered.fileno()),
                env=dict(environment),
            )
        except OSError as error:
            os.close(info)
            os.close(self._go)
            raise InvalidSetting(f"bubblewrap starts no sandbox: {error}.") from None
        finally:
            os.close(tell)
            os.close(waits)
            filtered.close()
        try:
            self.first = self._first_process(info)
            group.join(self.first)  # it takes as long as the mounts, which go on meanwhile
            self.shared = self._open_shared()
        except BaseException:
            self.kill()
            raise
        finally:
            os.close(info)

    def _first_process(self, info_pipe: int) -> int:
        """Return the id of the first process in the sandbox, as this machine counts them."""
        info = b""
        while not info.rstrip().endswith(b"}"):
            info += (more := os.read(info_pipe, 4096))
            if not more:
                raise self._refusal()
        return int(json.loads(info)["child-pid"])

    def _refusal(self) -> InvalidSetting:
        assert self.process.stderr is not None
        said = self.process.stderr.read(2000).decode(errors="replace").strip()
        return InvalidSetting(f"bubblewrap starts no sandbox: {said or 'it says nothing'}")

    def _open_shared(self) -> int:
        """Return the open folder /run/santiago of the sandbox, as soon as all is mounted."""
        until = monotonic() + _SET_UP_WITHIN
        while monotonic() < until:
            if (device := self._device_of_shared()) is not None:
                folder = os.open(f"/proc/{self.first}/root{SHARED}", os.O_RDONLY | os.O_DIRECTORY)
                if os.fstat(folder).st_dev == device:
                    return folder
                os.close(folder)
            if self.process.poll() is not None:
                raise self._refusal()
            sleep(_LOOK_EVERY)
        raise InvalidSetting("bubblewrap starts no sandbox: it has not mounted it after 20 s")

    def _device_of_shared(self) -> int | None:
        """Return the tmpfs's device; None until the sandbox's root is the root of its processes."""
        with suppress(OSError):
            for line in kernel_lines(Path(f"/proc/{self.first}/mountinfo")):
                fields = line.split()
                if fields[4] == SHARED:
                    major, minor = fields[2].split(":")
                    return os.makedev(int(major), int(minor))
        return None

    def kill(self) -> None:
        """End a sandbox whose command has not been started.

        The first process in it outlives bubblewrap while it waits for `go`, and holds the pipes.
        """
        if self.first:
            with suppress(ProcessLookupError):
                os.kill(self.first, SIGKILL)
        self.process.kill()
        self.process.communicate()
        os.close(self._go)

    def go(self) -> None:
        """Set the limits that must not hold for bubblewrap itself, and start the command."""
        try:
            with suppress(OSError):  # it has ended
                Path(f"/proc/{self.first}/oom_score_adj").write_text(_FIRST_TO_GO)
            if self._user is None:  # another user's are set before; our own processes count there
                limit = self._bounds.threads + 1  # with bubblewrap's process in there
                resource.prlimit(self.first, resource.RLIMIT_NPROC, (limit, limit))
            os.write(self._go, b"!")
        finally:
            os.close(self._go)


def program(name: str, package: str) -> str:
    """Find a program. Raises InvalidSetting, naming the Debian package that brings it."""
    if path := shutil.which(name):
        return path
    raise InvalidSetting(f"Install {package} (Debian, Ubuntu: apt install {package}).")


def needed_programs() -> tuple[str, str]:
    """Find bubblewrap and prlimit, without which there is no sandbox. Raises InvalidSetting."""
    return program("bwrap", "bubblewrap"), program("prlimit", "util-linux")


def _prefix(bounds: Bounds, user: int | None) -> list[str]:
    """Return bubblewrap with the limits that a sandbox inherits (never one of addresses).

    A program of its own changes the user: if Python does, it forks with all that gRPC has hooked to
    that, which is slow, and sometimes ends the child.
    """
    limits = ["--core=0", f"--nofile={bounds.open_files}", "--memlock=0", "--msgqueue=0"]
    limits += ["--rtprio=0", "--nice=0", f"--sigpending={_SIGNALS}"]
    if user is not None:
        limits.append(f"--nproc={bounds.threads + 2}")  # with bubblewrap's own two processes
    bubblewrap, prlimit = needed_programs()
    limited = [prlimit, *limits, "--", bubblewrap]
    if user is None:
        return limited
    become = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return [program("setpriv", "util-linux"), *become, "--", *limited]


def _options(mounts: Sequence[Mount], bounds: Bounds, directory: str) -> list[str]:
    """Return bubblewrap's options: all namespaces, the mounts, one place to write."""
    options = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
    options += ["--uid", str(seccomp.INSIDE), "--gid", str(seccomp.INSIDE)]
    options += ["--hostname", _HOST_NAME]
    for mount in mounts:
        options += ["--ro-bind", str(mount.source), mount.at]
    options += ["--proc", "/proc", "--dir", "/dev"]
    shared_memory = ("zero",) if bounds.shared_memory else ()
    for device in ("null", "full", "random", "urandom", *shared_memory):
        options += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    options += ["--symlink", "/proc/self/fd", "/dev/fd"]
    options += ["--size", str(bounds.files), "--tmpfs", SHARED, "--dir", f"{SHARED}/tmp"]
    options += ["--symlink", f"{SHARED}/tmp", "/tmp", "--symlink", f"{SHARED}/tmp", "/dev/shm"]
    return [*options, "--remount-ro", "/", "--chdir", directory]


class SandboxUser:
    """A user id that no other sandbox on this machine has until `release`."""

    def __init__(self, user: int, lock: socket.socket) -> None:
        self.user = user
        self._lock = lock

    def release(self) -> None:
        """Let another sandbox have it."""
        self._lock.close()


def own_account(uids: range) -> SandboxUser | None:
    """Return one of `uids` that is free; None unless we are root, and may use them.

    Root of a user namespace, as in a container without root, has only the ids mapped for it. Raises
    InvalidSetting.
    """
    if not has_own_users(uids):
        return None
    if account := next(filter(None, map(_account, uids)), None):
        return account
    allowed = f"{uids.start}-{uids.stop - 1}"
    raise InvalidSetting(
        f"All user ids for sandboxes, {allowed}, are in use: allow more (SANTIAGO_SANDBOX_UIDS)."
    )


def _account(user: int) -> SandboxUser | None:
    """Return a user id if no sandbox has it."""
    # A name that the kernel frees when we end, however we end; no file is left behind.
    lock = socket.socket(socket.AF_UNIX)
    try:
        lock.bind(f"\0santiago-sandbox-{user}")
    except OSError:
        lock.close()
        return None
    return SandboxUser(user, lock)


def end_orphans(uids: range) -> None:
    """Kill what is left of sandboxes whose host was killed in the moment in which they started.

    bubblewrap's second process does not end with its parent before it has started the command.
    """
    is_orphan = partial(_is_of_nobody, uids) if has_own_users(uids) else _lost_its_parent
    for process in Path("/proc").glob("[1-9]*"):
        with suppress(OSError):
            if is_orphan(process):
                os.kill(int(process.name), SIGKILL)


def _is_of_nobody(uids: range, process: Path) -> bool:
    """Return True for an orphan with a user of its own whom no sandbox has."""
    user = process.stat().st_uid
    if user in uids and _parent(process) == _INIT and (account := _account(user)):
        account.release()
        return True
    return False


def _lost_its_parent(process: Path) -> bool:
    """Return True for process 1 of a sandbox, run by our own user, whose parent is gone."""
    if process.stat().st_uid != os.geteuid() or not _is_bubblewrap(process):
        return False
    ids = [line.split()[1:] for line in kernel_lines(process / "status") if line[:6] == "NSpid:"]
    return ids[0][1:] == ["1"] and not _is_bubblewrap(process.with_name(str(_parent(process))))


def _is_bubblewrap(process: Path) -> bool:
    return f"\0--tmpfs\0{SHARED}\0".encode() in (process / "cmdline").read_bytes()


def _parent(process: Path) -> int:
    return int(kernel_lines(process / "stat")[-1].rpartition(")")[2].split()[1])


def has_own_users(uids: range) -> bool:
    """Return True if each sandbox here has a user id of its own."""
    return os.geteuid() == 0 and _are_mapped(uids)


def _are_mapped(uids: range) -> bool:
    """Return True if our user namespace has all of these ids, for users and for groups."""
    return all(
        any(
            int(first) <= uids.start and uids.stop <= int(first) + int(length)
            for first, _, length in map(str.split, kernel_lines(Path(f"/proc/self/{kind}")))
        )
        for kind in ("uid_map", "gid_map")
    )
