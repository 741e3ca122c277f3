"""Draw the whole board at a moment of a game: as a part of a page, and as a file of its own.

Programs that draw files know neither custom properties nor `light-dark()`, so the one style sheet
of the board is resolved for a theme.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from web.drawing import harbour, tiles, town
from web.drawing.geometry import Form
from web.drawing.shapes import classes, tag
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
    yield harbour.ship(form, state["demand"], moment.frame.get("dice"), words, new)
    yield harbour.flags(form, state["value"], labels["value"], is_new="value" in new)
    yield harbour.track(form, state["ship"], labels["ships"], is_new="ship" in new)
    yield town.car(form, state["car"])
    visited = [player["pawn"] for player in state["players"]]
    yield from town.pawns(form, setup["buildings"], visited)


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


@cache
def style() -> str:
    """Return the board's style sheet without what only a page can use."""
    sheet = _BLOCKS.sub("", _COMMENTS.sub("", _SHEET.read_text(encoding="utf-8")))
    return re.sub(r"\s+", " ", sheet).replace("transition: transform 0.001s;", "")
