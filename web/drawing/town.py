"""Draw the town: ground, sea, street, pier and market, and the players' pieces on it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, takewhile
from math import ceil
from typing import Final

from referee.rules.pieces import GOODS
from web.drawing.geometry import Form, Point
from web.drawing.shapes import at, classes, fitting, symbol, tag, title, words
from web.frames import State

_WAVES: Final = (30, 78, 122, 166)
_KEPT: Final = 128  # sceneries of 4 kB


@lru_cache(_KEPT)
def scenery(form: Form, flowers: tuple[str, ...]) -> str:
    """Return what no game changes: ground, street and pier; `flowers` are those of the spaces."""
    return "".join((*_ground(form, flowers), *_street(form), _pier(form)))


def land(form: Form, flowers: Sequence[str]) -> Iterator[str]:
    """Yield ground and street without what only a large board shows."""
    yield from (part for part in _ground(form, flowers) if "wave" not in part)
    yield from (part for part in _street(form) if "arrow" not in part)


def _car(form: Form, stop: int) -> str:
    """Return the car at a stop; `data-stops` says of each how it stands there, and how far on."""
    size = form.road.width * 1.45
    along = [form.road.along(place) for place in form.stops]
    stands = [_standing(place, angle) for place, (_, angle) in zip(form.stops, along, strict=True)]
    return tag(
        "g",
        symbol("car", -size / 2, -size * 0.27, size, size * 0.53),
        class_="car",
        transform=stands[stop],
        data_stops=";".join(stands),
        data_along=";".join(f"{distance:.1f}" for distance, _ in along),
    )


def market(form: Form, left: Mapping[str, int], label: str) -> str:
    """Return the supply as piles on a square of the town."""
    x, y, width, height = form.market
    size = fitting(label, form.least, width - 8)
    high = (height - 24) / 3
    piles = (
        _pile(good, left[good], (index % 2 * width / 2, 24 + index // 2 * high), width / 2, high)
        for index, good in enumerate(GOODS)
    )
    return tag(
        "g",
        tag("rect", class_="square", width=width, height=height, rx=9),
        words(width / 2, 17, label, size, class_="label", text_anchor="middle"),
        *piles,
        class_="market",
        transform=f"translate({x} {y})",
    )


def owners(
    form: Form,
    buildings: Sequence[str],
    owned: Mapping[str, int],
    labels: Sequence[str] = (),
    word: str = "",
) -> Iterator[str]:
    """Yield a marker on each building; those of nobody are `absent`.

    The seats' labels, if there are any, name the owner after `word`, "Owner: ".
    """
    dx, dy, size = form.building.marker
    for thing, (x, y) in zip(buildings, form.buildings, strict=True):
        seat = owned.get(thing)
        label = "" if seat is None or not labels else f"{word}{labels[seat]}"
        yield marker(seat, (x + dx, y + dy), size, label, thing)


def marker(
    seat: int | None, place: Point, size: float, label: str = "", thing: str | None = None
) -> str:
    """Return a seat's marker; that of nobody is `absent`. `thing` is the building it is on."""
    inner = size * 0.48
    edge = (size - inner) / 2
    return tag(
        "g",
        title(label),
        symbol("owner", 0, 0, size),
        symbol(f"seat-{seat or 0}", edge, edge, inner, class_="glyph"),
        class_=classes("owner", "absent" if seat is None else f"seat-{seat}"),
        data_owner=thing,
        transform=at(*place),
    )


def pieces(form: Form, buildings: Sequence[str], state: State) -> Iterator[str]:
    """Yield the car, and the pawn of each seat where it stands; `absent` if it stands nowhere."""
    yield _car(form, state["car"])
    spaces = dict(zip(buildings, form.buildings, strict=True))
    dx, dy, width = form.building.pawn
    height, mark = width * 1.375, width * 0.42
    for seat, player in enumerate(state["players"]):
        visits = player["pawn"]
        x, y = spaces[visits] if visits else form.stops[0]
        yield tag(
            "g",
            symbol("pawn", 0, 0, width, height),
            symbol(f"seat-{seat}", (width - mark) / 2, height * 0.6, mark, class_="glyph"),
            class_=classes("pawn", "piece", f"seat-{seat}", absent=not visits),
            transform=at(x + dx, y + dy),
        )


def _ground(form: Form, flowers: Sequence[str]) -> Iterator[str]:
    """Yield town, sea and quarters, which have the colours of their spaces' flowers."""
    width, height, shore = form.width, form.height, form.shore
    yield tag("rect", class_="town", width=width, height=height, rx=18)
    floor = f"M0 {shore}H{width}V{height - 18}a18 18 0 0 1-18 18H18a18 18 0 0 1-18-18z"
    yield tag("path", class_="sea", d=floor)
    ripples = "q15 -9 30 0t30 0" * (ceil(width / 60) + 2)
    waves = (
        tag("path", class_="wave", d=f"M{index % 3 * 20 - 60} {shore + dy}{ripples}")
        for index, dy in enumerate(takewhile(lambda dy: shore + dy < height - 20, _WAVES))
    )
    yield tag("svg", *waves, width=width, height=height)  # which cuts them off at its edges
    yield tag("path", class_="quay", d=f"M0 {shore}H{width}")
    for index, (x, y, wide, high) in enumerate(form.quarters):
        colour = f"quarter quarter-{flowers[index * 3]}"
        yield tag("rect", class_=colour, x=x, y=y, width=wide, height=high, rx=14)


def _street(form: Form) -> Iterator[str]:
    """Yield the street with its ten stops."""
    road = form.road
    yield tag("path", class_="kerb", d=road.path, stroke_width=road.width + 8)
    yield tag("path", class_="asphalt", d=road.path, stroke_width=road.width)
    yield tag("path", class_="lane", d=road.path)
    x, y = road.arrow
    yield tag("path", class_="arrow", d=f"M{x + 12} {y}h-24m8-7-8 7 8 7")
    size = road.width * 0.7
    for number, (x, y) in enumerate(form.stops):
        kind = "stop" if number else "stop harbour-stop"
        yield symbol("star", x - size / 2, y - size / 2, size, class_=kind)


def _standing(place: Point, angle: int) -> str:
    return f"translate({place[0]:g} {place[1]:g}) rotate({angle})"


def _pier(form: Form) -> str:
    """Return the pier between the harbour's stop and the ship."""
    x, y, width, height = form.pier
    planks = takewhile(lambda top: top <= y + height - 3, count(y + 8, 11))
    return tag(
        "g",
        tag("rect", x=x - width / 2, y=y, width=width, height=height, rx=3),
        *(tag("path", class_="plank", d=f"M{x - width / 2} {top}h{width}") for top in planks),
        class_="pier",
    )


def _pile(good: str, left: int, place: Point, width: float, height: float) -> str:
    x, y = place
    size = min(24, height - 3)
    return tag(
        "g",
        symbol(good, x + width * 0.1, y + 1, size),
        words(x + width * 0.76, y + 1 + size * 0.78, str(left), 17, text_anchor="middle"),
        class_=classes("pile", **{"sold-out": not left}),
        data_supply=good,
    )
