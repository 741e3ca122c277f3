"""What the referee adds to a bare gRPC stream: `python -m benchmarks wire`.

The floor is one bidirectional stream between two processes that carries a fixed request of 1.5 KB
and a fixed reply of 20 bytes, both prebuilt, as often as bots were asked in the matches. A match is
a whole warm one between two kit bots in other processes that choose at once: rules, clocks,
messages and replay included. Both alternate, so that a busy machine disturbs both alike.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from random import Random
from statistics import median
from time import perf_counter
from timeit import timeit
from typing import Any, Final

import grpc
import grpc.aio
from rich.console import Console
from rich.table import Table

from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.dice import fresh_seed
from referee.match import Match, Seat, play
from referee.processes import BotProcess, ChildProcess
from referee.rules import Layout, Move, Position
from referee.seats.requests import decision_request, question
from referee.serving import ADDRESS_VARIABLE

REQUEST: Final = bytes(1500)
REPLY: Final = bytes(20)
_ECHO: Final = "/floor.Echo/Play"
_ROUNDS: Final = 12
_LEAST_FLOOR: Final = 3000  # round trips a second; below that the machine is too busy to tell


class HastyBot(Bot):
    """Chooses without a thought, but not always alike: games take their usual course."""

    name = "hasty"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[decision.position.turn % len(decision.moves)]


def main() -> None:
    """Prints floor, match and their ratio: for one match, and for four at once."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder, ExitStack() as stack:
        floor = stack.enter_context(_echo_server(f"unix:{folder}/echo"))
        bots = [stack.enter_context(_bot(f"unix:{folder}/bot{n}")) for n in range(2)]
        asyncio.run(_measure(floor, bots))
    _requests()


def _requests() -> None:
    """What it costs to build and encode a decision: with a usual number of moves, and with 155."""
    position = Position.start(Layout.shuffled(Random(1)), 4)
    position.roll((1, 2, 1, 2, 3))
    position.play("exclude sugar")
    table = Table("legal moves", "bytes", "µs a request")
    for pesos in (6, 154):
        line = re.sub(r"p0=\d+/", f"p0={pesos}/", str(position))
        rich = Position.parse(line)
        seconds = min(timeit(partial(_encoded, rich), number=200) / 200 for _ in range(20))
        size = len(_encoded(rich))
        table.add_row(str(len(rich.legal_moves)), str(size), f"{1e6 * seconds:.1f}")
    Console().print(table)


def _encoded(position: Position) -> bytes:
    return decision_request(question(position, 1), 10_000, 60_000)


async def _measure(floor: str, bots: list[str]) -> None:
    await _matches(bots, 1)
    table = Table("at once", "floor a second", "decisions a second", "time against floor")
    for at_once in (1, 4):
        floors, rates, ratios = [], [], []
        for _ in range(_ROUNDS):
            decisions, seconds = await _matches(bots, at_once)
            bare = await _floor(floor, decisions, at_once)
            floors.append(decisions / bare)
            rates.append(decisions / seconds)
            ratios.append(seconds / bare)
        table.add_row(
            str(at_once), f"{median(floors):,.0f}", f"{median(rates):,.0f}", f"{median(ratios):.2f}"
        )
        if at_once == 1 and median(floors) < _LEAST_FLOOR:
            print(f"Void: the floor has less than {_LEAST_FLOOR} round trips a second.")
    Console().print(table)


async def _matches(bots: list[str], at_once: int) -> tuple[int, float]:
    """Plays matches at once; returns how often bots were asked, and the seconds."""
    rng = Random(5)
    matches = [
        Match(
            id=f"wire-{n}",
            attempt=1,
            layout=Layout.shuffled(rng),
            dice_seed=fresh_seed(),
            clock=Clock(),
            seats=tuple(Seat(address, "hasty", "1", "") for address in bots),
        )
        for n in range(at_once)
    ]
    began = perf_counter()
    replays = await asyncio.gather(*(play(match) for match in matches))
    seconds = perf_counter() - began
    asked = sum(entry.HasField("chosen") for replay in replays for entry in replay.entries)
    return asked, seconds


async def _floor(address: str, round_trips: int, at_once: int) -> float:
    """Seconds for that many round trips over bare streams, shared out evenly."""
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
        return perf_counter() - began


@contextmanager
def _bot(address: str) -> Iterator[str]:
    command = [sys.executable, "-m", "referee.serving", "benchmarks.wire:HastyBot"]
    with BotProcess(command, address) as process:
        process.wait_until_ready()
        yield address


@contextmanager
def _echo_server(address: str) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.wire"]
    with ChildProcess(command, {ADDRESS_VARIABLE: address}):
        with grpc.insecure_channel(address) as channel:
            grpc.channel_ready_future(channel).result(timeout=20)
        yield address


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
