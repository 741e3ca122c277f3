"""The match runner: plays one match over its seats and returns the replay."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from time import monotonic
from typing import Final

from referee import dice
from referee.clock import Clock, SeatClock
from referee.errors import Interrupted
from referee.faults import Fault, FaultCode, SeatFault
from referee.game import Game, Watcher
from referee.messages import clock_message, setup_message
from referee.results import result_message
from referee.rules import RULES_VERSION, Layout, Move, Position
from referee.seats import Allowance, GameOver, Invitation, SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.wire import replay_pb2

MOST_LAG: Final = 0.05
"""Seconds by which a time-out may come late before it is the platform's trouble, not the bot's."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A bot at a table: where it listens, and who it is."""

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
    dice_seed: bytes
    clock: Clock
    seats: tuple[Seat, ...]


async def play(match: Match, watcher: Watcher | None = None) -> replay_pb2.Replay:
    """Plays a match against the bots at the seats' addresses.

    Raises Unreachable before the first decision, Interrupted where the platform failed.
    """
    return await play_table(match, [RemoteSeat(seat.address) for seat in match.seats], watcher)


async def play_table(
    match: Match, players: Sequence[SeatPlayer], watcher: Watcher | None = None
) -> replay_pb2.Replay:
    """Plays a match with whoever sits at the table, by seat. Raises as `play` does."""
    try:
        nonces = await _invite(match, players)
        luck = dice.Dice(match.dice_seed, match.attempt, nonces)
        game = Game(Position.start(match.layout, len(players)), luck, watcher)
        table = _Table(match, players, game)
        while game.run_to_decision() and table.goes_on:
            await table.decide()
        replay = _replay(match, game, nonces)
        await table.say_goodbye(GameOver(replay.result, match.dice_seed, nonces))
    finally:
        await asyncio.gather(*(player.leave() for player in players))
    return replay


async def _invite(match: Match, players: Sequence[SeatPlayer]) -> tuple[bytes, ...]:
    """The nonces of all seats, when all have accepted the game."""
    invitations = [
        Invitation(
            match.id,
            match.attempt,
            seat,
            len(players),
            match.layout,
            match.clock,
            dice.commitment(match.dice_seed),
        )
        for seat in range(len(players))
    ]
    answers = await asyncio.gather(
        *(player.accept(told) for player, told in zip(players, invitations, strict=True)),
        return_exceptions=True,
    )
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return tuple(answer for answer in answers if isinstance(answer, bytes))


class _Table:
    """Who still plays, on which clocks, and the caretaker for those who do not."""

    def __init__(self, match: Match, players: Sequence[SeatPlayer], game: Game) -> None:
        self.players = players
        self.in_play = list(range(len(players)))
        self._game = game
        self._clocks = [SeatClock(match.clock) for _ in players]
        self._caretaker = Random(sha256(b"caretaker" + match.dice_seed).digest())
        self._decisions = 0
        self._answered_at = monotonic()
        self._dismissals: list[asyncio.Task[None]] = []

    @property
    def goes_on(self) -> bool:
        """The game ends when only one seat has not faulted."""
        return len(self.in_play) > 1

    async def decide(self) -> None:
        """The decision that stands is made, by the seat or by the caretaker."""
        seat = self._game.position.seat
        if seat in self.in_play:
            self._decisions += 1
            try:
                await self._ask(seat)
            except SeatFault as fault:
                self._dismiss(Fault(seat, fault.code, fault.sentence, fault.received))
        else:
            move = self._caretaker.choice(self._game.position.legal_moves)
            self._game.choose(move, by_caretaker=True)

    async def _ask(self, seat: int) -> None:
        clock = self._clocks[seat]
        limit = clock.start_move()
        asked_at = monotonic()
        try:
            move: Move = await self.players[seat].decide(
                self._game, self._decisions, Allowance(limit, clock.bank)
            )
        except TimeoutError:
            raise _time_out(limit, monotonic() - asked_at) from None
        now = monotonic()
        think, overhead = now - asked_at, asked_at - self._answered_at
        self._answered_at = now
        if think > limit + MOST_LAG:
            raise SeatFault(FaultCode.TIMEOUT, _late(limit))
        clock.end_move(think)
        self._game.choose(move, think=think, overhead=overhead)

    def _dismiss(self, fault: Fault) -> None:
        self.in_play.remove(fault.seat)
        self._game.fault(fault)
        dismissal = self.players[fault.seat].dismiss(self._game, fault.message())
        self._dismissals.append(asyncio.create_task(dismissal))  # the others need not wait

    async def say_goodbye(self, over: GameOver) -> None:
        """The seats that still play learn how the game ended."""
        goodbyes = [self.players[seat].end(self._game, over) for seat in self.in_play]
        await asyncio.gather(*goodbyes, *self._dismissals)


def _time_out(limit: float, waited: float) -> Exception:
    if waited > limit + MOST_LAG:
        return Interrupted(f"The referee lagged {waited - limit:.3f} s behind a time-out.")
    return SeatFault(FaultCode.TIMEOUT, _late(limit))


def _late(limit: float) -> str:
    return f"No choice came within the {limit:.3f} s that the move could take."


def _replay(match: Match, game: Game, nonces: tuple[bytes, ...]) -> replay_pb2.Replay:
    return replay_pb2.Replay(
        rules_version=RULES_VERSION,
        match_id=match.id,
        attempt=match.attempt,
        setup=setup_message(match.layout),
        seats=[
            replay_pb2.ReplaySeat(
                name=seat.name, version=seat.version, author=seat.author, nonce=nonce
            )
            for seat, nonce in zip(match.seats, nonces, strict=True)
        ],
        clock=clock_message(match.clock),
        dice_commitment=dice.commitment(match.dice_seed),
        dice_seed=match.dice_seed,
        entries=game.entries,
        result=result_message(game.position, game.faulted),
    )
