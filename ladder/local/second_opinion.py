"""Ask a bot again for each decision of one seat in a recorded game."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from referee.clock import Clock
from referee.errors import ReplayError
from referee.faults import Fault, FaultCode
from referee.game import Game, Luck
from referee.match import SeatClock
from referee.replay import clock_of, start, verify
from referee.rules import Layout, Move, Position
from referee.rules.trace import is_asked
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
    recorded: Move | None
    """None if the seat faulted here."""
    fault: str | None
    """The code of its fault, if it faulted here."""
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

    That includes the decision at which the seat faulted. It has as much time as the seat had then;
    after the seat's fault, as much as for a first move. Whatever it answers, the game goes on as
    recorded. Raises ReplayError, Unreachable, and SeatFault if the player does not choose; it can't
    be used again after that.
    """
    verify(record)
    position = start(record)
    nonces = tuple(sitting.nonce for sitting in record.seats)
    game = Game(position, Luck(record.dice_seed, record.attempt, nonces))
    clock = clock_of(record)
    seat_clock = SeatClock(clock)
    try:
        await player.accept(_invitation(record, seat, position.layout, clock))
        number, last = 0, -1
        for entry in record.entries:
            if entry.fault.code != game_pb2.FAULT_CODE_ABSENT:  # that comes before the first roll
                game.run_to_decision()
            place = len(game.events) - len(game.faults)  # the same for a fault and what follows
            if place != last and _is_decision(entry, game.position, seat):
                number, last = number + 1, place
                limits = SeatClock(clock) if _is_caretakers(entry) else seat_clock
                time = Allowance(limits.start_move(), limits.bank)
                yield await _opinion(game, player, number, time, entry)
                limits.end_move(entry.chosen.think_us / 1e6)
            _go_on(game, entry)
        player.end(game, GameOver(record.result, record.dice_seed, nonces))
    finally:
        await player.leave()


def _is_decision(entry: replay_pb2.Entry, position: Position, seat: int) -> bool:
    """Return True if the seat was asked there: it chose, or faulted."""
    if entry.HasField("fault"):
        return entry.fault.seat == seat and is_asked(position, seat)
    return entry.HasField("chosen") and entry.chosen.seat == seat


def _is_caretakers(entry: replay_pb2.Entry) -> bool:
    return entry.chosen.by == game_pb2.MADE_BY_CARETAKER


async def _opinion(
    game: Game, player: SeatPlayer, number: int, time: Allowance, entry: replay_pb2.Entry
) -> Opinion:
    position, faulted = game.position, entry.HasField("fault")
    step, turn, kind = len(game.events), position.turn, position.kind
    legal = len(position.legal_moves)
    answer = await player.decide(game, number, time)
    return Opinion(
        step=step,
        turn=turn,
        kind=kind,
        recorded=None if faulted else entry.chosen.action,
        fault=FaultCode(entry.fault.code).word if faulted else None,
        by_caretaker=_is_caretakers(entry),
        chosen=answer.move,
        legal=legal,
        think=answer.think,
    )


def _go_on(game: Game, entry: replay_pb2.Entry) -> None:
    if entry.HasField("fault"):
        game.fault(Fault.of(entry.fault))
    elif not entry.HasField("chosen"):
        return
    elif _is_caretakers(entry):
        game.choose_for_absent()  # by the seed, and so the recorded move
    else:
        game.choose(entry.chosen.action)


def no_seat(record: replay_pb2.Replay, seat: int) -> ReplayError:
    """Return the error for a seat that a game does not have."""
    return ReplayError(f"There is no seat {seat}: the seats are 0 to {len(record.seats) - 1}.")


def _invitation(record: replay_pb2.Replay, seat: int, layout: Layout, clock: Clock) -> Invitation:
    if not 0 <= seat < len(record.seats):
        raise no_seat(record, seat)
    return Invitation(
        match_id=record.match_id,
        attempt=record.attempt,
        seat=seat,
        players=len(record.seats),
        layout=layout,
        clock=clock,
        dice_commitment=record.dice_commitment,
    )
