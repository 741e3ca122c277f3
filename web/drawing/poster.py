"""Draw a small board: for lists, without a word; and as a poster, with names and points.

The picture is drawn as SVG and then in pixels, with a font of our own: a server may have none.

Within a page it has its symbols from the sheet's address, which a browser keeps, so each board is
about 1 kB as sent; its style is board.css. As a thumbnail it is a file with all that it needs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import escape
from resvg_py import svg_to_bytes

from web.drawing import town
from web.drawing.board import Moment, standalone, style
from web.drawing.geometry import WIDE, Point
from web.drawing.shapes import at, classes, fitting, symbol, tag, words

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
_VIEW_BOX: Final = f"0 0 {WIDE.width:g} {WIDE.height:g}"

_ALL_SEEN: Final = "symbol, svg { overflow: visible }"  # what no symbol needs cut off costs time

_ROUND: Final = 12
_FACE: Final = 100
_USED: Final = re.compile(r'href="#([^"]+)"')
_SYMBOL: Final = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
_THEMES: Final = "svg { color-scheme: light dark; }"
_ART: Final = (6, 50, 110, 55)  # left, top, width and height on a building's tile


@dataclass(frozen=True)
class PosterLine:
    """A seat in the picture: the name of its bot, its rank from 1, and its points in words."""

    seat: int
    label: str
    rank: int
    points: str


def poster(moment: Moment, title: str, lines: Sequence[PosterLine], symbols: str) -> str:
    """Return the picture as an SVG document: the board, and the seats from the best one on.

    `symbols` are those of the board, and the site's sun.
    """
    x, y, width, height = _BOARD
    board = tag("svg", *_parts(moment), viewBox=_VIEW_BOX,
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


def small(moment: Moment, sheet: str, label: str) -> str:
    """Return the small board as an SVG element that says `label` to who does not see it."""
    drawn = tag(
        "svg",
        *_parts(moment),
        class_="board small-board",
        viewBox=_VIEW_BOX,
        role="img",
        aria_label=label,
    )
    return drawn.replace('href="#', f'href="{escape(sheet)}#')


def thumbnail(moment: Moment, symbols: str) -> str:
    """Return the small board as an SVG document, for `<img>`: it has the theme of its page."""
    drawn = "".join(_parts(moment))
    used = set(_USED.findall(drawn))
    sheet = "".join(found[0] for found in _SYMBOL.finditer(symbols) if found[1] in used)
    return tag(
        "svg",
        f"<style>{_THEMES}{style()}</style><defs>{sheet}</defs>{drawn}",
        xmlns="http://www.w3.org/2000/svg",
        class_="board",
        viewBox=_VIEW_BOX,
    )


def _parts(moment: Moment) -> Iterator[str]:
    """Yield the parts of the small board in the order of painting."""
    setup, state = moment.setup, moment.frame["state"]
    yield from town.land(WIDE, setup["space_flowers"])
    for thing, place in zip(setup["citizens"], WIDE.citizens, strict=True):
        yield _citizen(thing, place, silenced=thing in state["silenced"])
    for thing, place in zip(setup["buildings"], WIDE.buildings, strict=True):
        yield _building(thing, place)
    owned = town.owners(WIDE, setup["buildings"], state["owners"])
    yield from (marker for marker in owned if "absent" not in marker)
    yield _ship(state["demand"], moment.frame.get("dice"))
    yield from town.pieces(WIDE, setup["buildings"], state)


def _line(line: PosterLine, top: float) -> str:
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
        town.marker(line.seat, (_LEFT + 6, top + 20), 52),
        words(_LEFT + 72, top + 38, shown, size),
        words(_LEFT + 72, top + 78, line.points, 34),
    )


def _citizen(thing: str, place: Point, *, silenced: bool) -> str:
    edge = (WIDE.citizen.width - _FACE) / 2
    card = tag("rect", class_="card", width=122, height=122, rx=_ROUND)
    face = tag("svg", symbol(thing, 0, 0, 48), viewBox="0 0 48 48",
               x=edge, y=edge, width=_FACE, height=_FACE)  # fmt: skip
    return tag("g", card, face, class_=classes("citizen", asleep=silenced), transform=at(*place))


def _building(thing: str, place: Point) -> str:
    card = tag("rect", class_="card", width=122, height=112, rx=_ROUND)
    return tag("g", card, symbol(thing, *_ART), transform=at(*place))


def _ship(demand: Mapping[str, int], rolled: Mapping[str, int] | None) -> str:
    lying: Sequence[str] = [good for good, left in (rolled or demand).items() if left or rolled]
    dice = (
        tag(
            "g",
            tag("rect", class_="face", width=50, height=50, rx=9),
            symbol(good, 8, 8, 34),
            class_=f"die die-{good}",
            transform=at(24 + index * 50, 34),
        )
        for index, good in enumerate(lying)
    )
    place = f"{at(*WIDE.ship)} scale({WIDE.ship_scale})"
    return tag("g", symbol("steamer", 0, 0, 356, 160), *dice, class_="ship", transform=place)
