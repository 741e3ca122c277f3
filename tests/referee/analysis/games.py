"""Analysed games for the tests; each is played and analysed once."""

from functools import cache

from referee.analysis import GameAnalysis, analyse
from referee.bot import Bot
from referee.wire import replay_pb2
from tests.referee.games import DrawingBot, FaultyBot, local_game

TABLES: dict[str, list[type[Bot] | None]] = {
    "two": [DrawingBot] * 2,
    "fault": [DrawingBot, FaultyBot, DrawingBot],
    "absent": [None, DrawingBot, None, DrawingBot],
}


@cache
def replay_of(table: str) -> replay_pb2.Replay:
    return local_game(TABLES[table])


@cache
def analysis_of(table: str) -> GameAnalysis:
    return analyse(replay_of(table), looks=2)
