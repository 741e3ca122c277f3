"""Bots as processes that this program starts: for local play and for the demo."""

import os
import shlex
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Final, Self

from referee.errors import InvalidBot
from referee.seats.description import ask
from referee.serving import ADDRESS_VARIABLE
from referee.ways import Ways
from referee.wire import bot_pb2

READY_WITHIN: Final = 20.0
"""Seconds that a bot's process has until it answers."""
_ASK_FOR: Final = 0.25
_LOOK_EVERY: Final = 0.002
_UNIX: Final = "unix:"
STOP_WITHIN: Final = 5.0
"""Seconds that a process has to end by itself."""


def _may_listen(address: str) -> bool:
    """False where surely nobody listens: a look that costs little, and can be had often.

    gRPC, once it has dialled in vain, waits for longer than a bot needs to start.
    """
    if not address.startswith(_UNIX):
        return True
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(_ASK_FOR)
        return caller.connect_ex(address.removeprefix(_UNIX)) == 0


class ChildProcess:
    """A process of ours that ends with the block it is used in."""

    def __init__(
        self, command: Sequence[str], extra: Mapping[str, str], log: Path | None = None
    ) -> None:
        """Starts `command` with `extra` in its environment; appends what it prints to `log`.

        Raises OSError where it does not start.
        """
        self.command = command
        output = subprocess.DEVNULL if log is None else log.open("ab")
        try:
            self._process = subprocess.Popen(
                command,
                env=os.environ | extra,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us alone; and `stop` reaches its children
            )
        finally:
            if not isinstance(output, int):
                output.close()

    @property
    def pid(self) -> int:
        """Its process id, which is that of its group and session too."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while the process lives."""
        return self._process.poll()

    def ask_to_end(self) -> None:
        """Sends SIGTERM, and does not wait."""
        if self.exit_code is None:
            self._process.terminate()

    def stop(self) -> None:
        """Asks the process to end, waits, and makes it and all that it has started end."""
        self.ask_to_end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_WITHIN)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class BotProcess(ChildProcess):
    """A bot's process, told by SANTIAGO_ADDRESS where to listen."""

    def __init__(
        self,
        command: Sequence[str],
        address: str,
        log: Path | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        """Starts `command` as ChildProcess does. Raises InvalidBot."""
        self.address = address
        variables = {ADDRESS_VARIABLE: address, **(extra or {})}
        try:
            super().__init__(command, variables, log)
        except OSError as error:
            raise InvalidBot(f"The bot {shlex.join(command)!r} does not start: {error}.") from None

    def wait_until_ready(self) -> bot_pb2.DescribeResponse:
        """Returns how the bot describes itself, as soon as it answers. Raises InvalidBot."""
        until, ways = monotonic() + READY_WITHIN, Ways.from_environment()
        while monotonic() < until:
            answer = ask(self.address, _ASK_FOR, ways) if _may_listen(self.address) else None
            if answer is not None:
                return answer
            if self.exit_code is not None:
                raise InvalidBot(
                    f"The bot {shlex.join(self.command)!r} ended with exit code {self.exit_code} "
                    f"before it listened on {self.address} (the address stands in "
                    f"{ADDRESS_VARIABLE})."
                )
            sleep(_LOOK_EVERY)
        raise InvalidBot(
            f"The bot {shlex.join(self.command)!r} does not listen on {self.address} after "
            f"{READY_WITHIN:g} s: it has to listen where {ADDRESS_VARIABLE} says."
        )
