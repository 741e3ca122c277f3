"""A sandbox: one command with its processes, cut off from this machine, its network and others.

The command sees what is mounted for it, read-only, and one place to write: /run/santiago, a tmpfs
of `SandboxLimits.files` bytes that holds /tmp, too. It listens on /run/santiago/bot.sock, which
the host reaches by `socket_path`; nothing is shared through a folder of this machine.
"""

import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import cache
from typing import Final, Self

from referee.hosting.bubblewrap import SHARED, Bounds, Bubblewrap, Mount, SandboxUser, own_account
from referee.hosting.groups import Group, make_group
from referee.hosting.output import SOCKET, Kept, ProgramOutput, SharedFolder
from referee.hosting.processes import Processes
from referee.hosting.settings import HostSettings
from referee.hosting.usage import SandboxLimits, Usage, watcher
from referee.serving import ADDRESS_VARIABLE

ADDRESS: Final = f"unix:{SHARED}/{SOCKET}"
"""The address on which a bot in a sandbox listens: its SANTIAGO_ADDRESS."""
UIDS: Final = HostSettings.uids
_ENDS_WITHIN: Final = 10.0
_PLAIN: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


class Sandbox:
    """A command that runs in a sandbox; it ends with `stop`, or with the process that started it.

    All methods are quick, and may be called from an event loop's thread.
    """

    def __init__(
        self,
        bubblewrap: Bubblewrap,
        group: Group,
        account: SandboxUser | None,
        limits: SandboxLimits,
    ) -> None:
        """Take over a sandbox that has been set up. Use `start`."""
        assert bubblewrap.process.stdout is not None
        assert bubblewrap.process.stderr is not None
        self._process, self._group, self._account = bubblewrap.process, group, account
        self._processes = Processes(bubblewrap.first, group)
        self._shared = SharedFolder(bubblewrap.shared)
        self._usage = Usage(self._processes, self._shared, limits)
        self._stdout = Kept(bubblewrap.process.stdout, limits.output)
        self._stderr = Kept(bubblewrap.process.stderr, limits.output)
        self._ended, self._cpu_seconds = False, 0.0
        self._ending = threading.Lock()
        watcher().add(self._usage)

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

        If we are root, it runs as one of `uids`, which no other sandbox has meanwhile.
        Raises InvalidSetting if this machine starts no sandbox, or a mount is not there.
        """
        limits = limits or SandboxLimits()
        variables = {**_PLAIN, ADDRESS_VARIABLE: ADDRESS, **(environment or {})}
        with ExitStack() as undo:
            account = own_account(uids)
            if account is not None:
                undo.callback(account.release)
            group = make_group(limits.memory, limits.threads)
            undo.callback(group.remove)
            user = account.user if account else None
            bounds = _bounds(limits, group)
            # A sandbox dies with the thread that started it: this one lives as long as we do.
            bubblewrap = (
                _starter()
                .submit(Bubblewrap, command, mounts, bounds, variables, user, directory, group)
                .result()
            )
            undo.callback(bubblewrap.kill)
            sandbox = cls(bubblewrap, group, account, limits)
            undo.pop_all()
        try:
            bubblewrap.go()
        except BaseException:
            sandbox.stop()
            raise
        return sandbox

    def socket_path(self) -> str | None:
        """Return a path to connect to the socket on which the bot listens; None if there is none.

        The bot cannot lead it elsewhere. It is good until the next call, or `stop`.
        """
        return self._shared.socket_path()

    def open_folder(self) -> int:
        """Return a descriptor of /run/santiago, which outlives the sandbox; the caller closes it.

        While the command runs, a name may become another file between two looks at it.
        """
        return self._shared.descriptor()

    def freeze(self) -> None:
        """Stop all processes; they use no CPU until `thaw`."""
        if not self._ended:
            self._processes.freeze()
        self._usage.pause()

    def thaw(self) -> None:
        """Let the processes go on."""
        self._usage.go_on()
        if not self._ended:
            self._processes.thaw()

    def pin(self, processor: int) -> None:
        """Let all threads run on this processor only. Call it while they are frozen."""
        if not self._ended:
            self._processes.pin({processor})

    def cpu_seconds(self) -> float:
        """Return the CPU time that the sandbox has used since its start, also after `stop`."""
        if not self._ended:
            self._cpu_seconds = max(self._cpu_seconds, self._processes.cpu_seconds())
        return self._cpu_seconds

    def peak_memory(self) -> int:
        """Return the most bytes of memory, files included, since `begin_match`."""
        if not self._ended:
            self._peak = self._usage.peak()
        return self._peak

    def begin_match(self) -> None:
        """Forget the output and the peak of memory of the match before."""
        self._stdout.forget()
        self._stderr.forget()
        self._usage.begin()

    def output(self) -> ProgramOutput:
        """Return what was printed since `begin_match`, also after `stop`."""
        return ProgramOutput(self._stdout.data(), self._stderr.data())

    def stdout_after(self, position: int) -> tuple[bytes, int, bytes]:
        """Return what follows the first bytes of stdout, as `Kept.after` does."""
        return self._stdout.after(position)

    @property
    def over(self) -> str | None:
        """The limit that the sandbox went over, in a sentence for its author; None if none."""
        if not self._ended and self._usage.over is None:
            with suppress(OSError):
                self._usage.look()
        return self._usage.over

    @property
    def noticed(self) -> str | None:
        """The same as `over`, as far as the watcher has noticed; it takes no time."""
        return self._usage.over

    @property
    def exit_code(self) -> int | None:
        """The command's exit code, None while it runs; 128 and the signal's number if killed."""
        return self._process.poll()

    @property
    def killed_from_outside(self) -> bool:
        """True if it has ended since something outside killed it, or took its memory.

        What is inside cannot kill bubblewrap, which itself ends with 128 and more.
        """
        code = self.exit_code
        return code is not None and self.over is None and (code < 0 or self._usage.starved)

    def wait(self, seconds: float) -> int | None:
        """Wait until the command has ended, and return its exit code; None if it is too slow."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def stop(self) -> None:
        """Kill all processes and give back what the sandbox holds. Reports may still be read.

        Several threads may call it; the first one does it. A thread of its own waits for processes
        that are in the kernel for long.
        """
        with self._ending:
            if self._ended:
                return
            _ = self.over, self.peak_memory(), self.cpu_seconds()
            self._ended = True
        watcher().remove(self._usage)
        self._usage.end()
        self._processes.kill()
        if self._processes.wait(_ENDS_WITHIN):
            self._give_back()
        else:
            threading.Thread(target=self._give_back, name="sandbox's end", daemon=True).start()

    def _give_back(self) -> None:
        """Give back what the sandbox holds, once all processes have ended."""
        self._processes.wait()
        self._process.wait()
        self._stdout.join()
        self._stderr.join()
        self._shared.close()
        self._processes.close()
        self._group.remove()
        if self._account is not None:
            self._account.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _bounds(limits: SandboxLimits, group: Group) -> Bounds:
    """Leave to the control groups what they hold: they also say when a thread was too many.

    Where they count no memory, few open files bound what the kernel keeps for pipes and sockets.
    """
    threads = 2 * limits.threads if "pids" in group else limits.threads
    if "memory" not in group:
        return Bounds(limits.files, threads)
    return Bounds(limits.files, threads, open_files=1024, shared_memory=True)


@cache
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="sandboxes")
