"""Bots as processes that this program starts: for local play and for the demo."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final, Self

import grpc

from referee.errors import InvalidBot
from referee.service import CHANNEL_OPTIONS, DESCRIBE, PROTOCOL_VERSION
from referee.serving import ADDRESS_VARIABLE
from referee.wire import bot_pb2

READY_WITHIN: Final = 20.0
"""Seconds that a bot's process has until it answers."""
_ASK_EVERY: Final = 0.25
STOP_WITHIN: Final = 5.0
"""Seconds that a process has to end by itself."""
_MOST_CHARACTERS: Final = 100


def describe(address: str, timeout: float = READY_WITHIN) -> bot_pb2.DescribeResponse:
    """What the bot at an address says of itself. Raises InvalidBot; waits `timeout` seconds."""
    with grpc.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        ask = channel.unary_unary(
            DESCRIBE,
            request_serializer=bot_pb2.DescribeRequest.SerializeToString,
            response_deserializer=bot_pb2.DescribeResponse.FromString,
        )
        try:
            answer: bot_pb2.DescribeResponse = ask(
                bot_pb2.DescribeRequest(), timeout=timeout, wait_for_ready=True
            )
        except grpc.RpcError as error:
            raise InvalidBot(
                f"No bot answers at {address}: is it running there? ({error.details()})"
            ) from None
    if answer.protocol_version != PROTOCOL_VERSION:
        raise InvalidBot(
            f"The bot at {address} speaks protocol version {answer.protocol_version}; "
            f"the referee speaks {PROTOCOL_VERSION}."
        )
    texts = (answer.name, answer.version, answer.author, answer.language)
    if not answer.name or any(len(text) > _MOST_CHARACTERS for text in texts):
        raise InvalidBot(
            f"The bot at {address} must tell a name, and at most 100 characters of each text."
        )
    return answer


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
                start_new_session=True,  # Ctrl-C is for the program that started it
            )
        finally:
            if not isinstance(output, int):
                output.close()

    @property
    def exit_code(self) -> int | None:
        """None while the process lives."""
        return self._process.poll()

    def ask_to_end(self) -> None:
        """Sends SIGTERM, and does not wait."""
        if self.exit_code is None:
            self._process.terminate()

    def stop(self) -> None:
        """Asks the process to end, waits, and makes it end."""
        self.ask_to_end()
        try:
            self._process.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
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
        try:
            super().__init__(command, {ADDRESS_VARIABLE: address, **(extra or {})}, log)
        except OSError as error:
            raise InvalidBot(f"The bot {' '.join(command)!r} does not start: {error}.") from None

    def wait_until_ready(self) -> bot_pb2.DescribeResponse:
        """What the bot says of itself, as soon as it answers. Raises InvalidBot."""
        until = monotonic() + READY_WITHIN
        while True:
            try:
                return describe(self.address, _ASK_EVERY)
            except InvalidBot:
                if self.exit_code is not None:
                    raise InvalidBot(
                        f"The bot {' '.join(self.command)!r} ended with exit code "
                        f"{self.exit_code} before it listened on {self.address} "
                        f"(the address stands in {ADDRESS_VARIABLE})."
                    ) from None
                if monotonic() > until:
                    raise
