"""Reads, writes and verifies replays, plays them again, and shows them as frames or as a trace.

A file `*.santiago` is a magic number, one byte of format version, and the compressed message.
"""

import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import DecodeError

from referee import game, messages
from referee.clock import Clock
from referee.errors import ReplayError
from referee.faults import FaultCode
from referee.messages import dice_of, goods_message, layout_of, setup_message
from referee.notes import note_json
from referee.rules import RULES_VERSION, Move, Position, RulesError, move_text, trace as lines
from referee.rules.cells import TRIBUTE
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.trace import Line
from referee.wire import game_pb2, replay_pb2

MAGIC: Final = b"SANTIAGO"
FORMAT_VERSION: Final = 1
_MOST_BYTES: Final = 16 * 1024 * 1024
"""The longest message that is unpacked: a game of 300 turns has about 100 KB."""
_FAULT_CODES: Final = {code.value for code in FaultCode}
_CHOOSERS: Final = {game_pb2.MADE_BY_BOT: "bot", game_pb2.MADE_BY_CARETAKER: "caretaker"}


def file_name(match_id: int) -> str:
    """Return the name of a match's replay file, wherever it is downloaded."""
    return f"match-{match_id}.santiago"


def write(replay: replay_pb2.Replay) -> bytes:
    """Return the bytes of a replay file."""
    packed = zlib.compress(replay.SerializeToString(deterministic=True), level=9)
    return MAGIC + bytes([FORMAT_VERSION]) + packed


def file_bytes(file: Path) -> bytes:
    """Return the bytes of a replay file for `read`: no more than one can have. Raises OSError."""
    with file.open("rb") as opened:
        try:
            return opened.read(2 * _MOST_BYTES)
        except OSError as error:  # it names no file
            raise OSError(error.errno, error.strerror, str(file)) from None


