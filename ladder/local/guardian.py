"""End the processes that a command started, even if the command is killed.

The guardian is a process of its own. It only reads, line by line, which process groups and folders
the command has (`+GROUP`, `-GROUP`, `/FOLDER`). When the command is gone, for whatever reason, the
pipe between them closes: the guardian then ends the groups that are left, and removes the folders.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

_END_WITHIN: Final = 5.0  # seconds that a process has to end by itself
_LOOK_EVERY: Final = 0.02
_LONGEST: Final = 60  # characters of a folder; less than 40 follow
_SPECIAL: Final = frozenset(" \t\n,%?#")
"""Characters that separate addresses, or mean something in the URL of a Redis."""


def socket_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder for unix sockets that only this user can enter.

    It is in TMPDIR, or in /tmp if TMPDIR is long, as a socket's path has at most some 100
    characters, or holds one that settings with addresses cannot.
    """
    usual = tempfile.gettempdir()
    fits = len(usual) <= _LONGEST and not _SPECIAL.intersection(usual)
    return tempfile.TemporaryDirectory(prefix="santiago-", dir=usual if fits else "/tmp")


class Guardian:
    """The command's side of the guardian: a context manager."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the command
        )

    def guard(self, group: int) -> None:
        """End this process group if the command is killed. Its id is that of its first process."""
        self._send(f"+{group}")

    def forget(self, group: int) -> None:
        """Stop guarding this group, which has ended."""
        self._send(f"-{group}")

    def guard_folder(self, folder: Path) -> None:
        """Remove this folder if the command is killed."""
        self._send(str(folder.absolute()))

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # killed: the command itself still ends what it started
            self._process.stdin.write(os.fsencode(f"{line}\n"))
            self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def main(lines: Iterable[bytes]) -> None:
    """Run the guardian's side: `lines` end when the command has ended."""
    groups: list[int] = []
    folders: list[str] = []
    for line in lines:
        word = os.fsdecode(line.removesuffix(b"\n"))
        if word.startswith("+"):
            groups.append(int(word))
        elif word.startswith("-"):
            groups.remove(-int(word))
        else:
            folders.append(word)
    _end(groups)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _end(groups: list[int]) -> None:
    until = time.monotonic() + _END_WITHIN
    left = [group for group in groups if _sent(group, signal.SIGTERM)]
    while left and time.monotonic() < until:
        time.sleep(_LOOK_EVERY)
        left = [group for group in left if _sent(group, 0)]
    for group in left:
        _sent(group, signal.SIGKILL)


def _sent(group: int, number: int) -> bool:
    """Send the group a signal (0 only tests); return False if the group is gone."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(sys.stdin.buffer)
