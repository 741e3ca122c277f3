"""GameStart: how a seat is told of a game."""

from referee.clock import Clock
from referee.dice import commitment
from referee.messages import clock_message, setup_message
from referee.rules import RULES_VERSION, Layout
from referee.wire import bot_pb2


def opening(
    match_id: str, seat: int, players: int, layout: Layout, seed: bytes, clock: Clock
) -> bot_pb2.GameStart:
    """The start of a game whose dice come from `seed`."""
    return bot_pb2.GameStart(
        match_id=match_id,
        attempt=1,
        seat=seat,
        players=players,
        setup=setup_message(layout),
        clock=clock_message(clock),
        dice_commitment=commitment(seed),
        rules_version=RULES_VERSION,
    )
