"""Draws a position in the terminal, with rich, in 80 columns.

rich.print(draw(position))

Colours only repeat what the words say, so that nothing is lost without them.
"""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from referee.board.city import city
from referee.board.decision import decision
from referee.board.goods import goods
from referee.board.street import street
from referee.board.style import seat
from referee.rules import Position
from referee.rules.pieces import HIGHEST_VALUE, LOWEST_VALUE, SHIPS


def draw(position: Position, names: Sequence[str] = ()) -> RenderableType:
    """The whole table: ship, street, city, goods, and what is to be decided.

    `names` are those of the players, by seat.
    """
    return Group(
        _headline(position, names),
        street(position),
        city(position),
        goods(position, names),
        decision(position, names),
    )


def _headline(position: Position, names: Sequence[str]) -> Text:
    line = Text(f"Turn {position.turn}", "bold") if position.turn else Text("Setup", "bold")
    if position.turn:
        line.append(": ").append_text(seat(position.active, names))
    line.append(f"   Ship {position.ship} of {SHIPS}   Value", "bold")
    for flag in range(LOWEST_VALUE, HIGHEST_VALUE + 1):
        here = flag == position.value
        line.append(" ").append(
            f"[{flag}]" if here else str(flag), "bold reverse" if here else "dim"
        )
    return line.append(" leaves", "dim")
