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
    """A document with `setup`, `seats`, `dice`, `result` and `frames`, all of it JSON.

    The first frame has type `start`, the last `end`; between them stand `roll`, `move` and `fault`.
    Each has the `state` after it and its `changes` against the one before. Forced moves are
    frames of their own. `dice` and, in a caretaker's moves, `drawn` (which of how many legal moves
    by action number) are what one needs to check the luck. Raises ReplayError.
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
        "dice": _dice(replay),
        "result": result_line(position, outcome) if outcome else forfeit_line(ranks, faults),
        "ranks": ranks,
        "frames": shown,
    }


def _dice(replay: replay_pb2.Replay) -> Line:
    """What the luck of the game comes from; bytes in hex."""
    return {
        "commitment": replay.dice_commitment.hex(),
        "seed": replay.dice_seed.hex(),
        "attempt": replay.attempt,
        "nonces": [seat.nonce.hex() for seat in replay.seats],
    }


def _shown(position: Position, replay: replay_pb2.Replay) -> list[Line]:
    """The frames; the position is the last one then."""
    before = state_json(position)
    shown: list[Line] = [{"type": "start", "changes": [], "state": before}]
    pending: Line | None = None
    for step in simulate(position, replay):
        before = _close(shown, pending, before, state_json(position))
        pending = _frame(step, position)
    before = _close(shown, pending, before, state_json(position))
    shown.append({"type": "end", "changes": [], "state": before})
    return shown


def _close(shown: list[Line], frame: Line | None, before: Line, after: Line) -> Line:
    """The frame of the last step gets what the step led to."""
    if frame is not None:
        shown.append(frame | {"changes": changes(before, after), "state": after})
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
