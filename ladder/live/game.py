"""A running game as it is told: frames like those of a replay, as far as its events have come."""

from __future__ import annotations

from typing import Final

from ladder.live.stream import Event, Frame
from referee.rules import PLAIN_GOODS, Layout, Position, RulesError
from referee.rules.changes import changes
from referee.rules.trace import setup_line, state_json

GAP: Final = "gap"
"""The type of a frame before which events are missing."""


class GameSoFar:
    """One attempt at a match. `frames` are those of `referee.replay.frames`, without thinking time.

    The rules follow the events, which gives each decision its kind and the legal moves. Where
    events are missing a frame of the type GAP stands for them and for the one after them. From then
    on the frames have the state and its changes alone: nobody knows what could be decided.
    """

    def __init__(self, layout: Layout, players: int, attempt: int) -> None:
        self.attempt = attempt
        self.setup = setup_line(layout, players)
        self._position: Position | None = Position.start(layout, players)
        self._sequence = 0
        state = state_json(self._position)
        self.frames: list[Frame] = [{"type": "start", "changes": [], "state": state}]

    def take(self, event: Event) -> None:
        """The next event. Those of other attempts are not of this game, and none counts twice."""
        if event.attempt != self.attempt or event.sequence <= self._sequence:
            return
        missing = event.sequence != self._sequence + 1
        self._sequence = event.sequence
        before, after = self.frames[-1]["state"], event.frame["state"]
        changed = {"changes": changes(before, after), "state": after}
        if missing:
            self._position = None
            self.frames.append({"type": GAP} | changed)
            return
        try:
            known = self._decided(event.frame)
        except RulesError:  # whoever played it has other rules
            self._position, known = None, {}
        self.frames.append(event.frame | known | changed)

    def _decided(self, frame: Frame) -> Frame:
        """What the rules know of a decision before it is made; makes it, or the roll."""
        position = self._position
        if position is None or frame["type"] not in ("move", "roll"):
            return {}
        if frame["type"] == "roll":
            position.roll(tuple(frame["dice"][good] for good in PLAIN_GOODS))
            return {}
        known: Frame = {"kind": position.kind, "legal": position.legal_texts()}
        position.step(position.parse_move(frame["move"]))
        return known
