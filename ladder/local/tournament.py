"""Plan the games of a local tournament by deals, and play them in several processes."""

import asyncio
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import count, islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from random import Random
from threading import Thread
from typing import Final

from ladder.contests import pairings
from ladder.local.entrants import LocalEntrant, last_lines_in, last_lines_of
from referee import replay
from referee.clock import Clock
from referee.errors import Interrupted, Unreachable
from referee.game import SEED_BYTES
from referee.hosting.client import DidNotStart, RemoteHost
from referee.hosting.hosted_seat import HostedSeat
from referee.match import Match, Seat, play_table
from referee.rules import Layout
from referee.seats.player import Invitation, LocalSeat, SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.serving import load
from referee.signals import ending_signals
from referee.wire import game_pb2, replay_pb2


class Pairing(StrEnum):
    """The rule by which the bots of each table are chosen."""

    ROUND_ROBIN = "round robin"
    """Every combination of the entrants."""
    GAUNTLET = "gauntlet"
    """Every combination in which the first entrant sits."""
    DUEL = "duel"
    """Two entrants alone, who fill the table between them.

    At 3 seats a deal is A B B and B A A, each in every rotation: neither has the company of its
    own kind more often. At 4 seats it is two of each, in an order drawn anew for each deal.
    """


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """A game to play: who sits where, the layout and the seed of the dice."""

    number: int
    """The number of the game, from 1."""
    deal: int
    """Games of one deal share a layout, and rotate the seats."""
    entrants: pairings.Table
    """Indices of the entrants, by seat."""
    layout: Layout
    dice_seed: bytes = field(repr=False)
    shared_dice: bool = False
    """True if all games of the deal have the same dice, which then don't depend on nonces."""


def plan(
    entrants: int,
    seats: int,
    rng: Random,
    pairing: Pairing = Pairing.ROUND_ROBIN,
    *,
    shared_dice: bool = False,
) -> Iterator[PlannedGame]:
    """Yield the games of a tournament, deal after deal without end. Raises Invalid.

    The same random numbers give the same games, however many of them are taken.
    """
    numbers = count(1)
    for deal, planned in enumerate(_deals(entrants, seats, pairing, rng)):
        layout = Layout.shuffled(Random(planned.layout_seed))
        dice_seed = rng.randbytes(SEED_BYTES)
        for table in planned.matches:
            yield PlannedGame(next(numbers), deal, table, layout, dice_seed, shared_dice)
            if not shared_dice:
                dice_seed = rng.randbytes(SEED_BYTES)


def games_of(entrants: int, seats: int, pairing: Pairing, deals: int) -> int:
    """Return the number of games if every table plays `deals` deals. Raises Invalid."""
    if pairing is Pairing.DUEL:
        return deals * (6 if seats == 3 else seats)
    return deals * seats * len(_tables(entrants, seats, pairing))


def _deals(
    entrants: int, seats: int, pairing: Pairing, rng: Random
) -> Iterator[pairings.PlannedDeal]:
    if pairing is not Pairing.DUEL:
        return pairings.endless_deals(_tables(entrants, seats, pairing), rng)
    return _duels(seats, rng)


def _tables(entrants: int, seats: int, pairing: Pairing) -> list[pairings.Table]:
    if pairing is Pairing.GAUNTLET:
        return pairings.gauntlet_tables(range(entrants), seats=seats)
    return pairings.round_robin_tables(range(entrants), seats=seats)


def _duels(seats: int, rng: Random) -> Iterator[pairings.PlannedDeal]:
    """Yield deals of the two entrants 0 and 1."""
    if seats != 3:
        yield from pairings.endless_deals([(0, 1) if seats == 2 else (0, 0, 1, 1)], rng)
    for deal in pairings.endless_deals([(0, 1, 1)], rng):
        others = tuple(1 - entrant for entrant in deal.matches[0])
        yield pairings.PlannedDeal(deal.layout_seed, deal.matches + pairings.rotations(others))


_ATTEMPTS: Final = 3
_PAUSE_EVERY: Final = 0.1  # seconds


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played."""

    planned: PlannedGame
    ranks: tuple[int, ...]
    vp: tuple[int, ...]
    """Scores by seat, with E1; empty after a forfeit."""
    faults: tuple[tuple[int, str], ...]
    """Seat and sentence of each fault."""
    think: tuple[float, ...]
    """The bot's thinking time in seconds, by seat."""
    decisions: tuple[int, ...]
    """The number of decisions that the bot made, by seat."""
    replay: bytes = b""
    """The replay file; empty if the game was read from a log."""


