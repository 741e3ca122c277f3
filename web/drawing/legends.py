"""Draw each tile by itself, beside what it does in words."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from web.drawing import tiles
from web.drawing.geometry import WIDE
from web.drawing.shapes import tag
from web.words import words_of

_CITIZENS: Final = 9
"""How many of `tiles.ICONS` are citizens: they are the first."""
_LANGUAGES: Final = 8


@dataclass(frozen=True, slots=True)
class Legend:
    """A tile as an SVG element, and its name with what it does."""

    tile: Markup
    name: str
    effect: str


@lru_cache(_LANGUAGES)
def legends(code: str) -> tuple[Legend, ...]:
    """Return all tiles in a language, citizens first; the page needs board.css and the sheet."""
    words = words_of(code)
    return tuple(
        Legend(
            _alone(thing, code, is_citizen=place < _CITIZENS),
            words.names[thing],
            words.gifts[thing],
        )
        for place, thing in enumerate(tiles.ICONS)
    )


def _alone(thing: str, code: str, *, is_citizen: bool) -> Markup:
    draw = tiles.citizen if is_citizen else tiles.building
    form = WIDE.citizen if is_citizen else WIDE.building
    tile = draw(thing, None, form, (3, 3), words_of(code), "")
    box = f"0 0 {form.width + 6:g} {form.height + 8:g}"
    return Markup(tag("svg", tile, class_="board tile-alone", viewBox=box, aria_hidden="true"))
