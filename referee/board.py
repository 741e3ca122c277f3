"""Draws a position in the terminal, with rich: in 80 columns, or as lists in 40.

rich.print(draw(position))

Every colour goes with a word, so that nothing is lost without colours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.align import Align
from rich.box import HEAVY, ROUNDED
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from referee.rules import Outcome, Position, Reason, pieces

_FLOWER_COLOURS: Final = ("yellow", "blue", "red", "default", "dim")
_SEAT_COLOURS: Final = ("cyan", "magenta", "green", "bright_red")
_HALF: Final = pieces.STOPS // 2
_STOP_WIDTH: Final = 14
_BUILDING_WIDTH: Final = 16
_NAME_WIDTH: Final = 14
_WIDTH: Final = 78
"""How many columns the boxes need."""
_HEADINGS: Final = ("", "pesos", "VP", *pieces.GOODS, "markers")
_FEW: Final = 12
"""How many moves of one verb are listed one by one."""
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
"""The gift of each citizen, in the order of CITIZENS."""
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
"""The function of each building, in the order of BUILDINGS."""
_QUESTIONS: Final = {
    "drive": "drives on from stop {car}",
    "visit": "moves the pawn",
    "deliver": "delivers, or passes",
    "pick": "takes a good from Pablo",
    "lawyer": "owns or uses a building through Alonso",
    "tribute": "gives El Zorro one thing",
}
_HARBOUR: Final = Text.assemble(("harbour", "bold"), "\ndeliver\n")
_REASONS: Final = {
    Reason.SHIPS: "The game is over: the seventh ship has left.",
    Reason.TURNS: "The game is over: turn 300 has been played.",
}


def draw(position: Position, names: Sequence[str] = ()) -> RenderableType:
    """Return the whole table, ready for rich: ship, street, city, goods, and the decision.

    `names` are the players' names, by seat.
    """
    return Group(
        _headline(position, names),
        _Fitting(_street(position), _stops(position)),
        _Fitting(_city(position), _buildings(position)),
        _Fitting(_goods(position, names), _tall_goods(position, names)),
        _decision(position, names),
    )


@dataclass(frozen=True, slots=True)
class _Fitting:
    """Draws `wide` if the terminal has the columns, else `narrow`."""

    wide: RenderableType
    narrow: RenderableType

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self.wide if options.max_width >= _WIDTH else self.narrow


def _headline(position: Position, names: Sequence[str]) -> Text:
    line = Text(f"Turn {position.turn}", "bold") if position.turn else Text("Setup", "bold")
    if position.turn:
        line.append(": ").append_text(_seat(position.active, names))
    line.append(f"   Ship {position.ship} of {pieces.SHIPS}   Value", "bold")
    for flag in range(pieces.LOWEST_VALUE, pieces.HIGHEST_VALUE + 1):
        here = flag == position.value
        line.append(" ").append(
            f"[{flag}]" if here else str(flag), "bold reverse" if here else "dim"
        )
    return line.append(" leaves", "dim")


def _flower(number: int) -> Text:
    """Return a flower as `* red`, in red."""
    word = "no flower" if number == pieces.NO_FLOWER else f"* {pieces.FLOWERS[number]}"
    return Text(word, _FLOWER_COLOURS[number])


def _seat(number: int, names: Sequence[str] = ()) -> Text:
    """Return a seat as `p1`, with the player's name if it is known."""
    name = f" {names[number]}" if number < len(names) else ""
    return Text(f"p{number}{name}", f"bold {_SEAT_COLOURS[number]}")


def _street(position: Position) -> Table:
    """Draw stops 0 to 4 above, 9 to 5 below, and the direction in which the car drives."""
    loop = Table.grid()
    loop.add_row(*_row(position, list(range(_HALF)), ">"))
    up, down = Align.center("^", width=_STOP_WIDTH), Align.center("v", width=_STOP_WIDTH)
    loop.add_row(up, *[""] * (2 * _HALF - 3), down)
    loop.add_row(*_row(position, list(range(pieces.STOPS - 1, _HALF - 1, -1)), "<"))
    return loop


def _row(position: Position, stops: list[int], arrow: str) -> list[Panel | Align]:
    row: list[Panel | Align] = [_stop(position, stops[0])]
    for stop in stops[1:]:
        row += [Align.center(f"{arrow} ", vertical="middle"), _stop(position, stop)]
    return row


def _stop(position: Position, stop: int) -> Panel:
    here = stop == position.car
    return Panel(
        _at(position, stop),
        box=HEAVY if here else ROUNDED,
        title=str(stop),
        title_align="left",
        subtitle=Text(" CAR ", "bold reverse") if here else None,
        border_style="bold" if here else _FLOWER_COLOURS[position.layout.flower_at[stop]],
        width=_STOP_WIDTH,
    )


def _stops(position: Position) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    for stop in range(pieces.STOPS):
        car = Text("CAR" if stop == position.car else "", "bold reverse")
        table.add_row(car, str(stop), *_at(position, stop).split())
    return table


def _at(position: Position, stop: int) -> Text:
    return _HARBOUR if stop == pieces.HARBOUR else _citizen(position, stop)


def _citizen(position: Position, stop: int) -> Text:
    citizen = position.layout.citizen_at[stop]
    silenced = position.is_silenced(citizen)
    lines = (
        Text(pieces.CITIZENS[citizen], "dim strike" if silenced else "bold"),
        Text("silenced", "bold reverse") if silenced else Text(_GIFTS[citizen]),
        _flower(position.layout.flower_at[stop]),
    )
    return Text("\n").join(lines)


