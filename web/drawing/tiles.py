"""Draw the tiles of citizens and buildings: what is printed on them never changes in a game.

`legends` draws each by itself, beside what it does in words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

from markupsafe import Markup, escape

from referee.rules import CITIZENS
from web.drawing.geometry import WIDE, Point, TileForm
from web.drawing.shapes import at, classes, fitting, symbol, tag, title, words
from web.words import Words, words_of

ICONS: Final[Mapping[str, tuple[str, ...]]] = {
    "pedro": ("2", "tobacco"),
    "maria": ("2", "vp"),
    "jose": ("2", "sugar"),
    "martinez": ("3", "pesos"),
    "conchita": ("2", "citrus"),
    "el-zorro": ("pesos", "/", "any-good", "/", "vp"),
    "miguel": ("2", "wood"),
    "pablo": ("1", "any-good"),
    "alonso": ("markers", "/", "use-building"),
    "bank": ("2", "pesos"),
    "church": ("1", "vp"),
    "distillery": ("sugar", "→", "rum"),
    "cigar-factory": ("tobacco", "→", "cigars"),
    "black-market": ("any-good", "→", "any-good"),
    "sawmill": ("wood", "→", "vp", "pesos"),
    "cafe": ("rum", "cigars", "→", "2", "vp"),
    "customs": ("die", "→", "die-zero"),
    "casino": ("3", "pesos", "↔", "1", "vp"),
    "harbour-office": ("flag-small", "±1"),
    "trading-office": ("any-good", "→", "2", "vp"),
    "newspaper": ("1", "pesos", "+", "silenced"),
}
"""The icons and language-free texts on the tile of each citizen and building."""

_KEPT: Final = 2048  # printed tiles of 1.5 kB
_LANGUAGES: Final = 8
_GAP: Final = 3  # between icons
_MARGIN: Final = 3
_LETTER: Final = 0.58  # how broad a text of the icons is, in units of its size
_IS_ICON: Final = re.compile(r"[a-z-]{2,}")


@dataclass(frozen=True, slots=True)
class Legend:
    """A tile as an SVG element, and its name with what it does."""

    tile: Markup
    name: str
    effect: str


@lru_cache(_LANGUAGES)
def legends(code: str) -> tuple[Legend, ...]:
    """Return all tiles in a language, citizens first; the page needs board.css and the sheet."""
    language = words_of(code)
    return tuple(
        Legend(_alone(thing, language), language.names[thing], language.gifts[thing])
        for thing in ICONS
    )


def _alone(thing: str, language: Words) -> Markup:
    draw, form = (citizen, WIDE.citizen) if thing in CITIZENS else (building, WIDE.building)
    tile = draw(thing, None, form, (3, 3), language, "")
    box = f"0 0 {form.width + 6:g} {form.height + 8:g}"
    return Markup(tag("svg", tile, class_="board tile-alone", viewBox=box, aria_hidden="true"))


def citizen(
    thing: str, flower: str | None, form: TileForm, place: Point, language: Words, marks: str
) -> str:
    """Return a citizen's tile with both sides; the mark `silenced` turns it over."""
    printed = _printed(_citizen, thing, flower, form, language.language)
    shown = classes("citizen", *marks.split())
    return tag("g", printed, class_=shown, data_citizen=thing, transform=at(*place))


def building(
    thing: str, flower: str | None, form: TileForm, place: Point, language: Words, marks: str
) -> str:
    """Return a building's tile, without pawns and owner's marker: they are pieces of their own."""
    return tag(
        "g",
        _printed(_building, thing, flower, form, language.language),
        class_=classes("building", *marks.split()),
        data_building=thing,
        data_pawn=at(place[0] + form.pawn[0], place[1] + form.pawn[1]),
        transform=at(*place),
    )


@lru_cache(_KEPT)
def _printed(
    draw: Callable[[str, str | None, TileForm, Words], Iterable[str]],
    thing: str,
    flower: str | None,
    form: TileForm,
    code: str,
) -> str:
    language = words_of(code)
    return "".join((title(language.effect(thing)), *draw(thing, flower, form, language)))


