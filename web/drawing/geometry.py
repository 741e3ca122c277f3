"""Say where everything lies on the board, once for wide screens and once for narrow ones.

Both are the same town: a street that is a loop, driven clockwise from the harbour, citizens
inside it, buildings around it in four quarters, the sea below. Lengths are units of the viewBox.
Text is set in at least `Form.least` units, which is 11 px in the windows that a form is for.
"""

from dataclasses import dataclass
from math import pi
from typing import Final

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height."""


@dataclass(frozen=True, slots=True)
class Road:
    """The street: a rectangle with round corners. A drive begins at `start` on its lower side."""

    left: float
    top: float
    right: float
    bottom: float
    radius: float
    start: float
    width: float
    arrow: Point

    @property
    def path(self) -> str:
        """Return the SVG path, clockwise from the start."""
        r = self.radius

        def arc(x: float, y: float) -> str:
            return f"A{r} {r} 0 0 1 {x} {y}"

        return (
            f"M{self.start} {self.bottom}H{self.left + r}{arc(self.left, self.bottom - r)}"
            f"V{self.top + r}{arc(self.left + r, self.top)}H{self.right - r}"
            f"{arc(self.right, self.top + r)}V{self.bottom - r}"
            f"{arc(self.right - r, self.bottom)}Z"
        )

    def along(self, stop: Point) -> tuple[float, int]:
        """Return how far along the path a stop on a straight side lies, and its angle there."""
        x, y = stop
        r, corner = self.radius, self.radius * pi / 2
        wide, high = self.right - self.left - 2 * r, self.bottom - self.top - 2 * r
        up = self.start - self.left - r + corner
        if y == self.bottom:
            lap = 2 * (wide + high) + 4 * corner
            return (self.start - x if x <= self.start else lap - (x - self.start)), 180
        if x == self.left:
            return up + self.bottom - r - y, -90
        over = up + high + corner
        if y == self.top:
            return over + x - self.left - r, 0
        return over + wide + corner + y - self.top - r, 90


@dataclass(frozen=True, slots=True)
class NameLine:
    """A name on a tile: its baseline, its largest size and the lines it may have."""

    y: float
    size: float
    lines: int = 1


@dataclass(frozen=True, slots=True, eq=False)  # there are four: a hash by identity is quick
class TileForm:
    """A kind of tile. `picture` is where its drawing is, `flower` its flower's place and size."""

    width: float
    height: float
    picture: Box
    name: NameLine
    icons: tuple[float, float]  # top and size
    flower: tuple[float, float, float]
    pawn: tuple[float, float, float] = (0, 0, 0)
    marker: tuple[float, float, float] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class TileRow:
    """A row of things: the place of the first, the distance of the next, and the scale."""

    x: float
    y: float
    pitch: float
    scale: float
    label: float  # the size of the words above


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A form of the board; tiles and stops lie in the order of the setup."""

    name: str
    width: float
    height: float
    least: float
    road: Road
    shore: float
    stops: tuple[Point, ...]
    citizen: TileForm
    citizens: tuple[Point, ...]
    market: Box
    building: TileForm
    buildings: tuple[Point, ...]
    quarters: tuple[Box, ...]
    pier: Box
    ship: Point
    ship_scale: float
    flags: TileRow
    track: TileRow


_COLUMNS: Final = tuple(282.0 + 134 * column for column in range(5))

WIDE: Final = Form(
    name="wide",
    width=1100,
    height=720,
    least=16,
    road=Road(184, 176, 916, 480, 44, 550, 38, (484, 480)),
    shore=516,
    stops=(
        *((x, 480.0) for x in (550, 416, 282)),
        *((x, 176.0) for x in _COLUMNS),
        *((x, 480.0) for x in (818, 684)),
    ),
    citizen=TileForm(
        width=122,
        height=122,
        picture=(33, 5, 56, 56),
        name=NameLine(80, 17),
        icons=(91, 23),
        flower=(96, 5, 22),
    ),
    citizens=(
        *((x - 61.0, 331.0) for x in (416, 282)),
        *((x - 61, 203.0) for x in _COLUMNS),
        *((x - 61.0, 331.0) for x in (818, 684)),
    ),
    market=(489, 331, 122, 122),
    building=TileForm(
        width=122,
        height=112,
        picture=(17, 4, 88, 45),
        name=NameLine(65, 16, 2),
        icons=(86, 21),
        flower=(61, 0, 22),
        pawn=(89, 16, 29),
        marker=(-6, -6, 31),
    ),
    buildings=(
        *((14.0, y) for y in (390.0, 272, 154)),
        *((x, 18.0) for x in (162.0, 290, 418, 560, 688, 816)),
        *((964.0, y) for y in (154.0, 272, 390)),
    ),
    quarters=((6, 138, 138, 372), (154, 2, 394, 136), (552, 2, 394, 136), (956, 138, 138, 372)),
    pier=(550, 500, 44, 60),
    ship=(345, 536),
    ship_scale=1.12,
    flags=TileRow(34, 592, 66, 1.06, 17),
    track=TileRow(788, 612, 41, 1, 17),
)

_ROWS: Final = tuple(32.0 + 95 * row for row in range(5))

TALL: Final = Form(
    name="tall",
    width=480,
    height=800,
    least=16.5,
    road=Road(133, 14, 347, 527, 26, 287, 22, (196, 527)),
    shore=552,
    stops=(
        (287, 527),
        *((133, y + 45) for y in reversed(_ROWS)),
        *((347, y + 45) for y in _ROWS[:4]),
    ),
    citizen=TileForm(
        width=89,
        height=90,
        picture=(22.5, 3, 44, 44),
        name=NameLine(62, 16.5),
        icons=(67.5, 19.7),
        flower=(68, 3, 19),
    ),
    citizens=(*((149.0, y) for y in reversed(_ROWS)), *((242.0, y) for y in _ROWS[:4])),
    market=(242, _ROWS[4], 89, 90),
    building=TileForm(
        width=114,
        height=87,
        picture=(27, 3, 60, 30),
        name=NameLine(46, 16.5, 2),
        icons=(65.5, 19.7),
        flower=(57, 4, 18),
        pawn=(86, 6, 25),
        marker=(-2, -4, 28),
    ),
    buildings=(
        *((2.0, 460.0 - 90 * row) for row in range(6)),
        *((364.0, 10.0 + 90 * row) for row in range(6)),
    ),
    quarters=((0, 276, 118, 273), (0, 2, 118, 271), (362, 2, 118, 271), (362, 276, 118, 273)),
    pier=(287, 541, 34, 52),
    ship=(84, 568),
    ship_scale=0.88,
    flags=TileRow(14, 738, 54, 0.8, 20.7),
    track=TileRow(222, 746, 36, 1, 16.5),
)

FORMS: Final = (WIDE, TALL)
"""All forms. A page holds both, and its style shows the one that fits the window."""
