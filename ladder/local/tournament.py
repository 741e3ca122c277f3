"""Plays the games of a tournament on this machine, in as many processes as wanted."""

import asyncio
import os
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Final

from ladder.local.entrants import Entrant
from ladder.local.plan import PlannedGame
from referee import replay
from referee.clock import Clock
from referee.errors import Interrupted
from referee.match import Match, Seat, play_table
from referee.seats.player import Invitation, LocalSeat, SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.serving import load
from referee.wire import game_pb2, replay_pb2

_ATTEMPTS: Final = 3
_PAUSE_EVERY: Final = 0.1  # seconds


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played."""

    planned: PlannedGame
    ranks: tuple[int, ...]
    vp: tuple[int, ...]
    """By seat, with E1; empty after a forfeit."""
    faults: tuple[tuple[int, str], ...]
    """Seat and sentence of each fault."""
    think: tuple[float, ...]
    """By seat, the seconds that its bot has thought."""
    decisions: tuple[int, ...]
    """By seat, how often its bot chose."""
    replay: bytes = b""
    """Empty where the game is known from a log."""


def play_all(
    games: Sequence[PlannedGame],
    entrants: Sequence[Entrant],
    clock: Clock,
    jobs: int,
    pause: Callable[[float], None],
) -> Generator[PlayedGame, None, None]:
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
    """Plays one game in this process, and again where the machine was too busy to judge a time-out.

    Raises Unreachable, and Interrupted where it is too busy every time.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(Interrupted):
            return _played(game, _play(game, entrants, clock))
    return _played(game, _play(game, entrants, clock))


def _play(game: PlannedGame, entrants: Sequence[Entrant], clock: Clock) -> replay_pb2.Replay:
    table = [entrants[entrant] for entrant in game.entrants]
    match = Match(
        id=f"local-{game.number}",
        attempt=1,
        layout=game.layout,
        dice_seed=game.dice_seed,
        clock=clock,
        seats=tuple(Seat(e.address or "", e.name, e.version, e.author) for e in table),
    )
    players = [player(entrant, own_nonce=not game.shared_dice) for entrant in table]
    return _runner().run(play_table(match, players))


@cache
def _runner() -> asyncio.Runner:
    """The event loop of this process, for all of its games.

    When a line is cut off gRPC reports the rest of its calls a moment later. In a loop of its own
    for each game that would come after the loop's end, as a traceback on the terminal.
    """
    return asyncio.Runner()


def _played(game: PlannedGame, record: replay_pb2.Replay) -> PlayedGame:
    think, decisions, faults = [0] * len(game.entrants), [0] * len(game.entrants), []
    for entry in record.entries:
        what = entry.WhichOneof("what")
        if what == "chosen" and entry.chosen.by == game_pb2.MADE_BY_BOT:
            think[entry.chosen.seat] += entry.chosen.think_us
            decisions[entry.chosen.seat] += 1
        elif what == "fault":
            faults.append((entry.fault.seat, entry.fault.sentence))
    return PlayedGame(
        planned=game,
        ranks=tuple(record.result.ranks),
        vp=tuple(score.vp for score in record.result.scores),
        faults=tuple(faults),
        think=tuple(microseconds / 1e6 for microseconds in think),
        decisions=tuple(decisions),
        replay=replay.write(record),
    )


def player(entrant: Entrant, *, own_nonce: bool = True) -> SeatPlayer:
    """Who plays one game for an entrant; `own_nonce`: whether its nonce goes into the dice."""
    if entrant.target is not None:
        return LocalSeat(load(entrant.target)())
    return (RemoteSeat if own_nonce else _WithoutNonce)(entrant.address or "")


class _WithoutNonce(RemoteSeat):
    """Leaves the bot's nonce out of the dice, which are to be the same in several games."""

    async def accept(self, invitation: Invitation) -> bytes:
        await super().accept(invitation)
        return b""