def _city(position: Position) -> Table:
    """Draw the three buildings under each flower, with their owners and the pawns there."""
    table = Table(box=ROUNDED, show_lines=True, border_style="dim")
    for number in range(len(pieces.FLOWERS)):
        table.add_column(_flower(number), width=_BUILDING_WIDTH)
    under = [
        [
            building
            for building, above in zip(position.layout.buildings, pieces.SPACE_FLOWERS, strict=True)
            if above == number
        ]
        for number in range(len(pieces.FLOWERS))
    ]
    for row in zip(*under, strict=True):
        table.add_row(*(_building(position, building) for building in row))
    return table


def _buildings(position: Position) -> Table:
    """List the buildings by their flowers."""
    table = Table.grid(padding=(0, 1, 0, 0))
    spaces = zip(pieces.SPACE_FLOWERS, position.layout.buildings, strict=True)
    for flower, building in sorted(spaces):
        name, *lines = _building(position, building).split()
        table.add_row(_flower(flower), name, Text("\n").join(lines))
    return table


def _building(position: Position, building: int) -> Text:
    lines = [Text(pieces.BUILDINGS[building], "bold"), Text(_FUNCTIONS[building], "dim")]
    marks = []
    owner = position.owner(building)
    if owner is not None:
        marks.append(Text("owner ").append_text(_seat(owner)))
    for other in range(position.players):
        if position.pawn(other) == building:
            marks.append(Text("pawn ").append_text(_seat(other)))
    if marks:
        lines.append(Text(" ").join(marks))
    return Text("\n").join(lines)


def _goods(position: Position, names: Sequence[str]) -> Table:
    """Draw demand, supply and players by good."""
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="dim")
    table.add_column("", width=_NAME_WIDTH, no_wrap=True, overflow="crop")
    for heading in _HEADINGS[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    for number, row in enumerate(_owned(position, names)):
        table.add_row(*row, style="" if number else "bold")
    return table


def _tall_goods(position: Position, names: Sequence[str]) -> Group:
    """Name the players, and draw a line for each good."""
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, show_header=False)
    table.add_column()
    for _ in range(2 + position.players):
        table.add_column(justify="right")
    for row in zip(_HEADINGS, *_owned(position), strict=True):
        table.add_row(*row)
    players = (_seat(number, names) for number in range(position.players))
    return Group(Text(", ").join(players), table)


def _owned(position: Position, names: Sequence[str] = ()) -> Iterator[list[str | Text]]:
    """Yield what the ship wants, the supply and the players have; 0 is a dot, to stand back."""
    yield ["ship wants", "", "", *_demand(position), "", ""]
    yield ["supply", "", "", *map(_count, position.supply), ""]
    for number in range(position.players):
        yield [
            _seat(number, names),
            _count(position.pesos(number)),
            _count(position.vp(number)),
            *map(_count, position.goods(number)),
            _count(position.markers(number)),
        ]


def _demand(position: Position) -> list[Text]:
    demand = position.demand
    if demand is None:
        return [Text("")] * pieces.WOOD
    return [
        Text("-") if good == position.excluded else _count(units)
        for good, units in enumerate(demand)
    ]


def _count(units: int) -> Text:
    return Text(str(units)) if units else Text(".", "dim")


def _decision(position: Position, names: Sequence[str]) -> RenderableType:
    """Write who decides or rolls and the legal moves, or how the game ended."""
    outcome = position.outcome()
    if outcome is not None:
        return _ended(outcome, names)
    sentence = _seat(position.seat, names).append(f" {_question(position)}", "not bold default")
    moves = "\n".join(_groups(position))
    return Group(sentence, Padding(Text(moves), (0, 0, 0, 2))) if moves else sentence


def _question(position: Position) -> str:
    if position.kind == "roll":
        return "rolls the dice for the ship."
    if position.dice is not None:
        dice = zip(pieces.PLAIN_GOODS, position.dice, strict=True)
        return f"excludes a good. Dice: {', '.join(f'{good} {die}' for good, die in dice)}."
    if position.building is not None:
        return f"uses the {pieces.BUILDINGS[position.building]}, or passes:"
    return _QUESTIONS[position.kind].format(car=position.car) + ":"


def _groups(position: Position) -> list[str]:
    """Return a line of moves for each verb: `give peso, give vp`; many as `drive 1 to 30`."""
    texts = position.legal_texts()
    if position.kind == "drive" and len(texts) <= _FEW:
        texts = [f"{text} ({_stop_name(position, n)})" for n, text in enumerate(texts, 1)]
    lines = []
    for _, group in groupby(texts, lambda text: text.split()[0]):
        moves = list(group)
        numbered = len(moves) > _FEW and moves[-1].split()[-1].isdigit()
        lines.append(f"{moves[0]} to {moves[-1].split()[-1]}" if numbered else ", ".join(moves))
    return lines


def _stop_name(position: Position, steps: int) -> str:
    citizen = position.layout.citizen_at[(position.car + steps) % pieces.STOPS]
    return "harbour" if citizen < 0 else pieces.CITIZENS[citizen]


def _ended(outcome: Outcome, names: Sequence[str]) -> RenderableType:
    table = Table(box=None, pad_edge=False)
    for heading in ("rank", "", "VP", "goods left over", "pesos"):
        table.add_column(heading, justify="left" if not heading else "right")
    for score in sorted(outcome.scores, key=lambda score: score.rank):
        numbers = (score.vp, score.leftover, score.pesos)
        table.add_row(str(score.rank), _seat(score.seat, names), *map(str, numbers))
    return Group(Text(_REASONS[outcome.reason], "bold"), table)
