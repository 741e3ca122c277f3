"""The newest event of a running game, as a frame like those of `referee.replay.frames`.

Without the state: whoever follows the game knows it by the rules, and most games nobody follows.
"""

from __future__ import annotations

from typing import Final

from ladder.live.stream import Frame
from referee.faults import FaultCode
from referee.game import Happened
from referee.messages import dice_of
from referee.rules import move_text
from referee.rules.pieces import PLAIN_GOODS
from referee.wire import game_pb2

_BY: Final = {
    game_pb2.MADE_BY_BOT: "bot",
    game_pb2.MADE_BY_REFEREE: "forced",
    game_pb2.MADE_BY_CARETAKER: "caretaker",
}


def frame(happened: Happened) -> Frame:
    """`type` (roll, move or fault), `seat`, and what happened."""
    if isinstance(happened, tuple):
        seat, move, by = happened
        return {"type": "move", "seat": seat, "move": move_text(move), "by": _BY[by]}
    if happened.HasField("roll"):
        dice = dict(zip(PLAIN_GOODS, dice_of(happened.roll.dice), strict=True))
        return {"type": "roll", "seat": happened.roll.seat, "dice": dice}
    code = FaultCode(happened.fault.code).word
    fault = {"code": code, "sentence": happened.fault.sentence}
    return {"type": "fault", "seat": happened.fault.seat, "fault": fault}
