"""Measure what hosting costs, and how equal it is: `python -m benchmarks hosted`.

Equal CPU: at a table with three bots that burn every core they can get, before and while others
decide, what the fourth computes in a second of its time beside what it computes alone.

Starts: from Open to a bot that listens, in a new sandbox and in a warm one, beside the same command
without a sandbox.

Matches: hosted ones a second beside the same bots dialled on this machine, as many at once. Both
alternate, so that a busy machine disturbs both alike.

Run by root, all processes of the benchmark go before the other programs of this machine.
"""

import asyncio
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from referee.clock import Clock
from referee.game import fresh_seed
from referee.hosting.client import RemoteHost
from referee.hosting.hosted_seat import HostedSeat
from referee.hosting.packages import pack
from referee.match import Match, Seat, play_table
from referee.processes import BotProcess, may_listen
from referee.rules import Layout
from referee.seats.player import SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.wire import replay_pb2

_ROUNDS: Final = 3
_TABLES: Final = 3
_LAST: Final = 3  # the seat of the bot that counts
_LONG: Final = 900_000  # µs: a decision in which it counted
_STARTS: Final = 5
_PREFER_EVERY: Final = 0.1
_LOOK_EVERY: Final = 0.002
_AT_ONCE: Final = (1, 4)
_MATCHES: Final = 2
_CLOCK: Final = Clock(move_limit=30.0, bank=600.0, increment=1.0, start_up=60.0)
_MANIFEST: Final = 'name = "bot"\nversion = "1"\nruntime = "python"\nentry = "bot:Mine"\n'
_HASTY: Final = """
from referee.bot import Bot

class Mine(Bot):
    name = "hasty"

    def choose(self, decision):
        return decision.moves[decision.position.turn % len(decision.moves)]
"""
_THINKING: Final = """
from time import process_time
from referee.bot import Bot

class Mine(Bot):
    name = "thinking"

    def choose(self, decision):
        until = process_time() + 0.01
        while process_time() < until:
            pass
        return decision.moves[0]
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
    left = 4

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
    """Print the three tables; that of matches for hosts with and without a spare processor."""
    with _running_host() as host:
        asyncio.run(_first_of_all(_measure(host)))
    every = len(os.sched_getaffinity(0))
    with _running_host(SANTIAGO_PROCESSORS=str(every)) as host:
        asyncio.run(_first_of_all(_matches(host, f"on all {every} processors")))


async def _measure(host: "_Host") -> None:
    await _equal(host)
    await _starts(host)
    await _matches(host, "on all processors but one, as by default")


async def _first_of_all(measuring: Coroutine[Any, Any, None]) -> None:
    """Measure, and let all that this process starts meanwhile go before other programs."""
    preferring = asyncio.create_task(_prefer())
    try:
        await measuring
    finally:
        preferring.cancel()


async def _prefer() -> None:
    """Give each session of ours, as sandboxes are one each, the highest weight, if we may."""
    seen = set[int]()
    while True:
        found = [os.getpid()]
        for process in found:
            with suppress(OSError):
                found += _children(process)
        for process in set(found) - seen:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process, -20)
                Path(f"/proc/{process}/autogroup").write_text("-20")
        seen.update(found)
        await asyncio.sleep(_PREFER_EVERY)


def _children(process: int) -> list[int]:
    threads = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


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


@dataclass(frozen=True)
class _Host:
    """A host, and its process."""

    address: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def _running_host(**settings: str) -> Iterator[_Host]:
    """Run `santiago host` as a process of its own."""
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
            yield _Host(address, process)
        finally:
            process.terminate()
            process.wait(30)


@asynccontextmanager
async def _client(host: _Host, *packages: Package) -> AsyncIterator[RemoteHost]:
    client = RemoteHost(host.address)
    for each in packages:
        await client.store(each.sha256, [each.data])
    try:
        yield client
    finally:
        await client.close()


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


async def _equal(host: _Host) -> None:
    """What a bot counts in a second, alone and at a table of burning ones."""
    found: dict[str, list[_Second]] = {"alone: the others wait": [], "the others burn": []}
    with package(_HASTY) as calm, package(_BURNING) as burning, package(_COUNTING) as counting:
        async with _client(host, calm, burning, counting) as client:
            for _ in range(_TABLES):
                for name, other in zip(found, (calm, burning), strict=True):
                    own = HostedSeat(client, counting.sha256, "counting", name)
                    others = [HostedSeat(client, other.sha256, f"{n}", name) for n in range(3)]
                    found[name] += _seconds(await _play([*others, own]), own)
    alone, *_ = found.values()
    table = Table("a bot counts for a second", "median", "best", "of its processor", "a CPU second")
    for name, seconds in found.items():
        columns = (
            _beside(median(each.count for each in seconds), median(each.count for each in alone)),
            _beside(max(each.count for each in seconds), max(each.count for each in alone)),
            f"{100 * median(each.share for each in seconds):.1f} %",
            _beside(median(each.rate for each in seconds), median(each.rate for each in alone)),
        )
        table.add_row(name, *columns)
    Console().print(table)


@dataclass(frozen=True)
class _Second:
    """A decision of a bot that counts: how far it came, and the part of its time on a processor."""

    count: int
    share: float

    @property
    def rate(self) -> float:
        """How far it comes in a second of processor time."""
        return self.count / self.share


def _seconds(replay: replay_pb2.Replay, seat: HostedSeat) -> list[_Second]:
    chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    shares = [
        choice.cpu_us / choice.think_us
        for choice in chosen
        if choice.seat == _LAST and choice.think_us > _LONG
    ]
    assert seat.closed is not None
    counts = [int(word) for word in seat.closed.output.decode().split() if word.isdecimal()]
    return [_Second(*second) for second in zip(counts, shares, strict=True)]


def _beside(number: float, alone: float) -> str:
    return f"{number:,.0f} ({100 * number / alone:.1f} %)"


async def _starts(host: _Host) -> None:
    """How long a bot takes until it listens."""
    took: dict[str, list[float]] = {"bare": [], "cold": [], "warm": []}
    with package(_HASTY) as bot:
        async with _client(host, bot) as client:
            for number in range(_STARTS):
                took["bare"].append(await asyncio.to_thread(_bare_start, bot))
                for name in ("cold", "warm"):
                    began = perf_counter()
                    opened = await client.open(bot.sha256, "bot", str(number), start_up=60)
                    took[name].append(perf_counter() - began)
                    assert opened.warm == (name == "warm")
                    await client.close_seat(opened.seat)
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
                sleep(_LOOK_EVERY)  # as a host does
            return perf_counter() - began


async def _matches(host: _Host, how: str) -> None:
    """Hosted matches a second beside dialled ones, and processor time for a decision."""
    greedy = Path(__file__).parents[1] / "sample_bots" / "greedy.py"
    sources = {
        "hasty": _HASTY,
        "greedy": f"{greedy.read_text()}\nMine = GreedyBot\n",
        "10 ms": _THINKING,
    }
    table = Table(
        how, "at once", "dialled, a second", "hosted", "ratio", "CPU µs dialled", "hosted"
    )
    for name, source in sources.items():
        with package(source) as bot:
            for at_once in _AT_ONCE:
                async with _lanes(host, bot, at_once) as lanes:
                    dialled, hosted = await lanes.measure()
                rates = f"{dialled.rate:.2f}", f"{hosted.rate:.2f}"
                ratio = f"{hosted.rate / dialled.rate:.2f}"
                cpu = f"{1e6 * dialled.cpu:.0f}", f"{1e6 * hosted.cpu:.0f}"
                table.add_row(name, str(at_once), *rates, ratio, *cpu)
    Console().print(table)


@dataclass(frozen=True)
class Cost:
    """Matches a second, and seconds of processor time for a decision, all processes together."""

    rate: float
    cpu: float


@asynccontextmanager
async def _lanes(host: _Host, bot: Package, at_once: int) -> AsyncIterator["Lanes"]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        addresses = [f"unix:{folder}/{number}" for number in range(2 * at_once)]
        extra = {"PYTHONPATH": str(bot.folder)}
        bots = [
            stack.enter_context(BotProcess(bot.command, address, extra=extra))
            for address in addresses
        ]
        for process in bots:
            process.wait_until_ready()
        async with _client(host, bot) as client:
            yield Lanes(host, client, bot, bots)


@dataclass(frozen=True)
class Lanes:
    """Pairs of bots that play one match after the other: dialled, and hosted."""

    host: _Host
    client: RemoteHost
    bot: Package
    bots: Sequence[BotProcess]

    async def measure(self) -> tuple[Cost, Cost]:
        """Return the medians of rounds that alternate; the first one of each warms up."""
        found: dict[bool, list[Cost]] = {False: [], True: []}
        for _ in range(_ROUNDS + 1):
            for hosted, costs in found.items():
                costs.append(await self._round(hosted=hosted))
        rounds = [costs[1:] for costs in found.values()]
        rates = [median(cost.rate for cost in costs) for costs in rounds]
        times = [median(cost.cpu for cost in costs) for costs in rounds]
        return Cost(rates[0], times[0]), Cost(rates[1], times[1])

    async def _round(self, *, hosted: bool) -> Cost:
        lanes = range(len(self.bots) // 2)
        before, began = self._processor_time(), perf_counter()
        played = await asyncio.gather(*(self._lane(lane, hosted=hosted) for lane in lanes))
        took, used = perf_counter() - began, self._processor_time() - before
        used += sum(seconds for _, seconds in played)
        decisions = sum(number for number, _ in played)
        return Cost(len(lanes) * _MATCHES / took, used / decisions)

    async def _lane(self, lane: int, *, hosted: bool) -> tuple[int, float]:
        """Play matches; return their decisions, and the CPU seconds of sandboxes."""
        decisions, used = 0, 0.0
        for _ in range(_MATCHES):
            seats = [self._seat(number, hosted=hosted) for number in (2 * lane, 2 * lane + 1)]
            replay = await _play(seats)
            decisions += sum(entry.HasField("chosen") for entry in replay.entries)
            closed = [seat.closed for seat in seats if isinstance(seat, HostedSeat)]
            used += sum(each.cpu_us / 1e6 for each in closed if each is not None)
        return decisions, used

    def _seat(self, number: int, *, hosted: bool) -> SeatPlayer:
        if hosted:
            return HostedSeat(self.client, self.bot.sha256, f"bot {number}", "1")
        return RemoteSeat(self.bots[number].address)

    def _processor_time(self) -> float:
        """Return the CPU seconds so far of this process, the host and the bots that are dialled."""
        others = (self.host.process.pid, *(bot.pid for bot in self.bots))
        return process_time() + sum(map(_time_of, others))


def _time_of(process: int) -> float:
    """Return the CPU seconds of a process so far."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
