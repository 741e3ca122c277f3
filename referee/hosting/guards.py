"""What holds a sandbox on this machine, for the start of a host and for the operator's page."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from referee.errors import InvalidSetting
from referee.hosting import seccomp
from referee.hosting.sandbox import Mount, Sandbox


@dataclass(frozen=True)
class Guards:
    """The guards in force here; `missing` says what to do if there can be no sandbox."""

    bubblewrap: str = ""
    user: str = ""
    memory: str = ""
    freezing: str = ""
    missing: str | None = None

    def lines(self) -> tuple[str, ...]:
        """Return a line for each guard, in plain English, for pages and commands."""
        if self.missing:
            return (self.missing,)
        return (
            f"{self.bubblewrap}: own user, process, mount, network, IPC, host name and control "
            "group namespaces, no network, read-only files, no capabilities",
            "seccomp: only listed system calls",
            f"user: {self.user}",
            f"memory: {self.memory}",
            f"freezing: {self.freezing}",
        )


@cache
def guards() -> Guards:
    """Return the guards that are in force here. It starts a sandbox once, to see whether it can."""
    if why := seccomp.available():
        return Guards(missing=why)
    if shutil.which("bwrap") is None:
        return Guards(missing="Install bubblewrap (Debian, Ubuntu: apt install bubblewrap).")
    try:
        _try()
    except InvalidSetting as refusal:
        return Guards(missing=str(refusal))
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    return Guards(said.stdout.strip(), _user(), "prlimit and a watcher", "SIGSTOP")


def _try() -> None:
    """Start a sandbox and end it. Raises InvalidSetting."""
    mounts = [Mount(Path(part), part) for part in ("/usr", "/lib", "/lib64") if Path(part).exists()]
    with Sandbox.start(["/usr/bin/true"], mounts=mounts) as sandbox:
        sandbox.wait(10)


def _user() -> str:
    if os.geteuid() == 0:
        return "one of its own for each sandbox"
    return f"the operator's own ({os.geteuid()}), in a user namespace"
