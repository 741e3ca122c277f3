"""A sandbox: one command with its processes, cut off from this machine, its network and others.

The command sees what is mounted for it, read-only, and one place to write: /run/santiago, a tmpfs
of `SandboxLimits.files` bytes that holds /tmp, too. It listens on /run/santiago/bot.sock, which
the host reaches by `socket_path`; nothing is shared through a folder of this machine.
"""

import os
import stat
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import IO, Final, Self

from referee.hosting.bubblewrap import SHARED, Bounds, Bubblewrap, Mount
from referee.hosting.output import Kept, Output
from referee.hosting.processes import Processes
from referee.hosting.settings import HostSettings
from referee.hosting.users import Account, own_account
from referee.serving import ADDRESS_VARIABLE

__all__ = ["ADDRESS", "SHARED", "Mount", "Sandbox", "SandboxLimits"]

MB: Final = 1024 * 1024
SOCKET: Final = "bot.sock"
ADDRESS: Final = f"unix:{SHARED}/{SOCKET}"
"""Where a bot in a sandbox listens: its SANTIAGO_ADDRESS."""
UIDS: Final = HostSettings.uids
_ENDS_WITHIN: Final = 10.0
_PLAIN: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


@dataclass(frozen=True)
class SandboxLimits:
    """What a sandbox may use: bytes of memory and of files, threads, bytes kept of each output."""

    memory: int = 512 * MB
    threads: int = 64
    files: int = 256 * MB
    output: int = 64 * 1024


class Sandbox:
    """A command that runs in a sandbox; it ends with `stop`, or with the process that started it.

    All methods are quick, and may be called from an event loop's thread.
    """

    def __init__(self, bubblewrap: Bubblewrap, account: Account | None, limits: SandboxLimits):
        """Take over a sandbox that has been set up. Use `start`."""
        assert bubblewrap.process.stdout is not None
        assert bubblewrap.process.stderr is not None
        self.limits = limits
        self._bubblewrap, self._account = bubblewrap, account
        self._process = bubblewrap.process
        self._processes = Processes(bubblewrap.first)
        self._stdout = Kept(bubblewrap.process.stdout, limits.output)
        self._stderr = Kept(bubblewrap.process.stderr, limits.output)
        self._socket: int | None = None
        self._peak = 0
        self._ended = False

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        mounts: Sequence[Mount],
        limits: SandboxLimits | None = None,
        environment: Mapping[str, str] | None = None,
        directory: str = "/",
        uids: range = UIDS,
    ) -> Self:
        """Start `command` in `directory`, with `mounts` and no variables but `environment`.

        Where we are root, it runs as one of `uids`, which no other sandbox has meanwhile.

        Raises InvalidSetting if this machine starts no sandbox, or a mount is not there.
        """
        limits = limits or SandboxLimits()
        variables = {**_PLAIN, ADDRESS_VARIABLE: ADDRESS, **(environment or {})}
        bounds = Bounds(limits.files, limits.threads)
        account = own_account(uids)
        user = account.user if account else None

        def set_up() -> Bubblewrap:
            return Bubblewrap(command, mounts, bounds, variables, user, directory)

        try:
            # A sandbox dies with the thread that started it: this one lives as long as we do.
            bubblewrap = _starter().submit(set_up).result()
        except BaseException:
            if account is not None:
                account.release()
            raise
        sandbox = cls(bubblewrap, account, limits)
        bubblewrap.go()
        return sandbox

    def socket_path(self) -> str | None:
        """Return a path that leads to the socket on which the bot listens; None if there is none.

        The bot may replace its socket at any time by a link to another: the path is that of an open
        file, which was a socket in the sandbox's own folder, and stays it.
        """
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            found = os.open(SOCKET, flags, dir_fd=self._bubblewrap.shared)
        except OSError:
            return None
        if not stat.S_ISSOCK(os.fstat(found).st_mode):
            os.close(found)
            return None
        if self._socket is not None:
            os.close(self._socket)
        self._socket = found
        return f"/proc/{os.getpid()}/fd/{found}"

    def open_folder(self) -> int:
        """Return a descriptor of /run/santiago, which outlives the sandbox; the caller closes it.

        While the command runs, a name may become another file between two looks at it.
        """
        return os.dup(self._bubblewrap.shared)

    def open_file(self, path: str) -> IO[bytes]:
        """Open a file that the command wrote, by its path below /run/santiago.

        Raises OSError if there is no plain file, or a link stands anywhere in its path.
        """
        folder = os.dup(self._bubblewrap.shared)
        *parents, name = path.split("/")
        try:
            for parent in parents:
                flags = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_RDONLY
                inner = os.open(parent, flags, dir_fd=folder)
                os.close(folder)
                folder = inner
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise OSError(f"{path} is no plain file")
        return os.fdopen(file, "rb")

    def freeze(self) -> None:
        """Stop all processes where they are; they use no CPU until `thaw`."""
        self._peak = self.peak_memory()
        self._processes.stop()

    def thaw(self) -> None:
        """Let the processes go on."""
        self._processes.go_on()

    def pin(self, processor: int) -> None:
        """Let all threads run on this processor only. Call it while they are frozen."""
        self._processes.pin(processor)

    def cpu_seconds(self) -> float:
        """Return the CPU time that the sandbox has used since its start."""
        return self._processes.cpu_seconds()

    def peak_memory(self) -> int:
        """Return the most bytes of memory and files that were seen in use since `begin_match`."""
        if self._ended:
            return self._peak
        used = self._processes.memory() + self._files_used()
        self._peak = max(self._peak, used)
        return self._peak

    def _files_used(self) -> int:
        found = os.fstatvfs(self._bubblewrap.shared)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def begin_match(self) -> None:
        """Forget the output and the peak of memory of the match before."""
        self._stdout.forget()
        self._stderr.forget()
        self._peak = 0

    def output(self) -> Output:
        """Return what was printed since `begin_match`."""
        return Output(self._stdout.text(), self._stderr.text())

    @property
    def over(self) -> str | None:
        """The limit that the sandbox went over, in a sentence for its author; None if none."""
        if self.peak_memory() > self.limits.memory:
            return f"It used more than {self.limits.memory // MB} MB of memory."
        return None

    @property
    def exit_code(self) -> int | None:
        """The command's exit code, None while it runs; 128 and the signal's number if killed."""
        return self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait until the command has ended, and return its exit code; None if it is too slow."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def stop(self) -> None:
        """Kill all processes and give back what the sandbox holds. `output` may still be read."""
        if self._ended:
            return
        self._ended = True
        self._processes.kill()
        self._process.wait(_ENDS_WITHIN)
        self._stdout.join()
        self._stderr.join()
        for file in (self._socket, self._bubblewrap.shared):
            if file is not None:
                os.close(file)
        if self._account is not None:
            self._account.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@cache
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="sandboxes")
