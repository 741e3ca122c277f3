"""Who has what: the ship's demand, the supply and the players, by good."""

from collections.abc import Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from referee.board.style import seat
from referee.rules import Position
from referee.rules.pieces import GOODS, WOOD

_NAMES: Final = 14


def goods(position: Position, names: Sequence[str]) -> Table:
    """Rows for demand, supply and players; nothing is a dot, so that the rest stands out."""
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="dim")
    table.add_column("", width=_NAMES, no_wrap=True, overflow="crop")
    for heading in ("pesos", "VP", *GOODS, "markers"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_row("ship wants", "", "", *_demand(position), "", "", style="bold")
    table.add_row("supply", "", "", *map(_count, position.supply), "")
    for number in range(position.players):
        table.add_row(
            seat(number, names),
            _count(position.pesos(number)),
            _count(position.vp(number)),
            *map(_count, position.goods(number)),
            _count(position.markers(number)),
        )
    return table


def _demand(position: Position) -> list[Text]:
    demand = position.demand
    if demand is None:
        return [Text("")] * WOOD
    return [
        Text("-") if good == position.excluded else _count(units)
        for good, units in enumerate(demand)
    ]


def _count(units: int) -> Text:
    return Text(str(units)) if units else Text(".", "dim")
