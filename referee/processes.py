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
from types import TracebackType
from typing import Final, Self

import grpc

from referee.errors import InvalidBot
from referee.seats.admission import NotAdmitted, blocking_admission
from referee.service import DESCRIBE, PROTOCOL_VERSION
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
_MOST_CHARACTERS: Final = 100
_SILENT: Final = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)


def describe(
    address: str, timeout: float = READY_WITHIN, ways: Ways | None = None
) -> bot_pb2.DescribeResponse:
    """What the bot at an address says of itself; waits `timeout` seconds.

    `ways`: how addresses are dialled; as the environment says by default. Raises InvalidBot and
    InvalidSetting.
    """
    ways = ways or Ways.from_environment()
    try:
        answer = _ask(address, timeout, ways)
    except NotAdmitted as error:
        raise InvalidBot(f"The bot {address} cannot be asked: {error}") from None
    if answer is None:
        raise InvalidBot(f"No bot answers at {address}: {ways.hint(address)}")
    return answer


def _ask(address: str, timeout: float, ways: Ways) -> bot_pb2.DescribeResponse | None:
    """As `describe`, but None where nobody answers in time."""
    with ways.blocking_channel(address) as channel:
        admitted = blocking_admission(channel, address, ways)
        ask = channel.unary_unary(
            DESCRIBE,
            request_serializer=bot_pb2.DescribeRequest.SerializeToString,
            response_deserializer=bot_pb2.DescribeResponse.FromString,
        )
        try:
            answer = ask(
                bot_pb2.DescribeRequest(), timeout=timeout, wait_for_ready=True, metadata=admitted
            )
        except grpc.RpcError as error:
            if error.code() in _SILENT:
                return None
            raise InvalidBot(
                f"What listens at {address} does not answer as a bot does: "
                f"{error.code().name}, {error.details()}"
            ) from None
    check_description(answer, address)
    return answer


def check_description(answer: bot_pb2.DescribeResponse, address: str) -> None:
    """Raises InvalidBot where a description cannot be used."""
    if answer.protocol_version != PROTOCOL_VERSION:
        raise InvalidBot(
            f"The bot at {address} speaks protocol version {answer.protocol_version}; "
            f"the referee speaks {PROTOCOL_VERSION}."
        )
    texts = (answer.name, answer.version, answer.author, answer.language)
    fits = all(len(text) <= _MOST_CHARACTERS and text.isprintable() for text in texts)
    if not answer.name or not fits:
        raise InvalidBot(
            f"The bot at {address} must tell a name, and in each text at most "
            f"{_MOST_CHARACTERS} characters, all printable."
        )


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        told = {ADDRESS_VARIABLE: address, **(extra or {})}
        try:
            super().__init__(command, told, log)
        except OSError as error:
            raise InvalidBot(f"The bot {shlex.join(command)!r} does not start: {error}.") from None

    def wait_until_ready(self) -> bot_pb2.DescribeResponse:
        """What the bot says of itself, as soon as it answers. Raises InvalidBot."""
        until, ways = monotonic() + READY_WITHIN, Ways.from_environment()
        while monotonic() < until:
            answer = _ask(self.address, _ASK_FOR, ways) if _may_listen(self.address) else None
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
