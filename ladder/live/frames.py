"""The newest event of a running game, as a frame like those of `referee.replay.frames`."""

from __future__ import annotations

from typing import Final

from ladder.live.stream import Frame
from referee.faults import FaultCode
from referee.game import Game
from referee.messages import dice_of
from referee.rules.pieces import PLAIN_GOODS
from referee.rules.trace import state_json
from referee.wire import game_pb2

_BY: Final = {
    game_pb2.MADE_BY_BOT: "bot",
    game_pb2.MADE_BY_REFEREE: "forced",
    game_pb2.MADE_BY_CARETAKER: "caretaker",
}


def newest_frame(game: Game) -> Frame:
    """`type` (roll, move or fault), `seat`, what happened, and the `state` after it."""
    return _what(game.events[-1]) | {"state": state_json(game.position)}


def _what(event: game_pb2.Event) -> Frame:
    if event.HasField("roll"):
        dice = dict(zip(PLAIN_GOODS, dice_of(event.roll.dice), strict=True))
        return {"type": "roll", "seat": event.roll.seat, "dice": dice}
    if event.HasField("move"):
        move = event.move
        return {"type": "move", "seat": move.seat, "move": move.text, "by": _BY[move.by]}
    code = FaultCode(event.fault.code).word
    fault = {"code": code, "sentence": event.fault.sentence}
    return {"type": "fault", "seat": event.fault.seat, "fault": fault}
