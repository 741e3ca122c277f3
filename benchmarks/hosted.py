"""Measure what hosting costs, and how equal it is: `python -m benchmarks hosted`.

Equal CPU: at a table with three bots that burn every core they can get, before and while others
decide, what the fourth computes in a second of its time beside what it computes alone.

Starts: from Open to a bot that listens, in a new sandbox and in a warm one, beside the same command
without a sandbox.

Matches: hosted ones a second beside the same bots dialled on this machine, as many at once. Both
alternate, so that a busy machine disturbs both alike.
"""

import asyncio
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Final

from rich.console import Console
from rich.table import Table

from referee.clock import Clock
from referee.game import fresh_seed
from referee.hosting.client import Host
from referee.hosting.packages import pack
from referee.match import Match, Seat, play_table
from referee.processes import BotProcess, may_listen
from referee.rules import Layout
from referee.seats.hosted import HostedSeat
from referee.seats.player import SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.wire import replay_pb2

_ROUNDS: Final = 8
_STARTS: Final = 7
_AT_ONCE: Final = (1, 4)
_MATCHES: Final = 6
_CLOCK: Final = Clock(move_limit=30.0, bank=600.0, increment=1.0, start_up=60.0)
_MANIFEST: Final = 'name = "bot"\nversion = "1"\nruntime = "python"\nentry = "bot:Mine"\n'
_HASTY: Final = """
from referee.bot import Bot

class Mine(Bot):
    name = "hasty"

    def choose(self, decision):
        return decision.moves[decision.position.turn % len(decision.moves)]
"""
_BURNING: Final = """
import os
from referee.bot import Bot

class Mine(Bot):
    name = "burning"

    def __init__(self):
        for _ in range(8):
            if os.fork() == 0:
                while True:
                    pass

    def choose(self, decision):
        return decision.moves[0]
"""
_COUNTING: Final = """
from time import monotonic
from referee.bot import Bot

class Mine(Bot):
    name = "counting"
    left = 6

    def choose(self, decision):
        self.left -= 1
        if self.left >= 0:
            count, until = 0, monotonic() + 1
            while monotonic() < until:
                count += 1
            print(count, flush=True)
        return decision.moves[0]
"""


def main() -> None:
    """Print the three tables."""
    with running_host() as address:
        asyncio.run(_measure(address))
    every = len(os.sched_getaffinity(0))
    with running_host(SANTIAGO_PROCESSORS=str(every)) as address:
        asyncio.run(_matches(address, f"hosted bots think on all {every} processors"))


async def _measure(address: str) -> None:
    await _equal(address)
    await _starts(address)
    await _matches(address, "all processors but one, as by default")


@dataclass(frozen=True)
class Package:
    """A bot: its folder, and its bundle."""

    folder: Path
    data: bytes

    @property
    def sha256(self) -> bytes:
        """The hash by which hosts know it."""
        return hashlib.sha256(self.data).digest()

    @property
    def command(self) -> list[str]:
        """The command that starts it without a sandbox."""
        return [sys.executable, "-m", "referee.serving", "bot:Mine"]


