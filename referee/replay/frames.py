"""Shows a recorded game: as frames for a viewer, or as a trace (docs/notation.md)."""

from collections.abc import Iterable, Iterator
from typing import Any

from referee.faults import FaultCode
from referee.replay.simulation import Step, StepKind, simulate, start
from referee.rules import Position, move_text
from referee.rules import trace as lines
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.trace import Line
from referee.wire import replay_pb2


def frames(replay: replay_pb2.Replay) -> Line:
    """Return a JSON document with `setup`, `seats`, `dice`, `result` and `frames`.

    The first frame has type `start`, the last `end`; between them stand `roll`, `move` and `fault`.
    Each has the `state` after it and its `changes` since the frame before. Forced moves are frames
    of their own. `dice` and, in a caretaker's moves, `drawn` (index and number of legal moves, in
    the order of their actions) suffice to check the luck. Raises ReplayError.
    """
    position = start(replay)
    shown = _shown(position, replay)
    faults = {frame["seat"]: frame["fault"]["code"] for frame in shown if frame["type"] == "fault"}
    outcome = position.outcome()
    ranks = list(replay.result.ranks)
    return {
        "setup": _setup(position, replay),
        "seats": [
            {"name": seat.name, "version": seat.version, "author": seat.author}
            for seat in replay.seats
        ],
        "dice": _dice(replay),
        "result": lines.result_line(position, outcome) if outcome else forfeit_line(ranks, faults),
        "ranks": ranks,
        "frames": shown,
    }


def _setup(position: Position, replay: replay_pb2.Replay) -> Line:
    return lines.setup_line(position.layout, position.players, replay.dice_seed.hex() or None)


def _dice(replay: replay_pb2.Replay) -> Line:
    """Return everything that the luck of the game comes from; bytes in hex."""
    return {
        "commitment": replay.dice_commitment.hex(),
        "seed": replay.dice_seed.hex(),
        "attempt": replay.attempt,
        "nonces": [seat.nonce.hex() for seat in replay.seats],
    }


def _shown(position: Position, replay: replay_pb2.Replay) -> list[Line]:
    """Return the frames; afterwards `position` is the last one."""
    before = lines.state_json(position)
    shown: list[Line] = [{"type": "start", "changes": [], "state": before}]
    pending: Line | None = None
    for step in simulate(position, replay):
        before = _close(shown, pending, before, lines.state_json(position))
        pending = _frame(step, position)
    before = _close(shown, pending, before, lines.state_json(position))
    shown.append({"type": "end", "changes": [], "state": before})
    return shown


def _close(shown: list[Line], frame: Line | None, before: Line, after: Line) -> Line:
    """Add the frame of the last step with the state that it led to; return that state."""
    if frame is not None:
        shown.append(frame | {"changes": lines.changes(before, after), "state": after})
    return after


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
    elif step.entry is not None:
        fault = step.entry.fault
        frame["fault"] = {"code": FaultCode(fault.code).word, "sentence": fault.sentence}
    return frame


def trace(replay: replay_pb2.Replay) -> Iterator[Line]:
    """Yield the lines of the trace. Raises ReplayError at the first entry that is wrong."""
    position = start(replay)
    faults: dict[int, str] = {}
    yield _setup(position, replay)
    for step in simulate(position, replay):
        if step.kind is StepKind.FAULT and step.entry is not None:
            faults[step.seat] = FaultCode(step.entry.fault.code).word
        elif step.dice is not None:
            yield lines.roll_line(step.seat, step.dice)
        elif step.move is not None and step.entry is not None:
            yield lines.decision_line(position, step.move)
    outcome = position.outcome()
    if outcome is None:
        yield forfeit_line(replay.result.ranks, faults)
    else:
        yield lines.result_line(position, outcome)


def forfeit_line(ranks: Iterable[int], faults: dict[int, str]) -> Line:
    """Return the last line of a game that ended because at most one seat had not faulted."""
    return {
        "type": "forfeit",
        "ranks": [
            {"seat": seat, "rank": rank, "fault": faults.get(seat)}
            for seat, rank in enumerate(ranks)
        ],
    }
