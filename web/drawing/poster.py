"""Draw a game's end as a picture of 1200 x 630, as messengers show it beside a link, in PNG.

The picture is drawn as SVG and then in pixels, with a font of our own: a server may have none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resvg_py import svg_to_bytes

from web.drawing import pieces
from web.drawing.board import Moment, standalone
from web.drawing.geometry import WIDE
from web.drawing.shapes import fitting, symbol, tag, words
from web.drawing.small import parts

SIZE: Final = (1200, 630)
"""Width and height in pixels."""

_FONT: Final = Path(__file__).parent / "fonts" / "DejaVuSansCondensed-Bold.ttf"
_FAMILY: Final = "DejaVu Sans Condensed"
_SHADOW: Final = re.compile(r"filter: drop-shadow\([^;]*\);")  # of 40 tiles, and hardly seen
_FAMILIES: Final = re.compile(r"font-family: [^;}]*")

_PAGE, _PAPER, _GOLD = "#fbf3e4", "#fffbf2", "#f2c14e"
_BOARD: Final = (32, 45, 825, 540)  # left, top, width and height
_LEFT, _RIGHT = 892, 1168
_FIRST, _PITCH = 214, 104
_SMALLEST: Final = 19

_ALL_SEEN: Final = "symbol, svg { overflow: visible }"  # what no symbol needs cut off costs time


@dataclass(frozen=True)
class Line:
    """A seat in the picture: the name of its bot, its rank from 1, and its points in words."""

    seat: int
    label: str
    rank: int
    points: str


def poster(moment: Moment, title: str, lines: Sequence[Line], symbols: str) -> str:
    """Return the picture as an SVG document: the board, and the seats from the best one on.

    `symbols` are those of the board, and the site's sun.
    """
    x, y, width, height = _BOARD
    board = tag("svg", *parts(moment, WIDE), viewBox=f"0 0 {WIDE.width:g} {WIDE.height:g}",
                x=x, y=y, width=width, height=height)  # fmt: skip
    ranked = sorted(lines, key=lambda line: (line.rank, line.seat))
    drawn = tag(
        "svg",
        tag("rect", width=SIZE[0], height=SIZE[1], fill=_PAGE),
        board,
        symbol("sun", _LEFT, 40, 64),
        words(_LEFT + 80, 68, "Santiago", 28),
        words(_LEFT + 80, 100, "Arena", 28),
        words(_LEFT, 164, title, fitting(title, 30, _RIGHT - _LEFT)),
        *(_line(line, _FIRST + row * _PITCH) for row, line in enumerate(ranked)),
        class_="poster",
        viewBox=f"0 0 {SIZE[0]} {SIZE[1]}",
    )
    document = standalone(drawn, symbols)
    return _FAMILIES.sub(f"font-family: '{_FAMILY}'", _SHADOW.sub("", document))


def png(document: str) -> bytes:
    """Return an SVG document of SIZE in pixels. It holds the interpreter for 0.1 s."""
    drawn: bytes = svg_to_bytes(
        svg_string=document,
        style_sheet=_ALL_SEEN,
        width=SIZE[0],
        height=SIZE[1],
        skip_system_fonts=True,
        font_files=[str(_FONT)],
        font_family=_FAMILY,
    )
    return drawn


def _line(line: Line, top: float) -> str:
    """Return a seat's marker, name and points; the winner's on gold."""
    width = _RIGHT - _LEFT
    room = width - 92
    size = max(_SMALLEST, fitting(line.label, 28, room))
    shown = line.label
    while fitting(shown, size, room) < size:
        shown = f"{shown.rstrip('…')[:-1]}…"
    back = tag("rect", x=_LEFT - 8, y=top, width=width + 16, height=_PITCH - 12, rx=14,
               fill=_GOLD if line.rank == 1 else _PAPER)  # fmt: skip
    return tag(
        "g",
        back,
        pieces.marker(line.seat, (_LEFT + 6, top + 20), 52),
        words(_LEFT + 72, top + 38, shown, size),
        words(_LEFT + 72, top + 78, line.points, 34),
    )
