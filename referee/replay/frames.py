"""The frames of a recorded game: every moment with its state, ready for a viewer."""

from typing import Any

from referee.faults import FaultCode
from referee.replay.simulation import Step, simulate, start
from referee.replay.trace import forfeit_line
from referee.rules import Position, move_text
from referee.rules.changes import changes
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.trace import Line, result_line, setup_line, state_json
from referee.wire import replay_pb2


def frames(replay: replay_pb2.Replay) -> Line:
    """A document with `setup`, `seats`, `result` and `frames`, all of it JSON.

    The first frame has type `start`, the last `end`; between them stand `roll`, `move` and `fault`.
    Each has the `state` after it and its `changes` against the one before. Forced moves are
    frames of their own. Raises ReplayError.
    """
    position = start(replay)
    shown = _shown(position, replay)
    faults = {frame["seat"]: frame["fault"]["code"] for frame in shown if frame["type"] == "fault"}
    outcome = position.outcome()
    ranks = list(replay.result.ranks)
    return {
        "setup": setup_line(position.layout, position.players, replay.dice_seed.hex() or None),
        "seats": [
            {"name": seat.name, "version": seat.version, "author": seat.author}
            for seat in replay.seats
        ],
        "result": result_line(position, outcome) if outcome else forfeit_line(ranks, faults),
        "ranks": ranks,
        "frames": shown,
    }


def _shown(position: Position, replay: replay_pb2.Replay) -> list[Line]:
    """The frames; the position is the last one then."""
    before = state_json(position)
    shown: list[Line] = [{"type": "start", "changes": [], "state": before}]
    pending: Line | None = None
    for step in simulate(position, replay):
        before = _close(shown, pending, before, state_json(position))
        legal = position.legal_texts()
        pending = _frame(step, position.kind, legal)
    before = _close(shown, pending, before, state_json(position))
    shown.append({"type": "end", "changes": [], "state": before})
    return shown


def _close(shown: list[Line], frame: Line | None, before: Line, after: Line) -> Line:
    """The frame of the last step gets what the step led to."""
    if frame is not None:
        shown.append(frame | {"changes": changes(before, after), "state": after})
    return after


def _frame(step: Step, kind: str, legal: list[str]) -> dict[str, Any]:
    frame: dict[str, Any] = {"type": step.kind.value, "seat": step.seat}
    if step.dice is not None:
        frame["dice"] = dict(zip(PLAIN_GOODS, step.dice, strict=True))
    elif step.move is not None:
        frame |= {"kind": kind, "move": move_text(step.move), "by": step.by, "legal": legal}
        if step.entry is not None:
            frame["think_ms"] = round(step.entry.chosen.think_us / 1000, 1)
    elif step.entry is not None:
        fault = step.entry.fault
        frame["fault"] = {"code": FaultCode(fault.code).word, "sentence": fault.sentence}
    return frame
