"""Draw the whole board at a moment of a game, with the harbour: for a page, and as a file.

Programs that draw files know neither custom properties nor `light-dark()`, so the one style sheet
of the board is resolved for a theme.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from referee.rules.pieces import PLAIN_GOODS, SHIPS
from web.drawing import tiles, town
from web.drawing.geometry import Form, TileRow
from web.drawing.shapes import at, classes, fitting, number, symbol, tag, title, words
from web.frames import Frame, Setup
from web.words import Words

_SHEET: Final = Path(__file__).parents[1] / "static" / "replays" / "board.css"
_FONTS: Final = {
    "sans": '"DejaVu Sans", "Liberation Sans", Arial, sans-serif',
    "serif": '"DejaVu Serif", Georgia, serif',
}
_BLOCKS: Final = re.compile(r"@[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_COMMENTS: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_OF_THEME: Final = re.compile(r"light-dark\(([^,()]+), ?([^,()]+)\)")
_DEFINED: Final = re.compile(r"--([\w-]+):\s*([^;]+);")
_USED: Final = re.compile(r"var\(--([\w-]+)\)")

_FLAGS: Final = (2, 3, 4)
_DIE: Final = 50
_PITCH: Final = 57
_ABOARD: Final = tuple(at(34 + place * _PITCH, 37) for place in range(4))
_FALLEN: Final = ((34, -8), (22, 5), (34, -3), (22, 7), (34, -6))  # height and angle
_TOSSED: Final = tuple(
    f"{at(24 + place * 49, y)} rotate({tilt} 20 20) scale(0.8)"
    for place, (y, tilt) in enumerate(_FALLEN)
)


@dataclass(frozen=True)
class Moment:
    """A moment to draw: the board as laid out, the seats' labels, and the frame."""

    setup: Setup
    labels: Sequence[str]
    frame: Frame


def drawing(moment: Moment, form: Form, words: Words) -> str:
    """Return the board as an SVG element; its symbols are those of the page's sheet."""
    return tag(
        "svg",
        *_parts(moment, form, words),
        class_=f"drawing {form.name}",
        viewBox=f"0 0 {form.width} {form.height}",
        data_form=form.name,
    )


def standalone(drawn: str, symbols: str, *, dark: bool = False) -> str:
    """Return a drawing of the board as an SVG document in the light or dark theme."""
    colours, rules = _style(dark=dark)
    head, _, body = drawn.partition(">")
    head = head.replace('class="', 'xmlns="http://www.w3.org/2000/svg" class="board ')
    sheet = _USED.sub(lambda name: colours[name[1]], symbols)
    return f"{head}><style>{rules}</style><defs>{sheet}</defs>{body}"


@cache
def style() -> str:
    """Return the board's style sheet without what only a page can use."""
    sheet = _BLOCKS.sub("", _COMMENTS.sub("", _SHEET.read_text(encoding="utf-8")))
    return re.sub(r"\s+", " ", sheet).replace("transition: transform 0.001s;", "")


def _ship(
    form: Form,
    demand: Mapping[str, int],
    rolled: Mapping[str, int] | None,
    language: Words,
    new: Container[str],
) -> str:
    """Return the ship with its dice: those of the demand, or all five as they were rolled.

    `new` has "demand:rum" if that die has changed. `data-aboard` and `data-tossed` say where
    the dice lie in either case.
    """
    lying = demand if rolled is None else rolled
    places = _ABOARD if rolled is None else _TOSSED
    where = dict(zip(lying, places, strict=False))
    berths = (
        tag("rect", class_="die-place", x=35 + place * _PITCH, y=38, width=48, height=48, rx=8)
        for place in range(4)
    )
    dice = (
        _die(good, lying.get(good, 0), where.get(good), language, is_new=f"demand:{good}" in new)
        for good in PLAIN_GOODS
    )
    cargo = tag("g", *berths, *dice, class_=classes("cargo", empty=not lying))
    return tag(
        "g",
        tag("g", symbol("steamer", 0, 0, 356, 160), cargo, class_="hull"),
        class_="ship",
        transform=f"{at(*form.ship)} scale({form.ship_scale})",
        data_aboard=";".join(_ABOARD),
        data_tossed=";".join(_TOSSED),
    )


def _flags(form: Form, value: int, label: str, *, is_new: bool) -> str:
    """Return the flags 2, 3, 4 and the chequered one, with the marker of the value."""
    row = form.flags
    places = [at(index * row.pitch + 6, 62) for index in range(len(_FLAGS) + 1)]
    here = min(max(value - _FLAGS[0], 0), len(_FLAGS))
    poles = (
        tag(
            "g",
            symbol("flag", 0, 0, 50, 76),
            words(28, 27, str(flag), 23, class_="flag-value", text_anchor="middle"),
            transform=at(index * row.pitch, 0),
        )
        for index, flag in enumerate(_FLAGS)
    )
    return tag(
        "g",
        words(0, -12, label, fitting(label, row.label, 4.4 * row.pitch), class_="label"),
        *poles,
        tag("g", symbol("flag-chequered", 0, 0, 50, 76), transform=at(len(_FLAGS) * row.pitch, 0)),
        tag(
            "g",
            symbol("value-marker", -15, -15, 30),
            class_=classes("value-marker", "piece", changed=is_new),
            transform=places[here],
            data_flags=";".join(places),
        ),
        class_="flags",
        transform=_place(row),
    )


