"""Runs bots as processes of this program, for local play and for the demo."""

import os
import shlex
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from errno import EACCES, ENOEXEC
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Final, Literal, Self, TypeVar

from referee.clock import Clock
from referee.errors import InvalidBot
from referee.seats.description import ask
from referee.serving import ADDRESS_VARIABLE
from referee.signals import how_ended
from referee.ways import Ways
from referee.wire import bot_pb2

READY_WITHIN: Final = 20.0
"""Seconds in which a bot's process must answer."""
_ASK_FOR: Final = 0.25
_LOOK_EVERY: Final = 0.002
_UNIX: Final = "unix:"
_SCRIPTS: Final = (EACCES, ENOEXEC)  # what a script that is no program of its own ends with
_INTERPRETER: Final = " If it is a script, name what runs it, too, such as 'python my_bot.py'."
UNSERVED: Final = (
    "It has to wait for games: in Python and JavaScript, call `serve` at its end; a program that "
    "prints moves needs `lines:` before its command, or the runtime `lines` in its package."
)
"""Advice about a bot that ends with exit code 0 before it listened."""
STOP_WITHIN: Final = 5.0
"""Seconds in which a process must end by itself."""

_Found = TypeVar("_Found")


def may_listen(address: str) -> bool:
    """Return False if surely nobody listens at an address, as can be said of `unix:/path` alone.

    It is cheap enough to be asked often: gRPC, once it has dialled in vain, waits for longer than a
    bot needs to start.
    """
    if not address.startswith(_UNIX):
        return True
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(_ASK_FOR)
        return caller.connect_ex(address.removeprefix(_UNIX)) == 0


class ChildProcess:
    """A child process that ends with the block in which it is used."""

    def __init__(
        self,
        command: Sequence[str],
        extra: Mapping[str, str],
        log: Path | int | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start `command` in `folder` with `extra` in its environment; append its output to `log`.

        `log` is a file or a descriptor that is open. Raises OSError if it does not start.
        """
        self.command = command
        self._asked_to_end = False
        output = log.open("ab") if isinstance(log, Path) else log or subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=os.environ | extra,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C does not reach it; `stop` reaches its children
            )
        finally:
            if not isinstance(output, int):
                output.close()

    @property
    def pid(self) -> int:
        """The id of the process, its group and its session."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while the process runs."""
        return self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """Return the exit code; None if the process still runs after so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def ask_to_end(self) -> None:
        """Send SIGTERM, but never twice, which may disturb the end; do not wait."""
        if not self._asked_to_end and self.exit_code is None:
            self._asked_to_end = True
            self._process.terminate()

    def stop(self) -> None:
        """Ask the process to end, wait, then kill it and everything that it has started."""
        self.ask_to_end()
        self.wait(STOP_WITHIN)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class BotProcess(ChildProcess):
    """A bot's process; SANTIAGO_ADDRESS in its environment is where it listens."""

    def __init__(
        self,
        command: Sequence[str],
        address: str,
        log: Path | int | None = None,
        extra: Mapping[str, str] | None = None,
        folder: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Start `command` as ChildProcess does. Raises InvalidBot.

        It has twice the start-up time of the `clock` to answer, READY_WITHIN without one.
        """
        self.address = address
        self._patience = READY_WITHIN if clock is None else 2 * clock.start_up
        self._listened = False
        variables = {ADDRESS_VARIABLE: address, **(extra or {})}
        try:
            super().__init__(command, variables, log, folder)
        except OSError as error:
            why = f"{error.filename}: {error.strerror}."
            if error.errno in _SCRIPTS and Path(command[0]).is_file():
                why += _INTERPRETER
            raise InvalidBot(f"The bot {shlex.join(command)!r} does not start: {why}") from None

    def wait_until_listening(self) -> None:
        """Return as soon as it listens at its address. Raises InvalidBot."""
        self._wait_for(self._listens)

    def wait_until_ready(self) -> bot_pb2.DescribeResponse:
        """Return the bot's description as soon as it answers. Raises InvalidBot."""
        ways = Ways.from_environment()
        return self._wait_for(lambda: self._listens() and ask(self.address, _ASK_FOR, ways))

    def _listens(self) -> bool:
        listens = may_listen(self.address)
        if self.address.startswith(_UNIX):  # nobody knows it of other addresses
            self._listened |= listens
        return listens

    def _wait_for(self, look: Callable[[], _Found | Literal[False] | None]) -> _Found:
        """Return what `look` finds, as soon as it finds something. Raises InvalidBot."""
        until = monotonic() + self._patience
        while monotonic() < until:
            if found := look():
                return found
            if self.exit_code is not None:
                break
            sleep(_LOOK_EVERY)
        raise InvalidBot(f"The bot {shlex.join(self.command)!r} {self._silence()}")

    def _silence(self) -> str:
        """Return the end of a sentence that says why it does not describe itself."""
        code = self.exit_code
        if code is not None and self._listened:
            return f"{how_ended(code)} when it was asked to describe itself (Describe)."
        if code is not None:
            where = f"{self.address}, its {ADDRESS_VARIABLE}"
            said = f"{how_ended(code)} before it listened on {where}."
            return said if code else f"{said} {UNSERVED}"
        if self._listened:
            return f"listens on {self.address}, but does not answer Describe."
        return (
            f"does not listen on {self.address} after {self._patience:g} s: it has to listen where "
            f"{ADDRESS_VARIABLE} says."
        )
