"""Plays a round robin on this machine, in as many processes as wanted."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import count, islice
from math import comb
from multiprocessing import get_context, parent_process
from random import Random
from threading import Thread
from typing import Final

from ladder.local.entrants import Entrant
from ladder.pairings import round_robin
from referee import replay
from referee.clock import Clock
from referee.dice import SEED_BYTES
from referee.errors import Interrupted
from referee.match import Match, Seat, play_table
from referee.rules import Layout
from referee.seats import SeatPlayer
from referee.seats.local import LocalSeat
from referee.seats.remote import RemoteSeat
from referee.serving import load

_PAUSE_EVERY: Final = 0.1  # seconds


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """One game to play: which entrant sits where, on which layout, with which luck."""

    number: int
    """From 1."""
    deal: int
    """Games of one deal share a layout, and rotate the seats."""
    entrants: tuple[int, ...]
    """By seat, as indices of the entrants."""
    layout: Layout
    dice_seed: bytes


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played."""

    planned: PlannedGame
    ranks: tuple[int, ...]
    vp: tuple[int, ...]
    """By seat, with E1; empty after a forfeit."""
    faults: tuple[tuple[int, str], ...]
    """Seat and sentence of each fault."""
    replay: bytes


def plan(entrants: int, seats: int, games: int, rng: Random) -> Iterator[PlannedGame]:
    """The first `games` games of a round robin, deal after deal. Raises Refused."""
    return islice(_endless_plan(entrants, seats, games, rng), games)


def _endless_plan(entrants: int, seats: int, games: int, rng: Random) -> Iterator[PlannedGame]:
    numbers = count(1)
    rounds = -(-games // (seats * max(1, comb(entrants, seats))))
    deals = round_robin(range(entrants), seats=seats, deals=rounds, rng=rng)
    for deal, planned in enumerate(deals):
        layout = Layout.shuffled(Random(planned.layout_seed))
        for table in planned.matches:
            yield PlannedGame(next(numbers), deal, table, layout, rng.randbytes(SEED_BYTES))


def play_all(
    games: Sequence[PlannedGame],
    entrants: Sequence[Entrant],
    clock: Clock,
    jobs: int,
    pause: Callable[[float], None],
) -> Iterator[PlayedGame]:
    """Plays games in `jobs` processes and yields each as it ends, in no particular order.

    Calls `pause` now and then, which may raise to end it all. Raises Unreachable where a bot does
    not accept a game, and Interrupted where a process that plays is killed.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_live_with_parent) as pool:
        waiting: set[Future[PlayedGame]] = set()
        left = iter(games)
        try:
            while True:
                for game in islice(left, 2 * jobs - len(waiting)):
                    waiting.add(pool.submit(play_game, game, entrants, clock))
                if not waiting:
                    return
                pause(0)
                done, waiting = wait(waiting, _PAUSE_EVERY, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool:
            raise Interrupted("A process that plays games was killed: is memory short?") from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _live_with_parent() -> None:
    """Leaves Ctrl-C to the process that shows the progress, and ends when that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def play_game(game: PlannedGame, entrants: Sequence[Entrant], clock: Clock) -> PlayedGame:
    """Plays one game in this process. Raises Unreachable."""
    table = [entrants[entrant] for entrant in game.entrants]
    match = Match(
        id=f"local-{game.number}",
        attempt=1,
        layout=game.layout,
        dice_seed=game.dice_seed,
        clock=clock,
        seats=tuple(Seat(e.address or "", e.name, e.version, e.author) for e in table),
    )
    record = asyncio.run(play_table(match, [_seat(entrant) for entrant in table]))
    return PlayedGame(
        planned=game,
        ranks=tuple(record.result.ranks),
        vp=tuple(score.vp for score in record.result.scores),
        faults=tuple(
            (entry.fault.seat, entry.fault.sentence)
            for entry in record.entries
            if entry.WhichOneof("what") == "fault"
        ),
        replay=replay.write(record),
    )


def _seat(entrant: Entrant) -> SeatPlayer:
    if entrant.target is not None:
        return LocalSeat(load(entrant.target)())
    return RemoteSeat(entrant.address or "")
