"""Measure the time from a bot's start to its first choice: `python -m benchmarks start`.

A kit bot is started and asked who it is as `santiago play` does it, and then invited to a match
whose first decision is its own. The floor is a Python process that imports gRPC and ends; both
alternate, so that a busy machine disturbs both alike.
"""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from statistics import median
from time import perf_counter
from typing import Final

from rich.console import Console
from rich.table import Table

from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.game import Game, fresh_seed
from referee.match import Match, Seat, play_table
from referee.processes import BotProcess
from referee.rules import Layout, Move
from referee.seats.player import LocalSeat
from referee.seats.remote import RemoteSeat

_BOT: Final = "sample_bots.random_bot:RandomBot"
_FRESH: Final = 1  # the last seat makes the first decision of a game (H5)
_ROUNDS: Final = 15


class _Company(Bot):
    """Sits at the other seat."""

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]


def main() -> None:
    """Print the medians, in milliseconds since a process was started."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        asyncio.run(_measure(folder))


async def _measure(folder: str) -> None:
    floors, ready, chosen = [], [], []
    for number in range(_ROUNDS):
        floors.append(_import_grpc())
        answered, first = await _bot(f"unix:{folder}/{number}")
        ready.append(answered)
        chosen.append(first)
    table = Table("since the start of a process", "median ms", "best ms")
    _row(table, "python -c 'import grpc' has ended", floors)
    _row(table, "a kit bot says who it is", ready)
    _row(table, "a kit bot's first choice has arrived", chosen)
    Console().print(table)


def _row(table: Table, what: str, seconds: Sequence[float]) -> None:
    table.add_row(what, f"{1000 * median(seconds):.0f}", f"{1000 * min(seconds):.0f}")


def _import_grpc() -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-c", "import grpc"], check=True)
    return perf_counter() - began


async def _bot(address: str) -> tuple[float, float]:
    """Return the seconds until a new bot has described itself, and until its first choice."""
    began = perf_counter()
    with BotProcess([sys.executable, "-m", "referee.serving", _BOT], address) as process:
        process.wait_until_ready()
        answered = perf_counter() - began
        await _first_choice(address)
        return answered, perf_counter() - began


async def _first_choice(address: str) -> None:
    """Begin a match, and give it up when the new bot has chosen."""
    has_chosen = asyncio.Event()

    def watch(game: Game) -> None:
        if game.entries[-1].chosen.seat == _FRESH:
            has_chosen.set()

    match = Match(
        id="start",
        attempt=1,
        layout=Layout.shuffled(Random(1)),
        dice_seed=fresh_seed(),
        clock=Clock(),
        seats=tuple(Seat("", name, "1", "") for name in ("company", "fresh")),
    )
    playing = asyncio.create_task(
        play_table(match, [LocalSeat(_Company()), RemoteSeat(address)], watch)
    )
    await has_chosen.wait()
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing
