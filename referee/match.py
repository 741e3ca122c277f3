"""Runs a match: invites the seats, plays the game on their clocks, returns the replay."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from referee.clock import LONGEST_WAIT, Clock
from referee.errors import Interrupted
from referee.faults import Asked, Fault, SeatFault, absence
from referee.game import Game, Luck, Watcher, commitment
from referee.messages import clock_message, setup_message
from referee.rules import RULES_VERSION, Layout, Position
from referee.seats.player import Allowance, GameOver, Invitation, SeatPlayer
from referee.wire import replay_pb2

_GRACE: Final = 10.0  # seconds of the watchdog beyond all clocks


@dataclass(frozen=True, slots=True)
class Seat:
    """A bot at a table: its address, its name and version, and its author."""

    address: str
    name: str
    version: str
    author: str


@dataclass(frozen=True, slots=True)
class Match:
    """One attempt at a match. `dice_seed`: 32 fresh bytes, which nobody else may know."""

    id: str
    attempt: int
    layout: Layout
    dice_seed: bytes = field(repr=False)
    clock: Clock
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A seat's nonce, and the seconds until it had accepted the game."""

    nonce: bytes
    start_up: float


_NOBODYS: Final = Acceptance(b"", 0.0)
"""The acceptance of a seat whose bot did not appear."""


async def play_table(
    match: Match, players: Sequence[SeatPlayer | None], watcher: Watcher | None = None
) -> replay_pb2.Replay:
    """Play a match with the given players, by seat, and return its replay.

    None stands for a bot that did not appear: its seat faults before the first roll. `watcher` is
    called after each event. Raises Unreachable if a bot did not accept the game, and Interrupted if
    the platform failed.
    """
    present = {seat: player for seat, player in enumerate(players) if player is not None}
    longest = match.clock.longest_match(len(players)) + _GRACE
    try:
        async with _watchdog(longest, list(present.values())):
            return await _played(match, present, watcher)
    except TimeoutError:
        raise Interrupted("The match went on for longer than its clocks allow.") from None
    finally:
        await asyncio.gather(*(player.leave() for player in present.values()))


@asynccontextmanager
async def _watchdog(longest: float, players: Sequence[SeatPlayer]) -> AsyncIterator[None]:
    """Limit a block to `longest` seconds, and the time for which seats waited on nobody's clock.

    Raises TimeoutError.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + longest
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal timer
        due = until + min(LONGEST_WAIT, sum(player.waiting for player in players))
        if due > loop.time():
            timer = loop.call_at(due, look)
        else:
            limit.reschedule(loop.time())

    timer = loop.call_at(until, look)
    try:
        async with asyncio.timeout(None) as limit:
            yield
    finally:
        timer.cancel()


async def _played(
    match: Match, players: Mapping[int, SeatPlayer], watcher: Watcher | None
) -> replay_pb2.Replay:
    acceptances = await _invite(match, players)
    nonces = tuple(acceptance.nonce for acceptance in acceptances)
    luck = Luck(match.dice_seed, match.attempt, nonces)
    game = Game(Position.start(match.layout, len(match.seats)), luck, watcher)
    table = _Table(game, players, match.clock)
    await table.play()
    replay = replay_of(match, game, acceptances)
    table.end(GameOver(replay.result, match.dice_seed, nonces))
    return replay


async def _invite(match: Match, players: Mapping[int, SeatPlayer]) -> list[Acceptance]:
    """Invite the players at once, and return all acceptances by seat. Raises Unreachable."""
    committed = commitment(match.dice_seed)
    answers = await asyncio.gather(
        *(
            _accept(
                player,
                Invitation(
                    match_id=match.id,
                    attempt=match.attempt,
                    seat=seat,
                    players=len(match.seats),
                    layout=match.layout,
                    clock=match.clock,
                    dice_commitment=committed,
                ),
            )
            for seat, player in players.items()
        ),
        return_exceptions=True,  # no seat is left in the middle of dialling
    )
    accepted = dict.fromkeys(range(len(match.seats)), _NOBODYS)
    for seat, answer in zip(players, answers, strict=True):
        if isinstance(answer, BaseException):
            raise answer
        accepted[seat] = answer
    return list(accepted.values())


async def _accept(player: SeatPlayer, invitation: Invitation) -> Acceptance:
    began = monotonic()
    nonce = await player.accept(invitation)
    return Acceptance(nonce, max(0.0, monotonic() - began - player.waiting))


def replay_of(match: Match, game: Game, acceptances: Sequence[Acceptance]) -> replay_pb2.Replay:
    """Return the replay of a game that is over; `acceptances` by seat."""
    return replay_pb2.Replay(
        rules_version=RULES_VERSION,
        match_id=match.id,
        attempt=match.attempt,
        setup=setup_message(match.layout),
        seats=[
            replay_pb2.ReplaySeat(
                name=seat.name,
                version=seat.version,
                author=seat.author,
                nonce=acceptance.nonce,
                start_up_us=round(acceptance.start_up * 1e6),
            )
            for seat, acceptance in zip(match.seats, acceptances, strict=True)
        ],
        clock=clock_message(match.clock),
        dice_commitment=commitment(match.dice_seed),
        dice_seed=match.dice_seed,
        entries=game.entries,
        result=game.result(),
    )


class SeatClock:
    """The time that one seat has left."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.bank = clock.bank
        """Seconds left in the bank."""

    def start_move(self) -> float:
        """Add the increment; return the seconds that this move may take."""
        self.bank += self._clock.increment
        return min(self._clock.move_limit, self.bank)

    def end_move(self, seconds: float) -> None:
        """Take the seconds that a move has used from the bank."""
        self.bank = max(0.0, self.bank - seconds)


class _Table:
    """Asks the players of one game, by seat, for their decisions, in turn."""

    def __init__(self, game: Game, players: Mapping[int, SeatPlayer], clock: Clock) -> None:
        self._game = game
        self._players = players
        self._clocks = {seat: SeatClock(clock) for seat in players}
        self._in_play = list(players)
        self._decisions = 0
        self._free_since = monotonic()  # when the last bot's clock stopped

    async def play(self) -> None:
        """Play until the game is over, or only one seat has not faulted. Raises Interrupted."""
        for seat in range(self._game.position.players):
            if seat not in self._players:
                self._game.fault(absence(seat))
        while self._game.run_to_decision() and len(self._in_play) > 1:
            seat = self._game.position.seat
            if seat in self._in_play:
                await self._ask(seat)
            else:
                self._game.choose_for_absent()

    def end(self, over: GameOver) -> None:
        """Tell the seats that have not faulted how the game ended."""
        for seat in self._in_play:
            self._players[seat].end(self._game, over)

    async def _ask(self, seat: int) -> None:
        """Ask a seat for its decision; dismiss it if it faults."""
        self._decisions += 1
        clock, player = self._clocks[seat], self._players[seat]
        time, asked_at = Allowance(clock.start_move(), clock.bank), monotonic()
        waited = player.waiting
        try:
            answer = await player.decide(self._game, self._decisions, time)
        except SeatFault as fault:
            self._free_since = monotonic()
            think = self._free_since - asked_at - (player.waiting - waited)
            think = max(0.0, min(think, time.move))
            request = Asked(self._decisions, time.move, time.bank, think)
            self._dismiss(Fault(seat, fault.code, fault.sentence, fault.received, request))
            return
        clock.end_move(answer.think)
        now = monotonic()
        waited = player.waiting - waited
        overhead = max(0.0, now - self._free_since - answer.think - waited)
        self._free_since = now
        self._game.choose(answer.move, answer.think, overhead, answer.cpu, answer.note)

    def _dismiss(self, fault: Fault) -> None:
        self._in_play.remove(fault.seat)
        self._game.fault(fault)
        self._players[fault.seat].dismiss(self._game, fault)
