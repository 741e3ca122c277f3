"""Draw a small board: the town with its pieces, without a word, for lists and pages of many games.

Within a page it has its symbols from the sheet's address, which a browser keeps, so each board is
about 1 kB as sent; its style is board.css. As a thumbnail it is a file with all that it needs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markupsafe import escape

from web.drawing import pieces, town
from web.drawing.board import Moment, style
from web.drawing.geometry import WIDE, Form, Point
from web.drawing.shapes import at, classes, symbol, tag

_ROUND: Final = 12
_FACE: Final = 100
_USED: Final = re.compile(r'href="#([^"]+)"')
_SYMBOL: Final = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
_THEMES: Final = "svg { color-scheme: light dark; }"
_ART: Final = (6, 50, 110, 55)  # left, top, width and height on a building's tile


def small(moment: Moment, sheet: str, told: str) -> str:
    """Return the small board as an SVG element that says `told` to who does not see it."""
    drawn = tag(
        "svg",
        *parts(moment, WIDE),
        class_="board small-board",
        viewBox=f"0 0 {WIDE.width:g} {WIDE.height:g}",
        role="img",
        aria_label=told,
    )
    return drawn.replace('href="#', f'href="{escape(sheet)}#')


def thumbnail(moment: Moment, symbols: str) -> str:
    """Return the small board as an SVG document, for `<img>`: it has the theme of its page."""
    drawn = "".join(parts(moment, WIDE))
    used = set(_USED.findall(drawn))
    sheet = "".join(found[0] for found in _SYMBOL.finditer(symbols) if found[1] in used)
    return tag(
        "svg",
        f"<style>{_THEMES}{style()}</style><defs>{sheet}</defs>{drawn}",
        xmlns="http://www.w3.org/2000/svg",
        class_="board",
        viewBox=f"0 0 {WIDE.width:g} {WIDE.height:g}",
    )


def parts(moment: Moment, form: Form) -> Iterator[str]:
    """Yield the parts of the small board in the order of painting."""
    setup, state = moment.setup, moment.frame["state"]
    yield from town.land(form, setup["space_flowers"])
    for thing, place in zip(setup["citizens"], form.citizens, strict=True):
        yield _citizen(thing, place, silenced=thing in state["silenced"])
    for thing, place in zip(setup["buildings"], form.buildings, strict=True):
        yield _building(thing, place)
    owned = pieces.owners(form, setup["buildings"], state["owners"])
    yield from (marker for marker in owned if "absent" not in marker)
    yield _ship(form, state["demand"], moment.frame.get("dice"))
    yield town.car(form, state["car"])
    visited = [player["pawn"] for player in state["players"]]
    yield from pieces.pawns(form, setup["buildings"], visited)


def _citizen(thing: str, place: Point, *, silenced: bool) -> str:
    edge = (WIDE.citizen.width - _FACE) / 2
    card = tag("rect", class_="card", width=122, height=122, rx=_ROUND)
    face = tag("svg", symbol(thing, 0, 0, 48), viewBox="0 0 48 48",
               x=edge, y=edge, width=_FACE, height=_FACE)  # fmt: skip
    return tag("g", card, face, class_=classes("citizen", asleep=silenced), transform=at(*place))


def _building(thing: str, place: Point) -> str:
    card = tag("rect", class_="card", width=122, height=112, rx=_ROUND)
    return tag("g", card, symbol(thing, *_ART), transform=at(*place))


def _ship(form: Form, demand: Mapping[str, int], rolled: Mapping[str, int] | None) -> str:
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
    place = f"{at(*form.ship)} scale({form.ship_scale})"
    return tag("g", symbol("steamer", 0, 0, 356, 160), *dice, class_="ship", transform=place)
