"""The newest event of a running game, as a frame like those of `referee.replay.frames`."""

from __future__ import annotations

from typing import Final

from ladder.live.stream import Frame
from referee.faults import FaultCode
from referee.game import Game, Happened
from referee.messages import dice_of
from referee.rules import move_text
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
    return _what(game.newest) | {"state": state_json(game.position)}


def _what(happened: Happened) -> Frame:
    if isinstance(happened, tuple):
        seat, move, by = happened
        return {"type": "move", "seat": seat, "move": move_text(move), "by": _BY[by]}
    if happened.HasField("roll"):
        dice = dict(zip(PLAIN_GOODS, dice_of(happened.roll.dice), strict=True))
        return {"type": "roll", "seat": happened.roll.seat, "dice": dice}
    code = FaultCode(happened.fault.code).word
    fault = {"code": code, "sentence": happened.fault.sentence}
    return {"type": "fault", "seat": happened.fault.seat, "fault": fault}
