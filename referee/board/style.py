"""How seats and flowers are told from each other: by a word, and by a colour that goes with it."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from referee.rules.pieces import FLOWERS, NO_FLOWER

FLOWER_COLOURS: Final = ("yellow", "blue", "red", "default", "dim")
_SEAT_COLOURS: Final = ("cyan", "magenta", "green", "bright_red")


def flower(number: int) -> Text:
    """`* red` in red."""
    word = "no flower" if number == NO_FLOWER else f"* {FLOWERS[number]}"
    return Text(word, FLOWER_COLOURS[number])


def seat(number: int, names: Sequence[str] = ()) -> Text:
    """`p1`, as positions have it, with the player's name where it is known."""
    name = f" {names[number]}" if number < len(names) else ""
    return Text(f"p{number}{name}", f"bold {_SEAT_COLOURS[number]}")
