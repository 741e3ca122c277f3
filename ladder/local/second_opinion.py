"""Ask a bot again for each decision of one seat in a recorded game."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from referee.clock import Clock
from referee.errors import ReplayError
from referee.faults import Fault, FaultCode
from referee.game import Game, Luck
from referee.match import SeatClock
from referee.replay import start, verify
from referee.rules import Layout, Move
from referee.seats.player import Allowance, GameOver, Invitation, SeatPlayer
from referee.wire import game_pb2, replay_pb2


@dataclass(frozen=True, slots=True)
class Opinion:
    """One decision, as it was made and as the bot would have made it."""

    step: int
    """The number of earlier steps of the game: rolls, moves (forced ones too) and faults."""
    turn: int
    """The number of the turn, from 1; 0 before the first."""
    kind: str
    """The kind of decision, such as `visit`."""
    recorded: Move
    by_caretaker: bool
    """True if the seat had faulted before: then the recorded move is random."""
    chosen: Move
    legal: int
    """The number of legal moves."""
    think: float
    """Its thinking time in seconds."""


async def opinions(
    record: replay_pb2.Replay, seat: int, player: SeatPlayer
) -> AsyncGenerator[Opinion, None]:
    """Take the player through a recorded game, and ask it for each decision of a seat.

    It has as much time as the seat had then; after the seat's fault, as much as for a first move.
    Whatever it answers, the game goes on as recorded. Raises ReplayError, Unreachable, and
    SeatFault if the player does not choose; it can't be used again after that.
    """
    verify(record)
    position = start(record)
    nonces = tuple(sitting.nonce for sitting in record.seats)
    game = Game(position, Luck(record.dice_seed, record.attempt, nonces))
    clock = _clock(record.clock)
    seat_clock = SeatClock(clock)
    try:
        await player.accept(_invitation(record, seat, position.layout, clock))
        number = 0
        for entry in record.entries:
            game.run_to_decision()
            if entry.HasField("fault"):
                game.fault(_fault(entry.fault))
            elif entry.HasField("chosen"):
                chosen = entry.chosen
                if chosen.seat == seat:
                    number += 1
                    by_bot = chosen.by == game_pb2.MADE_BY_BOT
                    limits = seat_clock if by_bot else SeatClock(clock)
                    time = Allowance(limits.start_move(), limits.bank)
                    yield await _opinion(game, player, number, time, chosen)
                    limits.end_move(chosen.think_us / 1e6)
                _go_on(game, chosen)
        player.end(game, GameOver(record.result, record.dice_seed, nonces))
    finally:
        await player.leave()


async def _opinion(
    game: Game, player: SeatPlayer, number: int, time: Allowance, recorded: replay_pb2.Chosen
) -> Opinion:
    position = game.position
    step, turn, kind = len(game.events), position.turn, position.kind
    legal = len(position.legal_moves)
    answer = await player.decide(game, number, time)
    by_caretaker = recorded.by == game_pb2.MADE_BY_CARETAKER
    return Opinion(
        step, turn, kind, recorded.action, by_caretaker, answer.move, legal, answer.think
    )


def _go_on(game: Game, chosen: replay_pb2.Chosen) -> None:
    if chosen.by == game_pb2.MADE_BY_BOT:
        game.choose(chosen.action)
    else:
        game.choose_for_absent()  # by the seed, and so the recorded move


def _invitation(record: replay_pb2.Replay, seat: int, layout: Layout, clock: Clock) -> Invitation:
    if not 0 <= seat < len(record.seats):
        raise ReplayError(f"There is no seat {seat}: the seats are 0 to {len(record.seats) - 1}.")
    return Invitation(
        match_id=record.match_id,
        attempt=record.attempt,
        seat=seat,
        players=len(record.seats),
        layout=layout,
        clock=clock,
        dice_commitment=record.dice_commitment,
    )


def _clock(message: game_pb2.Clock) -> Clock:
    try:
        return Clock(
            move_limit=message.move_limit_ms / 1000,
            bank=message.bank_ms / 1000,
            increment=message.increment_ms / 1000,
            start_up=message.start_up_ms / 1000 or Clock().start_up,  # 0: not recorded
        )
    except ValueError as error:
        raise ReplayError(f"The clock of the replay is wrong: {error}") from None


def _fault(message: game_pb2.Fault) -> Fault:
    return Fault(message.seat, FaultCode(message.code), message.sentence, message.received)
