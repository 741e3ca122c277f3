"""Starts one built bot on its author's machine: in a sandbox, or outside if there can be none."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Protocol

from referee.errors import InvalidBot
from referee.hosting import packages
from referee.hosting.build import runtime_of, sandbox_limits
from referee.hosting.packages import Manifest
from referee.hosting.runtime import BOT, Runtime
from referee.hosting.sandbox import Mount, Sandbox
from referee.hosting.settings import MB, HostSettings
from referee.processes import READY_WITHIN, BotProcess, may_listen
from referee.serving import ADDRESS_VARIABLE

DIFFERS: Final = (
    "it has your network, your files and all processors",
    "nothing limits its memory, threads and files",
    "it is not stopped between its decisions",
)
"""How a bot runs without a sandbox, beside one that is hosted."""
_LOOK_EVERY: Final = 0.002
_LAST_LINES: Final = 15


class Running(Protocol):
    """A bot that runs."""

    address: str

    def printed(self) -> str:
        """Return what it has printed."""
        ...

    def used(self) -> str:
        """Return what it has used, in a sentence; "" if nobody counts it."""
        ...

    def over(self) -> str | None:
        """Return the limit that it went over, in a sentence; None if none."""
        ...


@contextmanager
def running(bundle: Path, settings: HostSettings, *, sandboxed: bool) -> Iterator[Running]:
    """Yield the bot of a bundle as soon as it listens; it ends with the block.

    Raises InvalidBot if it does not listen.
    """
    with tempfile.TemporaryDirectory(dir=settings.folder, prefix=".bundle-") as temporary:
        Path(temporary).chmod(0o755)
        folder = Path(temporary, "bot")
        manifest = packages.unpack(bundle, folder, packages.package_limits(settings))
        runtime = runtime_of(manifest, settings)
        with (_inside if sandboxed else _outside)(runtime, manifest, folder, settings) as bot:
            yield bot


@contextmanager
def _inside(
    runtime: Runtime, manifest: Manifest, folder: Path, settings: HostSettings
) -> Iterator[Running]:
    with Sandbox.start(
        runtime.command(manifest),
        mounts=(*runtime.mounts(settings.folder), Mount(folder, BOT)),
        limits=sandbox_limits(settings),
        environment=runtime.environment,
        directory=BOT,
        uids=settings.uids,
    ) as sandbox:
        bot = _Inside(sandbox, settings.memory_mb)
        sandbox.pin(max(os.sched_getaffinity(0)))  # a hosted bot has one processor, too
        yield bot


class _Inside:
    """A bot in a sandbox."""

    def __init__(self, sandbox: Sandbox, most: int) -> None:
        self._sandbox, self._most = sandbox, most
        until = monotonic() + READY_WITHIN
        while not (path := sandbox.socket_path()) or not may_listen(f"unix:{path}"):
            if sandbox.exit_code is not None or monotonic() > until:
                raise InvalidBot(self._silence())
            sleep(_LOOK_EVERY)
        self.address = f"unix:{path}"

    def _silence(self) -> str:
        code = self._sandbox.exit_code
        if code is None:
            why = f"The bot does not listen where {ADDRESS_VARIABLE} says after {READY_WITHIN:g} s."
        else:
            why = f"The bot ended with exit code {code} before it listened."
        return "\n".join((why, *self.printed().splitlines()[-_LAST_LINES:]))

    def printed(self) -> str:
        output = self._sandbox.output()
        return output.stdout + output.stderr

    def used(self) -> str:
        memory, cpu = self._sandbox.peak_memory() / MB, self._sandbox.cpu_seconds()
        return f"It used {memory:.0f} MB of memory, of {self._most}, and {cpu:.1f} s of CPU time."

    def over(self) -> str | None:
        return self._sandbox.over


@contextmanager
def _outside(
    runtime: Runtime, manifest: Manifest, folder: Path, settings: HostSettings
) -> Iterator[Running]:
    log = settings.folder / "bot.log"
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="santiago-") as sockets:
        address, variables = f"unix:{sockets}/bot", runtime.environment_outside(folder)
        command = runtime.command_outside(manifest)
        with BotProcess(command, address, log, variables, folder) as process:
            yield _Outside(process, log)


class _Outside:
    """A bot without a sandbox."""

    def __init__(self, process: BotProcess, log: Path) -> None:
        self.address, self._log = process.address, log
        try:
            process.wait_until_ready()
        except InvalidBot as error:
            last = self.printed().splitlines()[-_LAST_LINES:]
            raise InvalidBot("\n".join((str(error), *last))) from None

    def printed(self) -> str:
        return self._log.read_text(errors="replace")

    def used(self) -> str:
        return ""

    def over(self) -> str | None:
        return None
