"""The lines of JSON that a program reads: those of the trace, with what a seat needs in addition.

docs/lines.md explains them, docs/notation.md the trace.
"""

from collections.abc import Sequence
from typing import Any

from referee.bot import Decision
from referee.messages import clock_of, dice_of, layout_of
from referee.rules import Position, pieces
from referee.rules.trace import roll_line, setup_line, state_json
from referee.wire import bot_pb2, game_pb2

Line = dict[str, Any]


def start_line(start: bot_pb2.GameStart) -> Line:
    """Return the first line: the setup of the trace, the seat, the match and the clock."""
    line = setup_line(layout_of(start.setup), start.players)
    del line["seed"]
    clock = clock_of(start.clock)
    return {
        **line,
        "seat": start.seat,
        "match": start.match_id,
        "clock": {"move": clock.move_limit, "bank": clock.bank, "increment": clock.increment},
        "resumed": start.resumed,
    }


def decision_line(decision: Decision, events: Sequence[Line]) -> Line:
    """Return the line of a decision; `events` are those since the last one."""
    position = decision.position
    return {
        "type": "decision",
        "seat": decision.seat,
        "kind": position.kind,
        "legal": position.legal_texts(),
        **_asked_about(position),
        "time_left": decision.time_left,
        "bank_left": decision.bank_left,
        "state": state_json(position),
        "events": list(events),
    }


def _asked_about(position: Position) -> Line:
    """Return what some decisions add to the state: dice, the building in use, the round."""
    if position.dice is not None:
        return {"dice": dict(zip(pieces.PLAIN_GOODS, position.dice, strict=True))}
    if position.building is not None:
        return {"building": pieces.BUILDINGS[position.building]}
    if position.kind == "deliver":
        return {"round": [seat for seat in range(position.players) if position.in_round(seat)]}
    return {}


def event_line(event: game_pb2.Event) -> Line | None:
    """Return the line of an event, or None if it is of a later protocol."""
    if event.HasField("roll"):
        return roll_line(event.roll.seat, dice_of(event.roll.dice))
    if event.HasField("move"):
        return {"type": "move", "seat": event.move.seat, "move": event.move.text}
    if event.HasField("fault"):
        return {"type": "fault", "seat": event.fault.seat, "sentence": event.fault.sentence}
    return None


def end_line(result: game_pb2.Result, events: Sequence[Line]) -> Line:
    """Return the line of a game that is over: its reason, the ranks and the scores by seat."""
    reason = game_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_").lower()
    scores = [
        {"seat": s.seat, "vp": s.vp, "leftover": s.leftover, "pesos": s.pesos, "rank": s.rank}
        for s in result.scores
    ]
    ranks, events = list(result.ranks), list(events)
    return {"type": "result", "reason": reason, "ranks": ranks, "scores": scores, "events": events}
