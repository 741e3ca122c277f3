"""Plays a recorded game again, step by step, by the rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from referee.errors import ReplayError
from referee.messages import dice_of, layout_of
from referee.rules import RULES_VERSION, Move, Position, RulesError, move_text
from referee.wire import game_pb2, replay_pb2


class StepKind(Enum):
    """What a step of a game is."""

    ROLL = "roll"
    MOVE = "move"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Step:
    """One step that is about to be taken in the position of the simulation."""

    kind: StepKind
    seat: int
    entry: replay_pb2.Entry | None = None
    """What the replay says; None for a move that was the only legal one."""
    move: Move | None = None
    dice: tuple[int, ...] | None = None

    @property
    def by(self) -> str:
        """Who made the move: `bot`, `caretaker`, or `forced` where there was only one."""
        if self.entry is None:
            return "forced"
        made_by_bot = self.entry.chosen.by == game_pb2.MADE_BY_BOT
        return "bot" if made_by_bot else "caretaker"


def start(replay: replay_pb2.Replay) -> Position:
    """The position in which the recorded game began. Raises ReplayError."""
    if replay.rules_version != RULES_VERSION:
        raise ReplayError(
            f"The game was played by rules version {replay.rules_version}; "
            f"this program knows version {RULES_VERSION}."
        )
    try:
        return Position.start(layout_of(replay.setup), len(replay.seats))
    except RulesError as error:
        raise ReplayError(f"The setup of the replay is wrong: {error}") from None


def simulate(position: Position, replay: replay_pb2.Replay) -> Iterator[Step]:
    """Yields each step, then takes it in `position` (from `start`) when asked for the next.

    Raises ReplayError at the first entry that the rules do not allow.
    """
    for number, entry in enumerate(replay.entries, 1):
        yield from _forced(position)
        try:
            step = _step(position, entry)
        except (RulesError, ReplayError) as error:
            raise ReplayError(f"Entry {number} of the replay is wrong: {error}") from None
        yield step
        try:
            take(position, step)
        except RulesError as error:
            raise ReplayError(f"Entry {number} of the replay is wrong: {error}") from None
    yield from _forced(position)


def take(position: Position, step: Step) -> None:
    """Takes a step in a position. Raises InvalidRoll for impossible dice."""
    if step.dice is not None:
        position.roll(step.dice)
    elif step.move is not None:
        position.step(step.move)


def _forced(position: Position) -> Iterator[Step]:
    while len(position.legal_moves) == 1:
        move = position.legal_moves[0]
        yield Step(StepKind.MOVE, position.seat, move=move)
        position.step(move)


def _step(position: Position, entry: replay_pb2.Entry) -> Step:
    what = entry.WhichOneof("what")
    if what == "roll":
        _check_seat(position, entry.roll.seat, "rolls")
        return Step(StepKind.ROLL, entry.roll.seat, entry, dice=dice_of(entry.roll.dice))
    if what == "chosen":
        chosen = entry.chosen
        _check_seat(position, chosen.seat, "chooses")
        if chosen.action not in position.legal_moves:
            raise ReplayError(f"'{move_text(chosen.action)}' is not legal there.")
        return Step(StepKind.MOVE, chosen.seat, entry, move=chosen.action)
    if what == "fault":
        if entry.fault.seat >= position.players:
            raise ReplayError(f"seat {entry.fault.seat} does not exist.")
        return Step(StepKind.FAULT, entry.fault.seat, entry)
    raise ReplayError("it says nothing.")


def _check_seat(position: Position, seat: int, does: str) -> None:
    if position.is_over:
        raise ReplayError(f"the game was over before seat {seat} {does}.")
    if seat != position.seat:
        raise ReplayError(f"seat {seat} {does} where it is for seat {position.seat}.")