def _track(form: Form, sailing: int, label: str, *, is_new: bool) -> str:
    """Return the seven ships in a row; `sailing` is the number of the one in the harbour."""
    row = form.track
    size = fitting(label, row.label, SHIPS * row.pitch)
    caption = words(0, -14, label, size, class_="label")
    return tag(
        "g", caption, *_ships(row, sailing, is_new=is_new), class_="track", transform=_place(row)
    )


def _parts(moment: Moment, form: Form, words: Words) -> Iterator[str]:
    """Yield all parts in the order of painting."""
    setup, state, labels = moment.setup, moment.frame["state"], words.labels
    new = _changed(moment.frame)
    yield town.scenery(form, tuple(setup["space_flowers"]))
    yield from _citizens(moment, form, words, new)
    yield town.market(form, state["supply"], labels["supply"])
    yield from _buildings(moment, form, words, new)
    owner = f"{labels['owner']}{labels['colon']}"
    yield from town.owners(form, setup["buildings"], state["owners"], moment.labels, owner)
    yield _ship(form, state["demand"], moment.frame.get("dice"), words, new)
    yield _flags(form, state["value"], labels["value"], is_new="value" in new)
    yield _track(form, state["ship"], labels["ships"], is_new="ship" in new)
    yield from town.pieces(form, setup["buildings"], state)


def _citizens(moment: Moment, form: Form, words: Words, new: set[str]) -> Iterator[str]:
    state, flowers = moment.frame["state"], moment.setup["citizen_flowers"]
    places = zip(moment.setup["citizens"], form.citizens, strict=True)
    for stop, (thing, place) in enumerate(places, 1):
        marks = classes(
            silenced=thing in state["silenced"],
            called=state["car"] == stop,
            changed=f"silenced:{thing}" in new,
        )
        yield tiles.citizen(thing, flowers[thing], form.citizen, place, words, marks)


def _buildings(moment: Moment, form: Form, words: Words, new: set[str]) -> Iterator[str]:
    """Yield buildings from the top down: each tile's flower hangs over the tile above it."""
    flowers = moment.setup["space_flowers"]
    spaces = zip(moment.setup["buildings"], flowers, form.buildings, strict=True)
    for thing, flower, place in sorted(spaces, key=lambda space: space[2][1]):
        marks = classes(changed=f"owner:{thing}" in new)
        yield tiles.building(thing, flower, form.building, place, words, marks)


def _changed(frame: Frame) -> set[str]:
    """Return what the frame changed on the board; a pawn's new building counts as owned anew."""
    return {
        f"owner:{change.get('to')}" if change["what"] == "pawn" else change["what"]
        for change in frame["changes"]
    }


@cache
def _style(*, dark: bool) -> tuple[dict[str, str], str]:
    """Return the board's colours by name and its rules, both without variables."""
    plain = _OF_THEME.sub(lambda found: found[2 if dark else 1].strip(), style())
    colours = {**_FONTS, **dict(_DEFINED.findall(plain))}
    rules = _USED.sub(lambda name: colours[name[1]], _DEFINED.sub("", plain))
    return colours, rules


def _die(good: str, left: int, place: str | None, language: Words, *, is_new: bool) -> str:
    count = str(left) if place else ""
    label = f"{language.name(good)}{language.labels['colon']}{left}" if place else ""
    body = tag(
        "g",
        tag("rect", class_="face", width=_DIE, height=_DIE, rx=9),
        words(_DIE / 2 - 3, 35, count, 32, class_="count", text_anchor="middle"),
        tag("circle", class_="tag", cx=_DIE - 3, cy=_DIE - 3, r=13),
        symbol(good, _DIE - 13, _DIE - 13, 20),
        class_="die-body",
    )
    is_met = place is not None and not left
    return tag(
        "g",
        body,
        title(label),
        class_=classes("die", f"die-{good}", met=is_met, absent=not place, changed=is_new),
        data_good=good,
        transform=place or _ABOARD[0],
    )


def _ships(row: TileRow, sailing: int, *, is_new: bool) -> Iterator[str]:
    for index in range(SHIPS):
        yield tag(
            "g",
            symbol("small-ship", -2, 0, 36, 30),
            words(16, 50, str(index + 1), row.label, text_anchor="middle"),
            class_=classes(
                "track-ship",
                gone=index + 1 < sailing,
                here=index + 1 == sailing,
                changed=is_new and index + 1 == sailing,
            ),
            transform=at(index * row.pitch, 0),
        )


def _place(row: TileRow) -> str:
    return f"{at(row.x, row.y)} scale({number(row.scale)})"
