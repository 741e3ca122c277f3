"""The city: three buildings under each flower, their owners and the pawns that stand there."""

from typing import Final

from rich.box import ROUNDED
from rich.table import Table
from rich.text import Text

from referee.board.style import flower, seat
from referee.rules import Position
from referee.rules.pieces import BUILDINGS, FLOWERS, SPACE_FLOWERS

_FUNCTIONS: Final = (
    "2 pesos",  # bank
    "1 VP",
    "sugar > rum",  # distillery
    "tobacco > cigars",
    "1 good > another",  # black-market
    "wood > VP + peso",
    "rum, cigars > VP",  # cafe
    "a die to 0",
    "3 pesos = 1 VP",  # casino
    "value up or down",
    "1 good > 2 VP",  # trading-office
    "peso, silence",
)
"""What each building is for, in the order of BUILDINGS."""
_WIDTH: Final = 16


def city(position: Position) -> Table:
    """A column for each flower."""
    table = Table(box=ROUNDED, show_lines=True, border_style="dim")
    for number in range(len(FLOWERS)):
        table.add_column(flower(number), width=_WIDTH)
    under = [
        [
            building
            for building, above in zip(position.layout.buildings, SPACE_FLOWERS, strict=True)
            if above == number
        ]
        for number in range(len(FLOWERS))
    ]
    for row in zip(*under, strict=True):
        table.add_row(*(_building(position, building) for building in row))
    return table


def _building(position: Position, building: int) -> Text:
    lines = [Text(BUILDINGS[building], "bold"), Text(_FUNCTIONS[building], "dim")]
    marks = []
    owner = position.owner(building)
    if owner is not None:
        marks.append(Text("owner ").append_text(seat(owner)))
    for other in range(position.players):
        if position.pawn(other) == building:
            marks.append(Text("pawn ").append_text(seat(other)))
    if marks:
        lines.append(Text(" ").join(marks))
    return Text("\n").join(lines)
