"""A running game as it is told: frames like those of a replay, as far as its events have come."""

from __future__ import annotations

from typing import Final

from ladder.live.stream import Cells, Event, Frame
from referee.rules import PLAIN_GOODS, Layout, Position, RulesError
from referee.rules.legal_moves import legal_moves
from referee.rules.trace import changes, setup_line, state_json

GAP: Final = "gap"
"""The type of a frame before which events are missing."""


class GameSoFar:
    """One attempt at a match. `frames` are those of `referee.replay.frames`, without thinking time.

    The rules follow the events, which gives the state after each, and each decision its kind and
    the legal moves. Where events are missing nothing is known until the next position is told: a
    frame of the type GAP stands for them and for all up to there.
    """

    def __init__(self, layout: Layout, players: int, attempt: int) -> None:
        self.attempt = attempt
        self.setup = setup_line(layout, players)
        self._layout = layout
        self._players = players
        self._position: Position | None = Position.start(layout, players)
        self._sequence = 0
        state = state_json(self._position)
        self.frames: list[Frame] = [{"type": "start", "changes": [], "state": state}]

    def take(self, event: Event) -> None:
        """The next event. Those of other attempts are not of this game, and none counts twice."""
        if event.attempt != self.attempt or event.sequence <= self._sequence:
            return
        if event.sequence != self._sequence + 1:
            self._position = None
        self._sequence = event.sequence
        frame: Frame = {"type": GAP}
        if self._position is not None:
            try:
                frame = event.frame | _decided(self._position, event.frame)
            except RulesError:  # whoever played it has other rules
                frame, self._position = event.frame, None
        if event.cells is not None and (
            self._position is None or self._position.cells != event.cells
        ):
            self._position = self._told(event.cells)
        if self._position is not None:
            before, after = self.frames[-1]["state"], state_json(self._position)
            self.frames.append(frame | {"changes": changes(before, after), "state": after})

    def _told(self, cells: Cells) -> Position:
        position = Position(self._layout, self._players, cells[:], ())
        position.legal_moves = legal_moves(position)
        return position


def _decided(position: Position, frame: Frame) -> Frame:
    """What the rules know of a decision before it is made; makes it, or the roll."""
    if frame["type"] == "roll":
        position.roll(tuple(frame["dice"][good] for good in PLAIN_GOODS))
    if frame["type"] != "move":
        return {}
    known: Frame = {"kind": position.kind, "legal": position.legal_texts()}
    position.step(position.parse_move(frame["move"]))
    return known
