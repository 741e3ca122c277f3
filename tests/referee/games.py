"""Games and matches for the tests of the referee."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.game import Watcher
from referee.match import Match, Seat, play_table
from referee.rules import Layout, Move, Position, roll_dice
from referee.seats.player import LocalSeat
from referee.seats.remote import RemoteSeat
from referee.serving import ADDRESS_VARIABLE, server_credentials, start_server
from referee.ways import Ways
from referee.wire import replay_pb2
from tests.forking import Forked

PATIENT = Clock(move_limit=30.0, bank=300.0, increment=1.0, start_up=60.0)
"""For tests in which no clock is to run out, however busy the machine is."""


@dataclass(frozen=True)
class Certificate:
    """Files for TLS: a certificate that signs itself, and its key."""

    file: str
    key: str


class DrawingBot(Bot):
    """Chooses by chance, but the same in every run."""

    name = "drawing"
    version = "7"
    author = "tests"

    def __init__(self) -> None:
        self._rng = Random(11)

    def nonce(self) -> bytes:
        return b""

    def choose(self, decision: Decision) -> Move:
        return self._rng.choice(decision.moves)


@contextmanager
def bot_process(target: str, address: str, **extra: str) -> Iterator[Forked]:
    """A bot of the kit in a process of its own, killed with the block."""
    environ = os.environ | {ADDRESS_VARIABLE: address, **extra}
    with Forked("referee.serving", target, env=environ) as process:
        yield process


class FaultyBot(DrawingBot):
    """Fails at its fifth decision."""

    name = "faulty"

    def __init__(self) -> None:
        super().__init__()
        self._left = 4

    def choose(self, decision: Decision) -> Move:
        if self._left == 0:
            raise ArithmeticError("no idea")
        self._left -= 1
        return super().choose(decision)


@contextmanager
def served(
    bot: type[Bot], address: str, *, certificate: Certificate | None = None, secret: str = ""
) -> Iterator[str]:
    """A bot of the kit listens at the address, until the `with` is left."""
    credentials = server_credentials(certificate.file, certificate.key) if certificate else None
    server = start_server(bot, address, credentials=credentials, secret=secret)
    try:
        yield address
    finally:
        server.stop(None).wait()


def match_of(addresses: Sequence[str], clock: Clock = PATIENT, seed: int = 5) -> Match:
    """A match between the bots at some addresses, on a layout and with dice by a seed."""
    rng = Random(seed)
    seats = (Seat(address, f"bot-{n}", "1", "tests") for n, address in enumerate(addresses))
    return Match(f"match-{seed}", 1, Layout.shuffled(rng), rng.randbytes(32), clock, tuple(seats))


async def play(
    match: Match, watcher: Watcher | None = None, ways: Ways | None = None
) -> replay_pb2.Replay:
    """Play a match against the bots at the seats' addresses, as a worker does."""
    ways = ways or Ways.from_environment()
    return await play_table(match, [RemoteSeat(s.address, ways) for s in match.seats], watcher)


def local_game(
    bots: Sequence[type[Bot] | None], seed: int = 5, clock: Clock = PATIENT
) -> replay_pb2.Replay:
    """The replay of a game between bots of this process; None did not appear."""
    match = match_of([""] * len(bots), clock, seed)
    return asyncio.run(play_table(match, [LocalSeat(bot()) if bot else None for bot in bots]))


def moments(games: int, seed: int = 3) -> Iterator[Position]:
    """Every position of some random games, forced moves and rolls included, at 2 to 4 seats."""
    rng = Random(seed)
    for game in range(games):
        position = Position.start(Layout.shuffled(rng), 2 + game % 3)
        yield position
        while not position.is_over:
            if position.legal_moves:
                position.step(rng.choice(position.legal_moves))
            else:
                position.roll(roll_dice(rng))
            yield position
