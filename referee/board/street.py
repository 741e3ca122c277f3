"""The street: a loop of ten stops, clockwise from the harbour."""

from typing import Final

from rich.align import Align
from rich.box import HEAVY, ROUNDED
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from referee.board.style import FLOWER_COLOURS, flower
from referee.rules import Position
from referee.rules.pieces import CITIZENS, HARBOUR, STOPS

_GIFTS: Final = (
    "2 tobacco",  # pedro
    "2 VP",
    "2 sugar",
    "3 pesos",
    "2 citrus",
    "2 wood",
    "a tribute",  # el-zorro
    "1 good",
    "own or use",  # alonso
)
"""What a visit to each citizen brings, in the order of CITIZENS."""
_HALF: Final = STOPS // 2
_WIDTH: Final = 14


def street(position: Position) -> Table:
    """The stops 0 to 4 above, 9 to 5 below, and the way that the car takes."""
    loop = Table.grid()
    loop.add_row(*_row(position, list(range(_HALF)), ">"))
    up, down = Align.center("^", width=_WIDTH), Align.center("v", width=_WIDTH)
    loop.add_row(up, *[""] * (2 * _HALF - 3), down)
    loop.add_row(*_row(position, list(range(STOPS - 1, _HALF - 1, -1)), "<"))
    return loop


def _row(position: Position, stops: list[int], arrow: str) -> list[Panel | Align]:
    row: list[Panel | Align] = [_stop(position, stops[0])]
    for stop in stops[1:]:
        row += [Align.center(f"{arrow} ", vertical="middle"), _stop(position, stop)]
    return row


def _stop(position: Position, stop: int) -> Panel:
    here = stop == position.car
    return Panel(
        _harbour() if stop == HARBOUR else _citizen(position, stop),
        box=HEAVY if here else ROUNDED,
        title=str(stop),
        title_align="left",
        subtitle=Text(" CAR ", "bold reverse") if here else None,
        border_style="bold" if here else FLOWER_COLOURS[position.layout.flower_at[stop]],
        width=_WIDTH,
    )


def _harbour() -> Text:
    return Text.assemble(("harbour", "bold"), "\ndeliver\n")


def _citizen(position: Position, stop: int) -> Text:
    citizen = position.layout.citizen_at[stop]
    silenced = position.is_silenced(citizen)
    lines = (
        Text(CITIZENS[citizen], "dim strike" if silenced else "bold"),
        Text("silenced", "bold reverse") if silenced else Text(_GIFTS[citizen]),
        flower(position.layout.flower_at[stop]),
    )
    return Text("\n").join(lines)
