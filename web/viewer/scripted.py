"""Games that the site plays itself, by the rules from a position on, as frames: the best lines."""

from collections.abc import Iterable
from typing import cast

from referee.rules import Position
from referee.rules.trace import Line, changes, roll_line, state_json
from web.frames import Frame
from web.viewer.choices import open_choice


class ScriptedGame:
    """The game so far; `frames` are those of the viewer, the first one of the type `start`."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.frames: list[Frame] = []
        self._newest: Line = {}
        self._note({"type": "start"})

    def move(self, move: str, by: str = "bot") -> None:
        """Make a legal move."""
        frame: Line = {**open_choice(self.position), "move": move, "by": by}
        self.position.step(self.position.parse_move(move))
        self._note(frame)

    def roll(self, dice: tuple[int, ...]) -> None:
        """Let these dice fall."""
        seat = self.position.seat
        self.position.roll(dice)
        self._note(roll_line(seat, dice))

    def leap(self, position: Position) -> None:
        """Go on from another position; the frame shows no changes."""
        self.position = position
        self._note({"type": "gap"})

    def force(self) -> None:
        """Make forced moves until a choice is open, the dice are to be rolled, or all is over."""
        while len(self.position.legal_moves) == 1:
            self.move(self.position.legal_texts()[0], "forced")

    def end(self) -> None:
        """Show that the game is over."""
        self._note({"type": "end"})

    def _note(self, frame: Line) -> None:
        """Add a frame with the state after it; one in which the game leaps shows no changes."""
        after = state_json(self.position)
        seen = frame["type"] in ("move", "roll")
        happened = changes(self._newest, after) if seen else []
        self.frames.append(cast(Frame, {**frame, "changes": happened, "state": after}))
        self._newest = after


def following(position: Position, line: Iterable[str]) -> list[Frame]:
    """Return a frame for each move of a line, and for those that are forced on the way.

    A line has choices alone, so a forced move comes first even if the line's next one reads alike.
    It ends before a move that is not legal, and plays in the position. The last frame says so if
    dice come after it.
    """
    game = ScriptedGame(position)
    for move in line:
        game.force()
        if move not in game.position.legal_texts():
            break
        game.move(move)
    if game.position.kind == "roll":
        game.frames[-1]["before_dice"] = True
    return game.frames[1:]
