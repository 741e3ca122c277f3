"""Explain a fault to the bot's author: the step, the decision, the bytes received, the clock.

Most of it follows from the replay, also from one that was made before faults had such a record.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee.faults import MAX_RECEIVED, FaultCode
from referee.match import SeatClock
from referee.printing import escaped
from referee.replay import StepKind, clock_of, file_name, simulate, start
from referee.rules import Position
from referee.rules.trace import is_asked
from referee.wire import bot_pb2, game_pb2, replay_pb2

_MOST_UNKNOWN: Final = 5
"""Unknown fields that are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultReport:
    """A fault. Without a decision of the seat's own there is neither decision nor clock: None."""

    seat: int
    """Counts from 0."""
    code: str
    sentence: str
    step: int
    """How many steps were taken before: `santiago show FILE --at STEP` draws the position."""
    turn: int
    """The number of the turn, from 1; 0 before the first."""
    decision_id: int | None = None
    kind: str | None = None
    """The kind of the decision, such as `visit`."""
    legal: tuple[str, ...] = ()
    """The legal moves, in the order in which the bot got them."""
    time_left_ms: int | None = None
    """The time that the bot had for the decision when it was asked."""
    bank_left_ms: int | None = None
    """The rest of its bank then."""
    think_ms: float | None
    """How long it had taken when it faulted; None if an older referee did not record it."""
    received: str
    """The bytes that came, in words such as `choice{decision_id: 7, index: 80}`."""
    received_hex: str
    """The first of these bytes."""


def debug_line(match_id: int, seat: int) -> str:
    """Return the command that explains a fault, to be run beside the downloaded replay."""
    return f"santiago replay debug {file_name(match_id)} --seat {seat}"


def fault_reports(replay: replay_pb2.Replay) -> tuple[FaultReport, ...]:
    """Return the report of each fault in a replay, in order. Raises ReplayError."""
    faults = sum(entry.HasField("fault") for entry in replay.entries)
    return tuple(islice(_reports(replay), faults))


def _reports(replay: replay_pb2.Replay) -> Iterator[FaultReport]:
    position = start(replay)
    clocks = [SeatClock(clock_of(replay)) for _ in replay.seats]
    decisions = 0
    for number, step in enumerate(simulate(position, replay)):
        if step.entry is None or step.kind is StepKind.ROLL:
            continue
        fault = step.entry.fault if step.kind is StepKind.FAULT else None
        if fault is not None:
            question = {}
            if is_asked(position, step.seat):
                decisions += 1
                question = _asked(position, clocks[step.seat], decisions)
            yield _report(fault, number, position.turn, question)
        elif step.by == "bot":
            decisions += 1
            clocks[step.seat].start_move()
            clocks[step.seat].end_move(step.entry.chosen.think_us / 1e6)


def _asked(position: Position, clock: SeatClock, decision_id: int) -> dict[str, Any]:
    time_left = clock.start_move()
    return {
        "decision_id": decision_id,
        "kind": position.kind,
        "legal": tuple(position.legal_texts()),
        "time_left_ms": int(1000 * time_left),
        "bank_left_ms": int(1000 * clock.bank),
    }


def _report(fault: game_pb2.Fault, step: int, turn: int, question: dict[str, Any]) -> FaultReport:
    code = FaultCode(fault.code)
    return FaultReport(
        seat=fault.seat,
        code=code.word,
        sentence=escaped(fault.sentence),
        step=step,
        turn=turn,
        think_ms=round(fault.think_us / 1000, 1) if fault.decision_id else None,
        received=in_words(code, fault.received, fault.received_length),
        received_hex=fault.received.hex(" "),
        **question,
    )


def in_words(code: FaultCode, received: bytes, length: int = 0) -> str:
    """Return a stranger's bytes in words: one printable line, empty if nothing was received.

    `length` is that of the message before it was cut; 0 if it is not known.
    """
    if not received:
        return ""
    if code is FaultCode.CLOSED:  # the words with which the bot ended the stream
        return readable(received)
    if len(received) < MAX_RECEIVED or length == MAX_RECEIVED:
        return _message_in_words(received)
    size = f"{length} bytes" if length else f"{MAX_RECEIVED} bytes or more"
    return f"a message of {size}, of which the first {MAX_RECEIVED} are recorded"


def readable(received: bytes) -> str:
    """Return a stranger's bytes as text, unprintable ones escaped as \\x and their number."""
    return escaped(received.decode(errors="backslashreplace"))


def _message_in_words(received: bytes) -> str:
    try:
        message = bot_pb2.PlayResponse.FromString(received)
    except DecodeError:
        return f"{len(received)} bytes that are not a PlayResponse"
    return ", ".join(_fields(message)) or "an empty PlayResponse"


def _fields(message: Message) -> Iterator[str]:
    """Yield each field in words: numbers always, since 0 is not on the wire; of bytes how many."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if message.HasField(field.name):
                yield f"{field.name}{{{', '.join(_fields(value))}}}"
        elif field.type == FieldDescriptor.TYPE_BYTES:
            if value:
                yield f"{field.name}: {len(value)} bytes"
        else:
            yield f"{field.name}: {value}"
    others: Any = UnknownFieldSet(message)  # its stubs do not say that it can be iterated
    unknown = sorted({field.field_number for field in others})
    yield from (f"unknown field {number}" for number in unknown[:_MOST_UNKNOWN])
    if len(unknown) > _MOST_UNKNOWN:
        yield f"{len(unknown) - _MOST_UNKNOWN} more unknown fields"
