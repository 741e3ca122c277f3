"""Draw the harbour: the ship with its dice, the value's flags, the track of seven ships."""

from collections.abc import Container, Iterator, Mapping
from typing import Final

from web.drawing.geometry import Form, Row
from web.drawing.shapes import at, classes, fitting, number, symbol, tag, title, words
from web.words import Words

SHIPS: Final = 7
FLAGS: Final = (2, 3, 4)
DICE: Final = ("sugar", "citrus", "tobacco", "rum", "cigars")
_DIE: Final = 50
_PITCH: Final = 57
_ABOARD: Final = tuple(at(34 + place * _PITCH, 37) for place in range(4))
_FALLEN: Final = ((34, -8), (22, 5), (34, -3), (22, 7), (34, -6))  # height and angle
_TOSSED: Final = tuple(
    f"{at(24 + place * 49, y)} rotate({tilt} 20 20) scale(0.8)"
    for place, (y, tilt) in enumerate(_FALLEN)
)


def ship(
    form: Form,
    demand: Mapping[str, int],
    rolled: Mapping[str, int] | None,
    language: Words,
    new: Container[str] = (),
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
        for good in DICE
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


def _die(good: str, left: int, place: str | None, language: Words, *, is_new: bool) -> str:
    count = str(left) if place else ""
    told = f"{language.name(good)}{language.labels['colon']}{left}" if place else ""
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
        title(told),
        class_=classes("die", f"die-{good}", met=is_met, absent=not place, changed=is_new),
        data_good=good,
        transform=place or _ABOARD[0],
    )


def flags(form: Form, value: int, label: str, *, is_new: bool = False) -> str:
    """Return the flags 2, 3, 4 and the chequered one, with the marker of the value."""
    row = form.flags
    places = [at(index * row.pitch + 6, 62) for index in range(len(FLAGS) + 1)]
    here = min(max(value - FLAGS[0], 0), len(FLAGS))
    poles = (
        tag(
            "g",
            symbol("flag", 0, 0, 50, 76),
            words(28, 27, str(flag), 23, class_="flag-value", text_anchor="middle"),
            transform=at(index * row.pitch, 0),
        )
        for index, flag in enumerate(FLAGS)
    )
    return tag(
        "g",
        words(0, -12, label, fitting(label, row.label, 4.4 * row.pitch), class_="label"),
        *poles,
        tag(
            "g",
            symbol("flag-chequered", 0, 0, 50, 76),
            transform=at(len(FLAGS) * row.pitch, 0),
        ),
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


def track(form: Form, sailing: int, label: str, *, is_new: bool = False) -> str:
    """Return the seven ships in a row; `sailing` is the number of the one in the harbour."""
    row = form.track
    size = fitting(label, row.label, SHIPS * row.pitch)
    caption = words(0, -14, label, size, class_="label")
    return tag(
        "g", caption, *_ships(row, sailing, is_new=is_new), class_="track", transform=_place(row)
    )


def _ships(row: Row, sailing: int, *, is_new: bool) -> Iterator[str]:
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


def _place(row: Row) -> str:
    return f"{at(row.x, row.y)} scale({number(row.scale)})"