@contextmanager
def package(source: str) -> Iterator[Package]:
    """Yield a bot of this source, packed."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "bot")
        folder.mkdir()
        (folder / "bot.py").write_text(source)
        (folder / "santiago.toml").write_text(_MANIFEST)
        pack(folder, Path(temporary, "bot.tar.gz"))
        yield Package(folder, Path(temporary, "bot.tar.gz").read_bytes())


@contextmanager
def running_host(**settings: str) -> Iterator[str]:
    """Run `santiago host` as a process of its own; yield its address."""
    with tempfile.TemporaryDirectory(prefix="santiago-hosted-") as temporary:
        Path(temporary).chmod(0o711)
        address = f"unix:{temporary}/run/host"
        variables = os.environ | {"SANTIAGO_HOST_FOLDER": f"{temporary}/host"} | settings
        command = [sys.executable, "-m", "ladder.cli.main", "host", "--listen", address]
        process = subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL)
        try:
            while not may_listen(address):
                if process.poll() is not None:
                    raise SystemExit("No host runs here: try `santiago host --listen unix:/…`.")
            yield address
        finally:
            process.terminate()
            process.wait(30)


@asynccontextmanager
async def _host(address: str, *packages: Package) -> AsyncIterator[Host]:
    host = Host(address)
    for each in packages:
        await host.store(each.sha256, [each.data])
    try:
        yield host
    finally:
        await host.close()


async def _play(players: Sequence[SeatPlayer]) -> replay_pb2.Replay:
    match = Match(
        id="1",
        attempt=1,
        layout=Layout.shuffled(Random(5)),
        dice_seed=fresh_seed(),
        clock=_CLOCK,
        seats=tuple(Seat("hosted:1", str(at), "1", "us") for at in range(len(players))),
    )
    return await play_table(match, players)


async def _equal(address: str) -> None:
    """What a bot counts in a second, alone and at a table of burning ones."""
    found: dict[str, list[int]] = {"among bots that wait": [], "among bots that burn": []}
    with package(_HASTY) as calm, package(_BURNING) as burning, package(_COUNTING) as counting:
        async with _host(address, calm, burning, counting) as host:
            for _ in range(3):
                for name, other in zip(found, (calm, burning), strict=True):
                    own = HostedSeat(host, counting.sha256, "counting", name)
                    others = [HostedSeat(host, other.sha256, f"{n}", name) for n in range(3)]
                    await _play([*others, own])
                    assert own.closed is not None
                    words = own.closed.output.decode().split()
                    found[name] += [int(word) for word in words if word.isdecimal()]
    table = Table("a bot counts for a second", "median", "best", "of its best alone")
    best = max(found["among bots that wait"])
    for name, counts in found.items():
        share = f"{100 * max(counts) / best:.1f} %"
        table.add_row(name, f"{median(counts):,.0f}", f"{max(counts):,}", share)
    Console().print(table)


async def _starts(address: str) -> None:
    """How long a bot takes until it listens."""
    took: dict[str, list[float]] = {"bare": [], "cold": [], "warm": []}
    with package(_HASTY) as bot:
        async with _host(address, bot) as host:
            for number in range(_STARTS):
                took["bare"].append(_bare_start(bot))
                for name in ("cold", "warm"):
                    began = perf_counter()
                    opened = await host.open(bot.sha256, "bot", str(number), start_up=60)
                    took[name].append(perf_counter() - began)
                    assert opened.warm == (name == "warm")
                    await host.close_seat(opened.seat)
    table = Table("start", "median, ms", "least, ms", "of the bare start")
    for name, seconds in took.items():
        share = median(seconds) / median(took["bare"])
        table.add_row(
            name, f"{1e3 * median(seconds):.1f}", f"{1e3 * min(seconds):.1f}", f"{share:.2f}"
        )
    Console().print(table)


def _bare_start(bot: Package) -> float:
    with tempfile.TemporaryDirectory() as folder:
        address, began = f"unix:{folder}/bot", perf_counter()
        with BotProcess(bot.command, address, extra={"PYTHONPATH": str(bot.folder)}):
            while not may_listen(address):
                pass
            return perf_counter() - began


async def _matches(address: str, how: str) -> None:
    """Hosted matches a second beside dialled ones."""
    greedy = Path(__file__).parents[1] / "sample_bots" / "greedy.py"
    sources = {"hasty": _HASTY, "greedy": f"{greedy.read_text()}\nMine = GreedyBot\n"}
    table = Table(how, "at once", "dialled, a second", "hosted, a second", "ratio")
    for name, source in sources.items():
        with package(source) as bot:
            for at_once in _AT_ONCE:
                dialled, hosted = await _compare(address, bot, at_once)
                ratio = f"{hosted / dialled:.2f}"
                table.add_row(name, str(at_once), f"{dialled:.2f}", f"{hosted:.2f}", ratio)
    Console().print(table)


async def _compare(address: str, bot: Package, at_once: int) -> tuple[float, float]:
    """Return matches a second, dialled and hosted: the medians of rounds that alternate."""
    rates: dict[str, list[float]] = {"dialled": [], "hosted": []}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        addresses = [f"unix:{folder}/{number}" for number in range(2 * at_once)]
        for one in addresses:
            extra = {"PYTHONPATH": str(bot.folder)}
            stack.enter_context(BotProcess(bot.command, one, extra=extra)).wait_until_ready()
        async with _host(address, bot) as host:

            def players(kind: str, lane: int) -> list[SeatPlayer]:
                numbers = (2 * lane, 2 * lane + 1)
                if kind == "dialled":
                    return [RemoteSeat(addresses[number]) for number in numbers]
                return [HostedSeat(host, bot.sha256, f"bot {n}", "1") for n in numbers]

            async def lane(kind: str, number: int) -> None:
                for _ in range(_MATCHES // at_once or 1):
                    await _play(players(kind, number))

            await asyncio.gather(*(lane(kind, n) for kind in rates for n in range(at_once)))
            for _ in range(_ROUNDS):
                for kind in rates:
                    began = perf_counter()
                    await asyncio.gather(*(lane(kind, number) for number in range(at_once)))
                    number = at_once * (_MATCHES // at_once or 1)
                    rates[kind].append(number / (perf_counter() - began))
    return median(rates["dialled"]), median(rates["hosted"])