def _citizen(thing: str, flower: str | None, form: TileForm, language: Words) -> Iterator[str]:
    x, y, size, _ = form.picture
    middle, radius = x + size / 2, size / 2
    face = symbol(thing, 0, 0, 48)
    box = {"x": x, "y": y, "width": size, "height": size, "viewBox": "0 0 48 48"}
    yield tag(
        "g",
        _card(form),
        tag("circle", class_="sky", cx=middle, cy=y + radius, r=radius),
        tag("svg", face, class_="portrait", **box),
        tag("circle", class_="ring", cx=middle, cy=y + radius, r=radius),
        _name(f"{language.name(thing):tile}", form),
        _icons(ICONS[thing], form),
        symbol(f"flower-{flower}", *form.flower) if flower else "",
        class_="front",
    )
    yield _back(language.name(thing), form)


def _building(thing: str, flower: str | None, form: TileForm, language: Words) -> Iterator[str]:
    x, y, width, height = form.picture
    fx, fy, size = form.flower
    art = width - 4
    yield _card(form)
    yield tag("path", class_="sky", d=_top_rounded(x, y, width, height))
    yield symbol(thing, x + 2, y + height - art / 2, art, art / 2)
    yield tag("path", class_="ground", d=f"M{x} {y + height}h{width}")
    yield _name(f"{language.name(thing):tile}", form)
    yield _icons(ICONS[thing], form)
    if flower:
        yield tag("circle", class_="medal", cx=fx, cy=fy, r=size * 0.62)
        yield symbol(f"flower-{flower}", fx - size / 2, fy - size / 2, size)


def _card(form: TileForm) -> str:
    return tag("rect", class_="card", width=form.width, height=form.height, rx=9)


def _name(text: str, form: TileForm) -> str:
    """Return the name in a line, or in two if the tile has them and the name has a space."""
    line, middle, width = form.name, form.width / 2, form.width - 2 * _MARGIN
    parts = _halves(text) if line.lines > 1 else [text]
    size = min(fitting(part, line.size, width) for part in parts)
    if len(parts) == 1:
        y = line.y + (line.size * 0.5 if line.lines > 1 else 0)
        return words(middle, y, text, size, class_="name", text_anchor="middle")
    lines = (
        tag("tspan", str(escape(part)), x=middle, dy=size * 0.95 if row else 0)
        for row, part in enumerate(parts)
    )
    return tag("text", *lines, y=line.y, font_size=size, class_="name", text_anchor="middle")


def _halves(text: str) -> list[str]:
    """Cut a name at the space that is nearest to its middle, if it has one."""
    spaces = [found.start() for found in re.finditer(" ", text)]
    if not spaces:
        return [text]
    cut = min(spaces, key=lambda place: abs(place - len(text) / 2))
    return [text[:cut], text[cut + 1 :]]


def _icons(tokens: Sequence[str], form: TileForm) -> str:
    """Return icons and short texts in a row: ["2", "tobacco"], ["sugar", "→", "rum"]."""
    y, size = form.icons
    letters = size * 0.84
    texts = sum(len(token) for token in tokens if not _IS_ICON.fullmatch(token))
    number = sum(1 for token in tokens if _IS_ICON.fullmatch(token))
    room = form.width - 2 - texts * letters * _LETTER - _GAP * (len(tokens) - 1)
    small = min(size, room / number)
    broad = [
        small if _IS_ICON.fullmatch(token) else len(token) * letters * _LETTER for token in tokens
    ]
    total = sum(broad) + _GAP * (len(tokens) - 1)
    starts = accumulate((wide + _GAP for wide in broad), initial=(form.width - total) / 2)
    row = (
        symbol(token, x, y + (size - small) / 2, small)
        if _IS_ICON.fullmatch(token)
        else words(x + wide / 2, y + size * 0.79, token, letters, text_anchor="middle")
        for token, x, wide in zip(tokens, starts, broad, strict=False)
    )
    return tag("g", *row, class_="gives")


def _back(name: str, form: TileForm) -> str:
    """Return the other side of a citizen's tile: he or she is silenced."""
    width, height = form.width, form.height
    size = fitting(name, form.name.size, width - 2 * _MARGIN)
    return tag(
        "g",
        _card(form),
        tag("rect", class_="hatch", x=4, y=4, width=width - 8, height=height - 8, rx=6),
        symbol("silenced", width / 2 - 22, height / 2 - 36, 44),
        words(width / 2, height - 22, name, size, class_="name", text_anchor="middle"),
        class_="back",
    )


def _top_rounded(x: float, y: float, width: float, height: float) -> str:
    corner = "a6 6 0 0 1 6"
    return f"M{x} {y + height}v{6 - height}{corner} -6h{width - 12}{corner} 6v{height - 6}z"
