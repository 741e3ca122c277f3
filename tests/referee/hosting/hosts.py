"""A real host in a process of its own, and bots for it."""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from time import monotonic

from referee.clock import Clock
from referee.game import Game
from referee.hosting.client import HostLost, Keys, RemoteHost
from referee.hosting.groups import Group
from referee.hosting.guards import guards
from referee.hosting.hosted_seat import HostedSeat
from referee.hosting.packages import pack
from referee.match import Match, Seat, play_table
from referee.rules import Layout
from referee.wire import replay_pb2
from tests.conftest import missing
from tests.forking import Forked, shared

PATIENT = Clock(move_limit=60.0, bank=600.0, increment=1.0, start_up=60.0)
"""For games in which no clock is to run out, however busy the machine is."""
NO_GROUP = Group({}, 0, 0)
"""The control groups of a sandbox on a machine that lets us make none."""
BOT = """
import os, sys, threading, time
from referee.bot import Bot

class Mine(Bot):
    name, version, author = "mine", "1", "tests"

    def __init__(self):
        self.asked = 0

    def choose(self, decision):
        self.asked += 1
        {choose}
        return decision.moves[0]

{rest}
"""


def bundle(choose: str = "pass", rest: str = "") -> bytes:
    """Return a bundle with a bot in Python: what it does in `choose`, and at its start."""
    with tempfile.TemporaryDirectory() as folder:
        bot = Path(folder, "bot")
        bot.mkdir()
        (bot / "mine.py").write_text(BOT.format(choose=choose, rest=rest))
        manifest = 'name = "mine"\nversion = "1"\nruntime = "python"\nentry = "mine:Mine"\n'
        (bot / "santiago.toml").write_text(manifest)
        pack(bot, Path(folder, "bundle.tar.gz"))
        return Path(folder, "bundle.tar.gz").read_bytes()


@contextmanager
def reachable() -> Iterator[Path]:
    """Yield a new folder that the users of sandboxes can reach; pytest's own are closed.

    It is for a host: where this machine starts no sandbox, the test is missing bubblewrap.
    """
    if guards().missing:
        missing("bubblewrap")
    with tempfile.TemporaryDirectory(prefix="santiago-host-") as folder:
        Path(folder).chmod(0o711)
        share_parts(Path(folder, "host"))
        yield Path(folder)


def share_parts(folder: Path) -> None:
    """Have a host with this folder find what others of the run have copied for their sandboxes.

    To copy an interpreter takes 3 s.
    """
    folder.mkdir(exist_ok=True)
    (folder / "parts").symlink_to(shared("parts"))


@contextmanager
def running(
    folder: Path, address: str = "", settings: Mapping[str, str] | None = None, *, before: str = ""
) -> Iterator[tuple[str, Forked]]:
    """Run a host in a folder; yield its address and its process once it listens.

    `before`: what its Python does first.
    """
    address = address or f"unix:{folder / 'run' / 'host'}"
    command = ["tests.referee.hosting.host", before, "host", "--listen", address]
    variables = {**os.environ, "SANTIAGO_HOST_FOLDER": str(folder / "host"), **(settings or {})}
    process, said = Forked(*command, env=variables, piped=True), ""
    try:
        while "Waiting for workers" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        yield address, process
    finally:
        process.terminate()
        process.wait(300)
        process.stdout.close()
        process.stderr.close()


@asynccontextmanager
async def calling(address: str, keys: Keys | None = None) -> AsyncIterator[RemoteHost]:
    """Yield a client of a host, and hang up."""
    host = RemoteHost(address, keys)
    try:
        yield host
    finally:
        await host.close()


async def seat(host: RemoteHost, data: bytes, bot: str = "mine", version: str = "1") -> HostedSeat:
    """Store a bundle, and return a seat for it."""
    sha256 = hashlib.sha256(data).digest()

    async def bring() -> None:
        await host.store(sha256, [data])

    return HostedSeat(host, sha256, bot, version, bring)


async def played(
    seats: Sequence[HostedSeat],
    clock: Clock = PATIENT,
    watch: Callable[[Game], None] = lambda _: None,
) -> replay_pb2.Replay:
    """Play a match; `watch` is called after each event."""
    match = Match(
        id="1",
        attempt=1,
        layout=Layout.shuffled(Random(1)),
        dice_seed=b"\1" * 32,
        clock=clock,
        seats=tuple(Seat("hosted:1", f"bot {at}", "1", "tests") for at in range(len(seats))),
    )
    return await play_table(match, seats, watch)


def faults(replay: replay_pb2.Replay) -> list[tuple[int, int, str]]:
    """Return seat, code and sentence of each fault."""
    found = [entry.fault for entry in replay.entries if entry.HasField("fault")]
    return [(fault.seat, fault.code, fault.sentence) for fault in found]


async def until_sandboxes(host: RemoteHost, number: int) -> None:
    """Wait until a host has this many sandboxes."""
    until = monotonic() + 300
    while (await host.status()).sandboxes != number:
        assert monotonic() < until
        await asyncio.sleep(0.05)


async def until_lost(host: RemoteHost) -> None:
    """Wait until a host answers no more."""
    while True:
        try:
            await host.status()
        except HostLost:
            return
        await asyncio.sleep(0.05)
