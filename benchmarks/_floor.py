"""Measure the floor: one bidirectional gRPC stream between two processes, and nothing else.

It carries a fixed request of 1.5 KB and a fixed reply of 20 bytes, both prebuilt. `python -m
benchmarks._floor` is the server, at the address that SANTIAGO_ADDRESS tells.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from math import nan
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import grpc
import grpc.aio

from referee.processes import ChildProcess
from referee.serving import ADDRESS_VARIABLE

REQUEST: Final = bytes(1500)
REPLY: Final = bytes(20)
_ECHO: Final = "/floor.Echo/Play"


@dataclass(frozen=True, slots=True)
class Peer:
    """A server that listens at an address, in a process of its own."""

    address: str
    pid: int

    def processor_seconds(self) -> float:
        """Return the processor time of its threads so far; NaN if the system has no /proc."""
        spent = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(file.read_text().split()[0]) for file in spent) / 1e9 or nan


async def floor(address: str, round_trips: int, at_once: int) -> tuple[int, float]:
    """Make `round_trips` round trips over bare streams; return their number and seconds."""
    async with grpc.aio.insecure_channel(address) as channel:

        async def stream(count: int) -> None:
            call: Any = channel.stream_stream(_ECHO)()
            for _ in range(count):
                await call.write(REQUEST)
                await call.read()
            await call.done_writing()
            await call.read()

        await stream(1)
        began = perf_counter()
        await asyncio.gather(*(stream(round_trips // at_once) for _ in range(at_once)))
        return round_trips // at_once * at_once, perf_counter() - began


@contextmanager
def echo_server(address: str) -> Iterator[Peer]:
    """Start a server in another process that answers every request at once."""
    command = [sys.executable, "-m", "benchmarks._floor"]
    with ChildProcess(command, {ADDRESS_VARIABLE: address}) as process:
        with grpc.insecure_channel(address) as channel:
            grpc.channel_ready_future(channel).result(timeout=20)
        yield Peer(address, process.pid)


def _echo(requests: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
    for _request in requests:
        yield REPLY


def _serve_echo() -> None:
    server = grpc.server(ThreadPoolExecutor(16))
    service, method = _ECHO.strip("/").split("/")
    handler: Any = grpc.stream_stream_rpc_method_handler(_echo)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    server.add_insecure_port(os.environ[ADDRESS_VARIABLE])
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    _serve_echo()