def play_all(
    games: Sequence[PlannedGame],
    entrants: Sequence[LocalEntrant],
    clock: Clock,
    jobs: int,
    pause: Callable[[float], None],
) -> Generator[PlayedGame, None, None]:
    """Play games in `jobs` processes and yield each as it ends, in no particular order.

    Calls `pause` now and then, which may raise to end it all. Games that are still being played
    then, or when the generator is closed, end at once. Raises Unreachable if a bot does not accept
    a game, and Interrupted if a process that plays is killed.
    """
    with _signals_blocked():
        resource_tracker.ensure_running()  # it keeps SIGHUP blocked, and ignores the others
    context = get_context("spawn")
    wanted, here = context.Pipe(duplex=False)  # ends if this end, or this process, is gone
    with (
        wanted,
        ProcessPoolExecutor(jobs, context, initializer=_play_while, initargs=(wanted,)) as pool,
    ):
        waiting: set[Future[PlayedGame]] = set()
        left = iter(games)
        try:
            while True:
                with _signals_blocked():
                    for game in islice(left, 2 * jobs - len(waiting)):
                        waiting.add(pool.submit(play_game, game, entrants, clock))
                if not waiting:
                    return
                pause(0)
                done, waiting = wait(waiting, _PAUSE_EVERY, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenExecutor:
            raise Interrupted("A process that plays games was killed: is memory short?") from None
        finally:
            here.close()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block what ends us while processes are started: they inherit it for good.

    A terminal and `timeout` send these signals to all processes of a command.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ending_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _play_while(wanted: Connection) -> None:
    """End when the process that shows the progress wants no more games; signals are left to it."""
    Thread(target=_end_after, args=(wanted,), daemon=True).start()


def _end_after(wanted: Connection) -> None:
    with suppress(EOFError):
        wanted.recv()
    os._exit(1)


def play_game(game: PlannedGame, entrants: Sequence[LocalEntrant], clock: Clock) -> PlayedGame:
    """Play one game in this process, again if the machine was too busy to judge a time-out.

    Raises Unreachable, and Interrupted if the machine is too busy every time.
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(Interrupted):
            return _played(game, _play(game, entrants, clock))
    return _played(game, _play(game, entrants, clock))


def _play(game: PlannedGame, entrants: Sequence[LocalEntrant], clock: Clock) -> replay_pb2.Replay:
    table = [entrants[entrant] for entrant in game.entrants]
    match = Match(
        id=f"local-{game.number}",
        attempt=1,
        layout=game.layout,
        dice_seed=game.dice_seed,
        clock=clock,
        seats=tuple(Seat(e.address or "", e.name, e.version, e.author) for e in table),
    )
    return _runner().run(_play_at(match, table, own_nonces=not game.shared_dice))


async def _play_at(
    match: Match, table: Sequence[LocalEntrant], *, own_nonces: bool
) -> replay_pb2.Replay:
    players = [player(entrant, own_nonce=own_nonces) for entrant in table]
    try:
        return await play_table(match, players)
    except Unreachable as error:
        unreached = players[error.seat]
        failed = unreached.not_started if isinstance(unreached, HostedSeat) else None
        raise with_last_lines(error, table[error.seat], failed) from None


def with_last_lines(
    error: Unreachable, entrant: LocalEntrant, failed: DidNotStart | None = None
) -> Unreachable:
    """Return the error with the bot's word on the command line, and its last lines.

    `failed` says why it did not start, if that was at a host.
    """
    why, printed = error.why, list[str]()
    if failed is not None:
        why, printed = failed.why, last_lines_of(failed)
    elif entrant.log is not None:
        printed = last_lines_in(entrant.log)
    named = f"{why} It is {entrant.word!r}{', and printed last:' if printed else '.'}"
    return Unreachable(error.seat, "\n".join([named, *printed]), error.answered, error.ours)


@cache
def _runner() -> asyncio.Runner:
    """Return the event loop of this process, for all of its games.

    If a connection breaks, gRPC reports the rest of its calls a moment later. With a new loop for
    each game that would be after the loop's end, and would print a traceback on the terminal.
    """
    return asyncio.Runner()


def _played(game: PlannedGame, record: replay_pb2.Replay) -> PlayedGame:
    think, decisions, faults = [0] * len(game.entrants), [0] * len(game.entrants), []
    for entry in record.entries:
        kind = entry.WhichOneof("what")
        if kind == "chosen" and entry.chosen.by == game_pb2.MADE_BY_BOT:
            think[entry.chosen.seat] += entry.chosen.think_us
            decisions[entry.chosen.seat] += 1
        elif kind == "fault":
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


def player(entrant: LocalEntrant, *, own_nonce: bool = True) -> SeatPlayer:
    """Return a player of one game; with `own_nonce` its nonce goes into the dice."""
    if entrant.target is not None:
        return LocalSeat(load(entrant.target)())
    if entrant.bundle is not None:
        host = _host(entrant.address or "")
        return HostedSeat(host, entrant.bundle, entrant.name, entrant.version)
    return (RemoteSeat if own_nonce else _WithoutNonce)(entrant.address or "")


@cache
def _host(address: str) -> RemoteHost:
    """Return a line to a host, for all games of this process."""
    return RemoteHost(address)


class _WithoutNonce(RemoteSeat):
    """A bot whose nonce is left out of the dice, so that several games can share them."""

    async def accept(self, invitation: Invitation) -> bytes:
        await super().accept(invitation)
        return b""
