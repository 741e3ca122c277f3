"""Measure what the referee adds to a bare gRPC stream: `python -m benchmarks wire`.

The floor is one bidirectional stream between two processes that carries a fixed request of 1.5 KB
and a fixed reply of 20 bytes, both prebuilt, as often as bots were asked in the matches. A match is
a whole warm one between two kit bots in other processes that choose at once: rules, clocks,
messages and replay included. Both alternate, so that a busy machine disturbs both alike.
"""

import asyncio
import re
import sys
import tempfile
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from random import Random
from statistics import median
from time import perf_counter, process_time
from timeit import timeit
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks._floor import Peer, echo_server, floor
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.game import fresh_seed
from referee.match import Match, Seat
from referee.processes import BotProcess
from referee.rules import Layout, Move, Position
from referee.seats.protocol import decision_request, question
from tests.referee.games import play

_ROUNDS: Final = 12
_LEAST_FLOOR: Final = 3000  # round trips a second; below that the machine is too busy to tell


class HastyBot(Bot):
    """Chooses at once, but not always the same: games take their usual course."""

    name = "hasty"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[decision.position.turn % len(decision.moves)]


def main() -> None:
    """Print floor, match and their ratio, for one match and for four at once."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder, ExitStack() as stack:
        echo = stack.enter_context(echo_server(f"unix:{folder}/echo"))
        bots = [stack.enter_context(hasty_bot(f"unix:{folder}/bot{n}")) for n in range(2)]
        asyncio.run(_measure(echo, bots))
    _requests()


def _requests() -> None:
    """Measure how long it takes to build and encode a decision, with usual moves and with 155."""
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
    return decision_request(question(position, 1), 10.0, 60.0)


@dataclass(frozen=True, slots=True)
class _Run:
    """Round trips: their seconds, and processor time here and in other processes."""

    trips: int
    seconds: float
    here: float
    there: float


async def _measure(echo: Peer, bots: list[Peer]) -> None:
    addresses = [bot.address for bot in bots]
    await _matches(addresses, 1)
    rates = Table("at once", "floor a second", "decisions a second", "time against floor")
    spent = Table("µs of processor", "floor: client", "its server", "match: referee", "its bots")
    for at_once in (1, 4):
        floors, matches = [], []
        for _ in range(_ROUNDS):
            match = await _timed(_matches(addresses, at_once), bots)
            matches.append(match)
            floors.append(await _timed(floor(echo.address, match.trips, at_once), [echo]))
        _compare(rates, spent, at_once, floors, matches)
    Console().print(rates, spent)


def _compare(
    rates: Table, spent: Table, at_once: int, floors: list[_Run], matches: list[_Run]
) -> None:
    """Print the medians, a row in each table."""
    floor, rate = (median(run.trips / run.seconds for run in runs) for runs in (floors, matches))
    ratio = median(
        match.seconds / floor.seconds for match, floor in zip(matches, floors, strict=True)
    )
    rates.add_row(str(at_once), f"{floor:,.0f}", f"{rate:,.0f}", f"{ratio:.2f}")
    costs = (
        median(1e6 * seconds(run) / run.trips for run in runs)
        for runs in (floors, matches)
        for seconds in (attrgetter("here"), attrgetter("there"))
    )
    spent.add_row(f"{at_once} at once", *(f"{cost:.0f}" for cost in costs))
    if at_once == 1 and floor < _LEAST_FLOOR:
        print(f"Void: the floor has less than {_LEAST_FLOOR} round trips a second.")


async def _timed(work: Awaitable[tuple[int, float]], peers: list[Peer]) -> _Run:
    """Measure `work`, which returns its number of round trips and their seconds."""
    here, there = process_time(), sum(peer.processor_seconds() for peer in peers)
    trips, seconds = await work
    there = sum(peer.processor_seconds() for peer in peers) - there
    return _Run(trips, seconds, process_time() - here, there)


async def _matches(bots: list[str], at_once: int) -> tuple[int, float]:
    """Play matches at once; return how often bots were asked, and the seconds."""
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


@contextmanager
def hasty_bot(address: str) -> Iterator[Peer]:
    """Run a kit bot in another process that chooses at once."""
    command = [sys.executable, "-m", "referee.serving", "benchmarks.wire:HastyBot"]
    with BotProcess(command, address) as process:
        process.wait_until_ready()
        yield Peer(address, process.pid)
