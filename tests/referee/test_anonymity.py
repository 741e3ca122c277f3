"""A bot that is asked to play is not told against whom, before it accepts the game or after."""

from collections.abc import Callable
from dataclasses import replace

from referee.wire import bot_pb2
from tests.hostile_bots import HostileBot
from tests.referee.games import match_of, play

TOLD_FIRST = {
    "match_id",
    "attempt",
    "seat",
    "players",
    "setup",
    "clock",
    "dice_commitment",
    "rules_version",
    "resumed",
    "challenge",
}
"""Of the table, of the board, of time, luck and proof; of who sits there, nothing."""


def test_the_first_message_has_no_place_for_names() -> None:
    assert {field.name for field in bot_pb2.GameStart.DESCRIPTOR.fields} == TOLD_FIRST
    assert [field.name for field in bot_pb2.DescribeRequest.DESCRIPTOR.fields] == []


async def test_no_message_of_a_game_holds_a_name(new_address: Callable[[], str]) -> None:
    names = [b"SIGNORA", b"ZORRO-7.3", b"COMPAY"]
    with HostileBot(new_address()) as one, HostileBot(new_address()) as other:
        match = match_of([one.address, other.address])
        who = {"name": "SIGNORA", "version": "ZORRO-7.3", "author": "COMPAY"}
        named = replace(match, seats=tuple(replace(seat, **who) for seat in match.seats))
        await play(named)
        for bot in (one, other):
            assert bot.told[0].HasField("start")
            sent = b"".join(request.SerializeToString() for request in bot.told)
            assert not any(name in sent for name in names)
