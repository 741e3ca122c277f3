"""Starts one built bot on its author's machine: at a host, or outside if there is no sandbox."""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, Protocol

from ladder.local.entrants import LocalEntrant, last_lines
from referee.clock import Clock
from referee.conformance.check import Candidate, CheckResult
from referee.conformance.suite import checks, examine
from referee.errors import InvalidBot
from referee.hosting import packages
from referee.hosting.build import runtime_of
from referee.hosting.bundles import Built
from referee.hosting.packages import Manifest
from referee.hosting.settings import HostSettings
from referee.processes import BotProcess

DIFFERS: Final = (
    "it has your network, your files and all processors",
    "nothing limits its memory, threads and files",
    "it is not stopped between its decisions",
)
"""How a bot runs without a sandbox, beside one that is hosted."""


class Running(Protocol):
    """A bot that can be called."""

    entrant: LocalEntrant
    """The bot as an entrant of local games."""

    def examine(
        self, clock: Clock, pause: float, show: Callable[[CheckResult], None]
    ) -> list[CheckResult]:
        """Run the checks. Raises InvalidBot if it does not start."""
        ...

    def last_words(self) -> list[str]:
        """Return the last lines that it printed before it was ended."""
        ...

    def used(self) -> str:
        """Return what it has used, in a sentence; "" if nobody counts it."""
        ...


def running(
    built: Built, settings: HostSettings, *, sandboxed: bool
) -> AbstractContextManager[Running]:
    """Let the bot of a bundle be called within a block. Raises InvalidBot and InvalidSetting.

    What it needs is left in `settings.folder`.
    """
    manifest = packages.read(built.path, packages.package_limits(settings))
    if not sandboxed:
        return _outside(built, manifest, settings)
    from ladder.local.hosting import hosted  # it needs the extra `hosting`

    return hosted(built, manifest, settings)


@contextmanager
def _outside(built: Built, manifest: Manifest, settings: HostSettings) -> Iterator[Running]:
    folder, log = settings.folder / "bot", settings.folder / "bot.log"
    runtime = runtime_of(manifest, settings)
    packages.unpack(built.path, folder, packages.package_limits(settings))
    with tempfile.TemporaryDirectory(prefix="santiago-") as sockets:
        address, variables = f"unix:{sockets}/bot", runtime.environment_outside(folder)
        command = runtime.command_outside(manifest)
        with BotProcess(command, address, log, variables, folder) as process:
            yield _Outside(process, manifest, log)


class _Outside:
    """A bot without a sandbox."""

    def __init__(self, process: BotProcess, manifest: Manifest, log: Path) -> None:
        self._log = log
        try:
            process.wait_until_ready()
        except InvalidBot as error:
            raise InvalidBot("\n".join((str(error), *self.last_words()))) from None
        self.entrant = LocalEntrant(
            "package", manifest.name, manifest.version, "", address=process.address
        )

    def examine(
        self, clock: Clock, pause: float, show: Callable[[CheckResult], None]
    ) -> list[CheckResult]:
        candidate = Candidate(self.entrant.address or "", clock, pause)
        return asyncio.run(examine(candidate, checks(), show))

    def last_words(self) -> list[str]:
        return last_lines(self._log.read_bytes())

    def used(self) -> str:
        return ""