def read(data: bytes) -> replay_pb2.Replay:
    """Return the replay in a file's bytes. Raises ReplayError; `verify` checks the game itself."""
    if data.startswith(b"{"):
        raise ReplayError(
            "This is not a replay, but JSON: `santiago replay check-trace` checks a trace."
        )
    if not data.startswith(MAGIC) or len(data) <= len(MAGIC):
        raise ReplayError("This is not a replay: the file does not begin with SANTIAGO.")
    version = data[len(MAGIC)]
    if version != FORMAT_VERSION:
        raise ReplayError(
            f"The replay has format version {version}; this program reads {FORMAT_VERSION}."
        )
    unpacker = zlib.decompressobj()
    try:
        message = unpacker.decompress(data[len(MAGIC) + 1 :], _MOST_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise ReplayError("The replay is cut short, too large, or has bytes after its end.")
        replay = replay_pb2.Replay.FromString(message)
    except (zlib.error, DecodeError) as error:
        raise ReplayError(f"The replay is damaged: {error}.") from None
    for number, seat in enumerate(replay.seats):
        if not (seat.name + seat.version + seat.author).isprintable():
            raise ReplayError(f"The names at seat {number} of the replay can't be printed.")
    return replay


class StepKind(Enum):
    """The kind of a step in a recorded game."""

    ROLL = "roll"
    MOVE = "move"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Step:
    """One step that is about to be taken in the position of the simulation."""

    kind: StepKind
    seat: int
    entry: replay_pb2.Entry | None = None
    """The replay's entry; None for a move that was the only legal one."""
    move: Move | None = None
    dice: tuple[int, ...] | None = None

    @property
    def by(self) -> str:
        """The maker of the move: `bot`, `caretaker`, or `forced` if there was only one."""
        return "forced" if self.entry is None else _CHOOSERS[self.entry.chosen.by]


def start(replay: replay_pb2.Replay) -> Position:
    """Return the position in which the recorded game began. Raises ReplayError."""
    if replay.rules_version != RULES_VERSION:
        raise ReplayError(
            f"The game was played by rules version {replay.rules_version}; "
            f"this program knows version {RULES_VERSION}."
        )
    try:
        layout = layout_of(replay.setup)
        position = Position.start(layout, len(replay.seats))
    except RulesError as error:
        raise ReplayError(f"The setup of the replay is wrong: {error}") from None
    if replay.setup != setup_message(layout):
        raise ReplayError("The setup of the replay is wrong: its flowers are not the board's.")
    return position


def clock_of(replay: replay_pb2.Replay) -> Clock:
    """Return the clock of a recorded game. Raises ReplayError."""
    try:
        return messages.clock_of(replay.clock)
    except ValueError as error:
        raise ReplayError(f"The clock of the replay is wrong: {error}") from None


def simulate(position: Position, replay: replay_pb2.Replay) -> Iterator[Step]:
    """Yield each step, then take it in `position` (from `start`) when asked for the next.

    Raises ReplayError at the first entry that the rules do not allow.
    """
    has_begun = False
    for number, entry in enumerate(replay.entries, 1):
        yield from _forced(position)
        with _entry(number):
            step = _step(position, entry, has_begun=has_begun)
        has_begun = has_begun or not is_absence(entry)
        yield step
        with _entry(number):
            if step.dice is not None:
                position.roll(step.dice)
            elif step.move is not None:
                position.step(step.move)
    yield from _forced(position)


def _wrong_entry(number: int, why: str) -> ReplayError:
    return ReplayError(f"Entry {number} of the replay is wrong: {why}")


@contextmanager
def _entry(number: int) -> Iterator[None]:
    try:
        yield
    except (RulesError, ReplayError) as error:
        raise _wrong_entry(number, str(error)) from None


def _forced(position: Position) -> Iterator[Step]:
    while len(position.legal_moves) == 1:
        move = position.legal_moves[0]
        yield Step(StepKind.MOVE, position.seat, move=move)
        position.step(move)


def is_absence(entry: replay_pb2.Entry) -> bool:
    """Return True if an entry says that a seat was empty from the start."""
    return entry.HasField("fault") and entry.fault.code == FaultCode.ABSENT.value


def _step(position: Position, entry: replay_pb2.Entry, *, has_begun: bool) -> Step:
    if entry.HasField("roll"):
        roll = entry.roll
        _check_seat(position, roll.seat, "rolls")
        return Step(StepKind.ROLL, roll.seat, entry, dice=dice_of(roll.dice))
    if entry.HasField("chosen"):
        chosen = entry.chosen
        _check_seat(position, chosen.seat, "chooses")
        if chosen.action not in position.legal_moves:
            raise ReplayError(f"'{move_text(chosen.action)}' is not legal there.")
        if chosen.by not in _CHOOSERS:
            raise ReplayError("it says neither the bot nor the caretaker made the move.")
        return Step(StepKind.MOVE, chosen.seat, entry, move=chosen.action)
    if entry.HasField("fault"):
        fault = entry.fault
        if not is_absence(entry):
            _check_seat(position, fault.seat, "faults")
        elif has_begun or fault.seat >= position.players:
            raise ReplayError(
                f"seat {fault.seat} can't be absent: bots are absent from the start of a game, and "
                "have a seat."
            )
        if fault.code not in _FAULT_CODES:
            raise ReplayError(f"a fault of code {fault.code} does not exist.")
        return Step(StepKind.FAULT, fault.seat, entry)
    raise ReplayError("it says nothing.")


def _check_seat(position: Position, seat: int, does: str) -> None:
    if position.is_over:
        raise ReplayError(f"the game was over before seat {seat} {does}.")
    if seat != position.seat:
        raise ReplayError(f"seat {seat} {does}, but seat {position.seat} is due.")


def tributes(replay: replay_pb2.Replay) -> tuple[tuple[int, int, int], ...]:
    """Count the gifts to El Zorro's visitors: (taker's seat, giver's seat, number of gifts).

    A giver who has only one kind of thing has no choice: such gifts are not in the replay, and only
    playing it again shows them. Raises ReplayError.
    """
    given: Counter[tuple[int, int]] = Counter()
    position = start(replay)
    for step in simulate(position, replay):
        if step.kind is StepKind.MOVE and position.phase == TRIBUTE:
            given[position.active, step.seat] += 1
    return tuple((taker, giver, number) for (taker, giver), number in sorted(given.items()))


def verify(replay: replay_pb2.Replay) -> None:
    """Play a recorded game again. Raises ReplayError, which names the first thing that is wrong."""
    position = start(replay)
    luck = _luck(replay)
    faulted: list[int] = []
    number = 0
    for step in simulate(position, replay):
        if step.entry is None:
            continue
        number += 1
        if len(faulted) >= position.players - 1 and not replay.plays_on:
            raise _wrong_entry(number, "the game had ended, since only one seat had not faulted.")
        wrong = _wrong(position, step, luck, faulted)
        if wrong:
            raise _wrong_entry(number, wrong)
    if not position.is_over and len(faulted) < position.players - 1:
        raise ReplayError(f"The replay ends after entry {number}, before the game is over.")
    absent = sum(map(is_absence, replay.entries))
    if replay.result != game.result_message(position, faulted, absent=absent):
        raise ReplayError("The result of the replay is not the one that the game comes to.")


def _luck(replay: replay_pb2.Replay) -> game.Luck:
    if game.commitment(replay.dice_seed) != replay.dice_commitment:
        raise ReplayError("The dice seed is not the one that was committed to before the game.")
    if len(replay.dice_seed) != game.SEED_BYTES:
        raise ReplayError(f"The dice seed does not have {game.SEED_BYTES} bytes.")
    nonces = [seat.nonce for seat in replay.seats]
    if max(map(len, nonces)) > game.MAX_NONCE_BYTES:
        raise ReplayError(f"A nonce is longer than {game.MAX_NONCE_BYTES} bytes.")
    return game.Luck(replay.dice_seed, replay.attempt, nonces)


def _wrong(position: Position, step: Step, luck: game.Luck, faulted: list[int]) -> str:
    """Return what is wrong with a recorded step, or "". Adds a seat that faults to `faulted`."""
    if step.move is not None:
        return _wrong_move(position, step, luck, absent=step.seat in faulted)
    if step.dice is not None:
        fair = luck.roll()
        if step.entry is not None and step.entry.roll.dice == goods_message(fair):
            return ""
        return f"the dice were {step.dice}; the seed gives {fair}."
    if step.seat in faulted:
        return f"seat {step.seat} had faulted before."
    faulted.append(step.seat)
    return ""


def _wrong_move(position: Position, step: Step, luck: game.Luck, *, absent: bool) -> str:
    by = "caretaker" if absent else "bot"
    if step.by != by:
        return f"the move was made by the {step.by}, but the {by} played that seat."
    if absent:
        due = luck.choose(position.legal_moves)
        if step.move != due:
            return f"the caretaker's move was to be '{move_text(due)}'."
    return ""


def frames(replay: replay_pb2.Replay) -> Line:
    """Return a JSON document with `setup`, `seats`, `dice`, `result` and `frames`.

    The first frame has type `start`, the last `end`; between them stand `roll`, `move` and `fault`.
    Each has the `state` after it and its `changes` since the frame before. Forced moves are frames
    of their own. A fault has the `kind` and `legal` moves of the decision that was open, if the
    seat's own was. `dice` and, in a caretaker's moves, `drawn` (index and number of legal moves, in
    the order of their actions) suffice to check the luck. Raises ReplayError.
    """
    position = start(replay)
    shown = _shown(position, replay)
    faults = {frame["seat"]: frame["fault"]["code"] for frame in shown if frame["type"] == "fault"}
    return {
        "setup": _setup(position, replay),
        "seats": _seats(replay),
        "dice": {  # all that the luck of the game comes from
            "commitment": replay.dice_commitment.hex(),
            "seed": replay.dice_seed.hex(),
            "attempt": replay.attempt,
            "nonces": [seat.nonce.hex() for seat in replay.seats],
        },
        "result": _last_line(position, replay, faults),
        "ranks": list(replay.result.ranks),
        "frames": shown,
    }


def ending(replay: replay_pb2.Replay) -> Line:
    """Return `setup`, `seats`, and of the `frames` the last one, quickly. Raises ReplayError."""
    position = start(replay)
    for _ in simulate(position, replay):
        pass
    last = {"type": "end", "changes": [], "state": lines.state_json(position)}
    return {"setup": _setup(position, replay), "seats": _seats(replay), "frames": [last]}


def _seats(replay: replay_pb2.Replay) -> list[dict[str, str]]:
    return [
        {"name": seat.name, "version": seat.version, "author": seat.author} for seat in replay.seats
    ]


def _setup(position: Position, replay: replay_pb2.Replay) -> Line:
    return lines.setup_line(position.layout, position.players, replay.dice_seed.hex() or None)


def _shown(position: Position, replay: replay_pb2.Replay) -> list[Line]:
    """Return the frames; afterwards `position` is the last one."""
    shown: list[Line] = [{"type": "start", "changes": [], "state": lines.state_json(position)}]
    for step in simulate(position, replay):
        _close(shown, position)
        shown.append(_frame(step, position))
    _close(shown, position)
    shown.append({"type": "end", "changes": [], "state": shown[-1]["state"]})
    return shown


def _close(shown: list[Line], position: Position) -> None:
    """Add to the newest frame the state that its step led to, and what changed."""
    newest = shown[-1]
    if "state" not in newest:
        after = lines.state_json(position)
        newest |= {"changes": lines.changes(shown[-2]["state"], after), "state": after}


def _frame(step: Step, position: Position) -> dict[str, Any]:
    frame: dict[str, Any] = {"type": step.kind.value, "seat": step.seat}
    if step.dice is not None:
        frame["dice"] = dict(zip(PLAIN_GOODS, step.dice, strict=True))
    elif step.move is not None:
        frame |= {"kind": position.kind, "move": move_text(step.move), "by": step.by}
        frame["legal"] = position.legal_texts()
        if step.by == "caretaker":
            legal = sorted(position.legal_moves)
            frame["drawn"] = [legal.index(step.move), len(legal)]
        if step.entry is not None:
            frame["think_ms"] = round(step.entry.chosen.think_us / 1000, 1)
            if step.entry.chosen.cpu_us:  # measured, as of hosted bots
                frame["cpu_ms"] = round(step.entry.chosen.cpu_us / 1000, 1)
            if step.entry.chosen.HasField("note"):
                frame["note"] = note_json(step.entry.chosen.note)
    elif step.entry is not None:
        fault = step.entry.fault
        frame["fault"] = {"code": FaultCode(fault.code).word, "sentence": fault.sentence}
        if lines.is_asked(position, step.seat):
            frame |= {"kind": position.kind, "legal": position.legal_texts()}
    return frame


def trace(replay: replay_pb2.Replay) -> Iterator[Line]:
    """Yield the lines of the trace. Raises ReplayError at the first entry that is wrong."""
    position = start(replay)
    faults: dict[int, str] = {}
    yield _setup(position, replay)
    for step in simulate(position, replay):
        if step.kind is StepKind.FAULT and step.entry is not None:
            code = faults[step.seat] = FaultCode(step.entry.fault.code).word
            yield lines.fault_line(position, step.seat, code)
        elif step.dice is not None:
            yield lines.roll_line(step.seat, step.dice)
        elif step.move is not None and step.entry is not None:
            yield lines.decision_line(position, step.move)
    yield _last_line(position, replay, faults)


def _last_line(position: Position, replay: replay_pb2.Replay, faults: dict[int, str]) -> Line:
    """Return the result, or the ranks of a game in which at most one seat had not faulted."""
    if (outcome := position.outcome()) is not None:
        return lines.result_line(position, outcome)
    ranks = [
        {"seat": seat, "rank": rank, "fault": faults.get(seat)}
        for seat, rank in enumerate(replay.result.ranks)
    ]
    return {"type": "forfeit", "ranks": ranks}
