"""The best line at a decision: the moments that would have followed, as frames."""

from collections.abc import Sequence
from typing import Any, cast

from ladder.errors import NotFound
from referee.analysis import Decision
from referee.replay import simulate, start
from referee.rules import Move, Position, move_text
from referee.rules.trace import changes, state_json
from referee.wire import replay_pb2
from web.frames import Document, Frame
from web.viewer.replays import WordedFrame, worded
from web.words import Words


def best_line(
    record: replay_pb2.Replay, game: Document, decision: Decision, words: Words
) -> list[WordedFrame]:
    """Return the frames after the best move of a decision and what follows it, in words.

    Moves that are forced on the way are frames of their own. Raises ReplayError.
    """
    position = start(record)
    for moment, _ in enumerate(simulate(position, record), 1):
        if moment == decision.moment:
            break
    else:
        raise NotFound("the game has no moment %(moment)s", moment=decision.moment)
    might = [*game["frames"][: decision.moment], *_frames(position, decision.line)]
    return worded({**game, "frames": might}, words, decision.moment)


def _frames(position: Position, line: Sequence[Move]) -> list[Frame]:
    """Return a frame for each move of a line, and take it in the position."""
    told: list[Frame] = []
    for move in line:
        while len(position.legal_moves) == 1 and position.legal_moves[0] != move:
            told.append(_frame(position, position.legal_moves[0]))
        told.append(_frame(position, move))
    return told


def _frame(position: Position, move: Move) -> Frame:
    before = state_json(position)
    frame: dict[str, Any] = {
        "type": "move",
        "seat": position.seat,
        "kind": position.kind,
        "move": move_text(move),
        "by": "bot" if len(position.legal_moves) > 1 else "forced",
        "legal": position.legal_texts(),
    }
    position.step(move)
    after = state_json(position)
    return cast(Frame, frame | {"changes": changes(before, after), "state": after})
