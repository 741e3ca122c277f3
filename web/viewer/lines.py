"""The best line at a decision: the moments that would have followed, as frames."""

from collections.abc import Iterable

from referee.analysis import Decision
from referee.analysis.puzzles import position_at
from referee.rules import Position, move_text
from referee.wire import replay_pb2
from web.frames import Document, Frame
from web.viewer.replays import WordedFrame, worded
from web.viewer.told import Told
from web.words import Words


def best_line(
    record: replay_pb2.Replay, game: Document, decision: Decision, words: Words
) -> list[WordedFrame]:
    """Return the frames after the best move of a decision and what follows it, in words.

    Raises ReplayError.
    """
    moves = following(position_at(record, decision.moment), map(move_text, decision.line))
    might = [*game["frames"][: decision.moment], *moves]
    return worded({**game, "frames": might}, words, decision.moment)


def following(position: Position, line: Iterable[str]) -> list[Frame]:
    """Return a frame for each move of a line, and for those that are forced on the way.

    It ends before a move that is not legal, and plays in the position.
    """
    told = Told(position)
    for move in line:
        while told.is_forced and move not in told.position.legal_texts():
            told.move(told.position.legal_texts()[0], "forced")
        if move not in told.position.legal_texts():
            break
        told.move(move, "forced" if told.is_forced else "bot")
    return told.frames[1:]
